import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
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
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const;

describe.skipIf(!hasChromium("/docs"))(
  "the page at /docs in Chromium",
  { timeout: PATIENCE_MS },
  () => {
    let bosun: Bosun;
    let browser: Browser;
    let watched: Watched;
    /** The page's URL after loading. */
    let loadedUrl: string;

    beforeAll(async () => {
      [bosun, browser] = await Promise.all([startBundled(), launchChromium()]);
      const page = await browser.newPage(PHONE);
      page.setDefaultTimeout(PATIENCE_MS / 2);
      watched = watch(page);
      // The page takes a long time to build, so all tests use the same one.
      await page.goto(`${bosun.origin}/docs#key=${ROOT_KEY}`);
      await page.locator(".opblock").first().waitFor();
      loadedUrl = page.url();
    }, PATIENCE_MS);

    afterEach(() => {
      expect(findForeignRequests(watched, bosun.origin)).toEqual([]);
      expect(watched.complaints).toEqual([]);
    });

    afterAll(async () => {
      await browser.close();
      await bosun.stop();
    });

    const isOfTools = (url: string): boolean => new URL(url).pathname === "/agents/tools";

    it("the page at /docs sends the key from its link, removes it from the address, and shows the response", async () => {
      const { page } = watched;
      expect(loadedUrl).toBe(`${bosun.origin}/docs`);
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
    });

    it("the page at /docs fits the width of a phone, is dark if the system is dark, and links to each operation", async () => {
      const { page } = watched;
      const operation = page.locator("#operations-Tools-getTool");
      await operation.locator(".opblock-summary-control").click();
      await operation.locator(".opblock-body").waitFor();
      // With this URL, Swagger UI opens the operation when the page is loaded.
      await expect.poll(() => page.url()).toBe(`${bosun.origin}/docs#/Tools/getTool`);
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect(width).toBeLessThanOrEqual(PHONE.viewport.width);
      const root = page.locator("html");
      expect(await root.getAttribute("class")).toContain("dark-mode");
      await page.emulateMedia({ colorScheme: "light" });
      await expect.poll(() => root.getAttribute("class")).not.toContain("dark-mode");
    });

    it("the page at /docs lists every operation of the OpenAPI document and filters them by tag", async () => {
      const { page } = watched;
      // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
      const document: any = await (await fetch(`${bosun.origin}/openapi.json`)).json();
      const operations = Object.values<object>(document.paths).flatMap((item) => Object.keys(item));
      expect(await page.locator(".opblock").count()).toBe(operations.length);
      expect(await page.title()).toBe("Bosun");
      await page.getByPlaceholder("Filter by tag").fill("Webhooks");
      await expect.poll(() => page.locator(".opblock-tag-section").count()).toBe(1);
    });
  },
);
