import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { startBundled } from "../../e2e/deployed/processes.ts";
import { hasChromium, launchChromium } from "../chromium.ts";
import { expectNoProblems, openSignedIn, PATIENCE_MS, SETTINGS, visit } from "./session.ts";

const VIEWS = [
  "/",
  "/tasks",
  "/tasks?view=board",
  "/tools",
  "/tools/table-analyst",
  "/tools/import",
  "/access",
  "/agents",
  "/agents/data-analyst",
  "/usage",
  "/events",
  "/webhooks",
  "/keys",
  "/keys?show=sessions",
  "/setup",
];
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The views contain no frames, so axe's legacy mode finds the same violations in half the time. */
async function findViolations(page: Page) {
  const axe = new AxeBuilder({ page }).withTags(WCAG).setLegacyMode();
  return (await axe.analyze()).violations;
}

describe.skipIf(!hasChromium("/console"))(
  "the console's views in Chromium",
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

    it.each(SETTINGS)(
      "each view fits $width pixels and passes axe in both themes",
      async (setting) => {
        const session = await openSignedIn(browser, bosun, setting);
        const { page } = session;
        const problems: unknown[] = [];
        for (const view of VIEWS) {
          await visit(session, view);
          await page.getByRole("heading", { level: 1 }).waitFor();
          await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
          const scrollWidth = await page.evaluate("document.documentElement.scrollWidth");
          if (scrollWidth !== setting.width) problems.push({ view, scrollWidth });
          for (const theme of ["light", "dark"] as const) {
            await page.emulateMedia({ colorScheme: theme });
            await page.locator(`[data-theme="${theme}"]`).waitFor();
            for (const { id, nodes } of await findViolations(page))
              problems.push({
                view,
                theme,
                id,
                nodes: nodes.map(({ html }) => html.slice(0, 200)),
              });
          }
        }
        expect(problems).toEqual([]);
        await expectNoProblems(session);
      },
    );
  },
);
