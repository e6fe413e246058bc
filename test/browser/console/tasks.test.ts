import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { startBundled } from "../../e2e/deployed/processes.ts";
import { hasChromium, launchChromium } from "../chromium.ts";
import {
  createTask,
  expectNoProblems,
  HOSTILE,
  openSignedIn,
  PATIENCE_MS,
  SETTINGS,
  untilStatus,
  visit,
  visitView,
  type Session,
} from "./session.ts";
import { createClaimed, registerWorkerAgent } from "./worker.ts";

const WORKER = "harbour-worker";
const EVENT_SHOWN_MS_MAX = 1_000;

describe.skipIf(!hasChromium("/console"))(
  "tasks in the console in Chromium",
  { timeout: PATIENCE_MS },
  () => {
    let bosun: Bosun;
    let browser: Browser;

    beforeAll(async () => {
      [bosun, browser] = await Promise.all([startBundled(), launchChromium()]);
      await registerWorkerAgent(bosun, WORKER);
    }, PATIENCE_MS);

    afterAll(async () => {
      await browser.close();
      await bosun.stop();
    });

    describe.each(SETTINGS)("at $width px, $theme", (setting) => {
      let session: Session;

      beforeAll(async () => {
        session = await openSignedIn(browser, bosun, setting);
      }, PATIENCE_MS);
      afterEach(() => expectNoProblems(session));
      afterAll(() => session.page.context().close());

      it("a person answers a question with the keyboard alone, and sees it disappear", async () => {
        const { page } = session;
        const { taskId } = await createTask(bosun, {
          task: "Summarise the harbour",
          agentId: "data-analyst",
          context: { csv: "day,sold\n1,10\n2,14", askFirst: `Which year? ${HOSTILE}` },
        });
        await visitView(session, "/", "Inbox");
        await page.getByText("Which year?").waitFor();
        await page.keyboard.press("j");
        await page.keyboard.press("r");
        await page.keyboard.type("1702");
        await page.keyboard.press("Control+Enter");
        await page.getByText("Which year?").waitFor({ state: "detached" });
        await untilStatus(bosun, taskId, "completed");
      });

      it("a person approves work with the keyboard alone on the task's page", async () => {
        const { page } = session;
        const { taskId } = await createTask(bosun, {
          task: "Summarise the harbour",
          context: { text: "Merchants paid for stone cellars.", requireReview: true },
        });
        await untilStatus(bosun, taskId, "review");
        await visit(session, `/tasks/${taskId}`);
        await page.getByRole("button", { name: "Approve" }).waitFor();
        await page.keyboard.press("a");
        await page.getByText("Completed", { exact: true }).first().waitFor();
        await untilStatus(bosun, taskId, "completed");
      });

      it("a new task appears in the list without reloading", async () => {
        const { page } = session;
        const title = `Live at ${setting.width} ${HOSTILE}`;
        await visitView(session, "/tasks", "Tasks");
        await page.getByText(/^[\d,]+ tasks?$/).waitFor();
        const { taskId } = await createTask(bosun, { task: "Appear live", title });
        await untilStatus(bosun, taskId, "completed");
        await page.getByRole("button", { name: /Update the list: 1 new/ }).click();
        await page.getByRole("link", { name: `Live at ${setting.width} <img` }).waitFor();
      });

      it("a person watches a task live: each event is shown within a second", async () => {
        const { page } = session;
        const { taskId, report } = await createClaimed(bosun, WORKER, { task: "Count the boats" });
        await visit(session, `/tasks/${taskId}`);
        await page.getByText("Following live").waitFor();
        await page.evaluate("window.isSamePage = true");
        const delays: number[] = [];
        for (const progress of [20, 40, 60, 80]) {
          await report({ type: "progress", progress, phase: `pier ${progress}` });
          const respondedAt = performance.now();
          await page.getByText(`${progress} %: pier ${progress}`).waitFor();
          delays.push(performance.now() - respondedAt);
        }
        await report({ type: "completed", result: { summary: "There are 12 boats." } });
        const respondedAt = performance.now();
        const status = page.getByRole("region", { name: "Status" });
        await status.getByText("There are 12 boats.").waitFor();
        delays.push(performance.now() - respondedAt);
        await page.getByText("Completed", { exact: true }).first().waitFor();
        expect(await page.evaluate("window.isSamePage")).toBe(true);
        // A busy machine can delay a single event.
        expect(delays.toSorted((one, other) => one - other)[2]).toBeLessThan(EVENT_SHOWN_MS_MAX);
      });
    });
  },
);
