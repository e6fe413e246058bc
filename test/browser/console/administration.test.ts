import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT_KEY, type Bosun } from "../../../scripts/proof/bosun.ts";
import { call, startBundled } from "../../e2e/deployed/processes.ts";
import { hasChromium, launchChromium } from "../chromium.ts";
import { open, PATIENCE_MS, signIn } from "./session.ts";

describe.skipIf(!hasChromium("/console"))(
  "administration in the console in Chromium",
  { timeout: PATIENCE_MS },
  () => {
    let bosun: Bosun;
    let browser: Browser;

    beforeAll(async () => {
      [bosun, browser] = await Promise.all([startBundled(), launchChromium()]);
    }, PATIENCE_MS);

    afterAll(async () => {
      await browser.close();
      await bosun.stop();
    });

    it("a wrong key is rejected with the API's message, and the right one is not stored", async () => {
      const session = await open(browser, bosun);
      const { page, requests } = session;
      await page.getByLabel("API key").fill("bsn_wrong");
      await page.keyboard.press("Enter");
      const alert = page.getByRole("alert");
      await expect.poll(() => alert.textContent()).toMatch(/AUTHENTICATION_FAILED · request /);
      await signIn(session);
      const stored = await page.evaluate("JSON.stringify([{...localStorage}, document.cookie])");
      expect(stored).toBe('[{},""]');
      expect(requests.filter((url) => url.includes(ROOT_KEY))).toEqual([]);
    });

    it("revoking a key signs out everywhere within ten seconds", async () => {
      const created = await call(bosun, "POST", "/agents/keys", {
        name: "Short-lived",
        scopes: ["tasks:read"],
      });
      const session = await open(browser, bosun);
      const { page } = session;
      await signIn(session, created.key);
      await call(bosun, "DELETE", `/agents/keys/${created.id}`);
      await expect
        .poll(
          async () => {
            await page.reload();
            return page.getByLabel("API key").isVisible();
          },
          { timeout: 12_000, interval: 1_000 },
        )
        .toBe(true);
    });
  },
);
