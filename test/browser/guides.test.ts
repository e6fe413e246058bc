import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bosun } from "../../scripts/proof/bosun.ts";
import { startBundled } from "../e2e/deployed/processes.ts";
import {
  findForeignRequests,
  hasChromium,
  launchChromium,
  watch,
  type Watched,
} from "./chromium.ts";

const PATIENCE_MS = 120_000;

describe.skipIf(!hasChromium("/docs/guides"))(
  "the guides at /docs/guides in Chromium",
  { timeout: PATIENCE_MS },
  () => {
    let bosun: Bosun;
    let browser: Browser;

    beforeAll(async () => {
      bosun = await startBundled();
      browser = await launchChromium();
    }, PATIENCE_MS);

    afterAll(async () => {
      await browser.close();
      await bosun.stop();
    });

    async function open(
      path: string,
      options: BrowserContextOptions = {},
    ): Promise<Watched & { context: BrowserContext }> {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const watched = watch(page);
      await page.goto(`${bosun.origin}${path}`);
      return { ...watched, context };
    }

    it("each guide fits widths of 360 and 1280 pixels, has one title, and requests nothing from other origins", async () => {
      const watched = await open("/docs/guides");
      const { page } = watched;
      const links = await page.locator(".pages a").all();
      const paths = await Promise.all(links.map((link) => link.getAttribute("href")));
      expect(paths.length).toBeGreaterThan(25);
      const wrong: unknown[] = [];
      for (const path of ["/docs/guides", ...paths]) {
        await page.goto(`${bosun.origin}${path}`);
        const titles = await page.locator("h1").count();
        for (const width of [360, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          const scrollWidth = await page.evaluate("document.documentElement.scrollWidth");
          if (scrollWidth !== width || titles !== 1)
            wrong.push({ path, width, scrollWidth, titles });
        }
      }
      expect(wrong).toEqual([]);
      expect(findForeignRequests(watched, bosun.origin)).toEqual([]);
      expect(watched.complaints).toEqual([]);
    });

    it("the search finds a section by its words using only the keyboard, and the result leads there", async () => {
      const { page, complaints } = await open("/docs/guides");
      await page.keyboard.press("/");
      await page.keyboard.type("worker dies");
      const first = page.locator("#results a").first();
      await expect.poll(() => first.textContent()).toBe("Write a worker: If a worker dies");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/docs/guides/write-a-worker#if-a-worker-dies");
      expect(await page.locator("#if-a-worker-dies").isVisible()).toBe(true);
      expect(complaints).toEqual([]);
    });

    it("a search without a match shows a message, and its text is not interpreted as HTML", async () => {
      const { page, complaints } = await open("/docs/guides/keys");
      await page.locator("#search").fill("<img src=x onerror=alert(1)>");
      await expect.poll(() => page.locator("#found").textContent()).toBe("Nothing found.");
      expect(complaints).toEqual([]);
    });

    it("the guides can be read and searched without a connection after the first visit", async () => {
      const { page, context } = await open("/docs/guides");
      await page.evaluate("navigator.serviceWorker.ready.then(() => null)");
      await context.setOffline(true);
      await page.locator("#search").fill("lease");
      await expect.poll(() => page.locator("#results a").count()).toBeGreaterThan(0);
      await page.goto(`${bosun.origin}/docs/guides/webhooks`);
      expect(await page.locator("h1").textContent()).toBe("Receive webhooks");
      await page.locator("#search").fill("circuit breaker");
      await expect.poll(() => page.locator("#results a").count()).toBeGreaterThan(0);
    });
  },
);
