import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { call, startBundled } from "../../e2e/deployed/processes.ts";
import { hasChromium, launchChromium } from "../chromium.ts";
import {
  createTask,
  expectComplaints,
  expectNoProblems,
  expectStatus,
  openSignedIn,
  PATIENCE_MS,
  visit,
  visitView,
  type Session,
} from "./session.ts";

/** A first request and its two repetitions, which the cache of responses sends by itself. */
const ATTEMPTS = 3;

describe.skipIf(!hasChromium("/console"))(
  "lists and the board in the console in Chromium",
  { timeout: PATIENCE_MS },
  () => {
    let bosun: Bosun;
    let browser: Browser;
    let session: Session;

    beforeAll(async () => {
      [bosun, browser] = await Promise.all([startBundled(), launchChromium()]);
      session = await openSignedIn(browser, bosun);
    }, PATIENCE_MS);
    afterEach(() => expectNoProblems(session));
    afterAll(async () => {
      await browser.close();
      await bosun.stop();
    });

    async function createReviewed(title: string): Promise<string> {
      const context = { text: "Merchants paid for stone cellars.", requireReview: true };
      const { taskId } = await createTask(bosun, { task: "Summarise the harbour", title, context });
      await expectStatus(bosun, taskId, "review");
      return taskId;
    }

    it("a new card waits for an update, and approving on the board asks first", async () => {
      const { page } = session;
      const taskId = await createReviewed("First cellar");
      await visitView(session, "/tasks?view=board", "Tasks");
      const review = page.getByRole("region", { name: "review", exact: true });
      await review.getByText("First cellar").waitFor();
      const cards = review.getByRole("article");
      const place = await cards.first().boundingBox();
      await createReviewed("Second cellar");
      const update = review.getByRole("button", { name: "Update: 1 new" });
      await update.waitFor();
      expect(await cards.count()).toBe(1);
      expect(await cards.first().boundingBox()).toEqual(place);
      await update.click();
      await review.getByText("Second cellar").waitFor();

      await page.getByRole("button", { name: "Actions for First cellar" }).click();
      await page.getByRole("menuitem", { name: "Approve" }).click();
      await page.getByRole("button", { name: "Keep it in review" }).click();
      await expectStatus(bosun, taskId, "review");
      await page.getByRole("button", { name: "Actions for First cellar" }).click();
      await page.getByRole("menuitem", { name: "Approve" }).click();
      await page.getByRole("button", { name: "Approve the work" }).click();
      const completed = page.getByRole("region", { name: "completed", exact: true });
      await completed.getByText("First cellar").waitFor();
      await expect.poll(() => review.getByText("First cellar").count()).toBe(0);
      await expectStatus(bosun, taskId, "completed");
    });

    it("the error of an action stays on the board after its card has moved", async () => {
      const { page } = session;
      await visitView(session, "/tasks?view=board", "Tasks");
      const review = page.getByRole("region", { name: "review", exact: true });
      await review.getByText("Second cellar").waitFor();
      const taskId = await createReviewed("Third cellar");
      await review.getByRole("button", { name: "Update: 1 new" }).click();
      await page.getByRole("button", { name: "Actions for Third cellar" }).click();
      await page.getByRole("menuitem", { name: "Approve" }).click();
      await page.getByRole("button", { name: "Approve the work" }).waitFor();
      await call(bosun, "POST", `/agents/tasks/${taskId}/cancel`, {});
      await page.getByRole("button", { name: "Approve the work" }).click();
      const cancelled = page.getByRole("region", { name: "cancelled", exact: true });
      await cancelled.getByText("Third cellar").waitFor();
      const failure = page.getByRole("region", { name: "Third cellar", exact: true });
      await failure.getByRole("alert").waitFor();
      await failure.getByRole("button", { name: "Dismiss" }).click();
      await expect.poll(() => failure.count()).toBe(0);
      expectComplaints(session, ["409"]);
    });

    it("a page that fails is requested again only when the person retries", async () => {
      const { page } = session;
      await bosun.runSql(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
        INSERT INTO directory (id, seq, status, task, agent_id, agent_name, priority, attempt, created_at)
        SELECT printf('%064x', i), 9, 'failed', 'Task ' || i, 'data-analyst', 'Data analyst', 'medium', 1, i FROM n`);
      let requests = 0;
      await page.route(/\/agents\/tasks\?.*cursor=/, (route) => {
        requests += 1;
        return route.fulfill({ status: 503, body: "{}" });
      });
      await visitView(session, "/tasks?status=failed&agentId=data-analyst", "Tasks");
      const table = page.getByRole("table");
      await table.waitFor();
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      await expect.poll(() => requests, { timeout: 20_000 }).toBe(ATTEMPTS);
      // Neither another rendering nor a refresh of the list repeats the request.
      await page.getByRole("checkbox", { name: "Select Task 71", exact: true }).check();
      const pageRefetched = page.waitForResponse(/\/agents\/tasks\?(?!.*cursor=).*status=failed/);
      await createTask(bosun, { task: "Send an event" });
      await pageRefetched;
      const showMore = page.getByRole("button", { name: "Show more" });
      await showMore.waitFor();
      expect(requests).toBe(ATTEMPTS);
      expectComplaints(
        session,
        Array.from({ length: ATTEMPTS }, () => "503"),
      );
      await page.unroute(/\/agents\/tasks\?.*cursor=/);
      await showMore.click();
      await expect.poll(async () => Number(await table.getAttribute("aria-rowcount"))).toBe(100);
    });

    it("a view is saved, opened and deleted with the keyboard alone", async () => {
      const { page } = session;
      await visit(session, "/tasks?status=completed");
      const focused = page.locator("[role=menuitem]:focus");
      /** Opens the menu with the button that has the focus again after the menu was closed. */
      const openMenu = async (): Promise<void> => {
        await page.locator("button:focus", { hasText: "Saved views" }).waitFor();
        await page.keyboard.press("Enter");
        await focused.waitFor();
      };
      page.once("dialog", (dialog) => void dialog.accept("Done"));
      await page.getByRole("button", { name: "Saved views" }).focus();
      await openMenu();
      await page.keyboard.press("Enter");
      await visitView(session, "/tasks", "Tasks");
      await openMenu();
      expect(await focused.textContent()).toBe("Done");
      await page.keyboard.press("Enter");
      await page.waitForURL(/status=completed/);
      await openMenu();
      await page.keyboard.press("End");
      await expect.poll(() => focused.textContent()).toBe("Delete the view Done");
      await page.keyboard.press("Enter");
      await openMenu();
      expect(await page.getByRole("menuitem").allTextContents()).toEqual([
        "Save the current filters …",
      ]);
      await page.keyboard.press("Escape");
    });
  },
);
