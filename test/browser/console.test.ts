import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bosun } from "../../scripts/proof/bosun.ts";
import { ROOT_KEY } from "../../scripts/proof/bosun.ts";
import { call, startBundled } from "../e2e/deployed/processes.ts";
import {
  findForeignRequests,
  hasChromium,
  launchChromium,
  watch,
  type Watched,
} from "./chromium.ts";

const PATIENCE_MS = 120_000;
const VIEWS = [
  "",
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
const HOSTILE = "<img src=x onerror=\"document.title='attacked'\"> \u202Etxet";

/** The views contain no frames, so axe's legacy mode finds the same violations in half the time. */
async function findViolations(page: Page) {
  const axe = new AxeBuilder({ page }).withTags(WCAG).setLegacyMode();
  return (await axe.analyze()).violations;
}

describe.skipIf(!hasChromium("/console"))(
  "the console in Chromium",
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

    async function open(options: BrowserContextOptions = {}): Promise<Watched> {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const watched = watch(page);
      await page.goto(`${bosun.origin}/console`);
      return watched;
    }

    async function signIn(page: Page, key = ROOT_KEY): Promise<void> {
      await page.getByLabel("API key").fill(key);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();
    }

    async function openSignedIn(options: BrowserContextOptions = {}): Promise<Watched> {
      const watched = await open(options);
      await signIn(watched.page);
      // The page asked who is signed in before anyone was.
      expect(watched.complaints.splice(0)).toEqual([expect.stringContaining("401")]);
      return watched;
    }

    function createTask(body: object): Promise<{ taskId: string }> {
      return call(bosun, "POST", "/agents/tasks", body);
    }

    async function untilStatus(taskId: string, status: string): Promise<void> {
      await expect
        .poll(async () => (await call(bosun, "GET", `/agents/tasks/${taskId}`)).status, {
          timeout: 20_000,
        })
        .toBe(status);
    }

    it("a wrong key is rejected with the API's message, and the right one is not stored", async () => {
      const { page, requests } = await open();
      await page.getByLabel("API key").fill("bsn_wrong");
      await page.keyboard.press("Enter");
      const alert = page.getByRole("alert");
      await expect.poll(() => alert.textContent()).toMatch(/AUTHENTICATION_FAILED · request /);
      await signIn(page);
      const stored = await page.evaluate("JSON.stringify([{...localStorage}, document.cookie])");
      expect(stored).toBe('[{},""]');
      expect(requests.filter((url) => url.includes(ROOT_KEY))).toEqual([]);
    });

    it("a person answers a question with the keyboard alone, and sees it disappear", async () => {
      const { taskId } = await createTask({
        task: "Summarise the harbour",
        agentId: "data-analyst",
        context: { csv: "day,sold\n1,10\n2,14", askFirst: `Which year? ${HOSTILE}` },
      });
      await untilStatus(taskId, "blocked");
      const { page, complaints } = await openSignedIn();
      await page.getByText("Which year?").waitFor();
      await page.keyboard.press("j");
      await page.keyboard.press("r");
      await page.keyboard.type("1702");
      await page.keyboard.press("Control+Enter");
      await page.getByText("Which year?").waitFor({ state: "detached" });
      await untilStatus(taskId, "completed");
      expect(await page.title()).toBe("Bosun");
      expect(complaints).toEqual([]);
    });

    it("a person approves work with the keyboard alone on the task's page", async () => {
      const { taskId } = await createTask({
        task: "Summarise the harbour",
        context: { text: "Merchants paid for stone cellars.", requireReview: true },
      });
      await untilStatus(taskId, "review");
      const { page, complaints } = await openSignedIn();
      await page.goto(`${bosun.origin}/console/tasks/${taskId}`);
      await page.getByRole("button", { name: "Approve" }).waitFor();
      await page.keyboard.press("a");
      await page.getByText("Completed", { exact: true }).first().waitFor();
      await untilStatus(taskId, "completed");
      expect(complaints).toEqual([]);
    });

    it("a new task appears in the list without reloading", async () => {
      const { page, complaints } = await openSignedIn();
      await page.getByRole("link", { name: "Tasks", exact: true }).click();
      await page.getByRole("heading", { name: "Tasks", level: 1 }).waitFor();
      const { taskId } = await createTask({ task: "Appear live", title: `Live ${HOSTILE}` });
      await untilStatus(taskId, "completed");
      await page.getByRole("button", { name: /Update the list: 1 new/ }).click();
      await page.getByRole("link", { name: "Live <img" }).waitFor();
      expect(await page.title()).toBe("Bosun");
      expect(complaints).toEqual([]);
    });

    it("revoking a key signs out everywhere within ten seconds", async () => {
      const created = await call(bosun, "POST", "/agents/keys", {
        name: "Short-lived",
        scopes: ["tasks:read"],
      });
      const { page } = await open();
      await signIn(page, created.key);
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

    it.each([1280, 360])(
      "each view fits %i pixels, passes axe in both themes, and requests nothing from other origins",
      async (width) => {
        const watched = await openSignedIn({ viewport: { width, height: 800 } });
        const { page } = watched;
        const problems: unknown[] = [];
        for (const view of VIEWS) {
          await page.goto(`${bosun.origin}/console${view}`);
          await page.getByRole("heading", { level: 1 }).waitFor();
          await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
          const scrollWidth = await page.evaluate("document.documentElement.scrollWidth");
          if (scrollWidth !== width) problems.push({ view, scrollWidth });
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
        expect(findForeignRequests(watched, bosun.origin)).toEqual([]);
        expect(watched.complaints).toEqual([]);
      },
    );
  },
);
