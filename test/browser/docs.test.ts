import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT_KEY, type Bosun } from "../../scripts/proof/bosun.ts";
import { startBundled } from "../e2e/deployed/processes.ts";
import {
  findForeignRequests,
  hasChromium,
  launchChromium,
  watch,
  type Watched,
} from "./chromium.ts";

const PATIENCE_MS = 120_000;

describe.skipIf(!hasChromium("/docs"))(
  "the page at /docs in Chromium",
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

    async function opened(
      path: string,
      options: Parameters<Browser["newPage"]>[0] = {},
    ): Promise<Watched> {
      const page = await browser.newPage(options);
      page.setDefaultTimeout(PATIENCE_MS / 2);
      const watched = watch(page);
      await page.goto(`${bosun.origin}${path}`);
      await page.locator(".opblock").first().waitFor();
      return watched;
    }

    const isOfTools = (url: string): boolean => new URL(url).pathname === "/agents/tools";

    it("the page at /docs sends the key from its link, removes it from the address, and shows the response", async () => {
      const watched = await opened(`/docs#key=${ROOT_KEY}`);
      const { page } = watched;
      expect(page.url()).toBe(`${bosun.origin}/docs`);
      const operation = page.locator("#operations-Tools-listTools");
      await operation.locator(".opblock-summary-control").click();
      const execute = operation.getByRole("button", { name: "Execute" });
      await execute.waitFor();
      const answering = page.waitForResponse((response) => isOfTools(response.url()));
      await execute.click();
      const answer = await answering;
      expect(answer.status()).toBe(200);
      expect(answer.request().headers()["authorization"]).toBe(`Bearer ${ROOT_KEY}`);
      const shown = operation.locator(".live-responses-table .response").first();
      await shown.waitFor();
      expect(await shown.textContent()).toContain("200");
      expect(await shown.textContent()).toContain("json-workbench");
      expect(findForeignRequests(watched, bosun.origin)).toEqual([]);
      expect(watched.complaints).toEqual([]);
    });

    it("the page at /docs lists every operation of the OpenAPI document and filters them by tag", async () => {
      const watched = await opened("/docs");
      const { page } = watched;
      // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
      const document: any = await (await fetch(`${bosun.origin}/openapi.json`)).json();
      const operations = Object.values<object>(document.paths).flatMap((item) => Object.keys(item));
      expect(await page.locator(".opblock").count()).toBe(operations.length);
      expect(await page.title()).toBe("Bosun");
      await page.getByPlaceholder("Filter by tag").fill("Webhooks");
      await expect.poll(() => page.locator(".opblock-tag-section").count()).toBe(1);
      expect(findForeignRequests(watched, bosun.origin)).toEqual([]);
      expect(watched.complaints).toEqual([]);
    });

    it("the page at /docs fits the width of a phone and is dark if the system is dark", async () => {
      const phone = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const;
      const watched = await opened("/docs#/Tools/listTools", phone);
      const { page } = watched;
      await page.locator("#operations-Tools-listTools .opblock-body").waitFor();
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect(width).toBeLessThanOrEqual(phone.viewport.width);
      expect(await page.evaluate("document.documentElement.className")).toContain("dark-mode");
      expect(watched.complaints).toEqual([]);
    });
  },
);
