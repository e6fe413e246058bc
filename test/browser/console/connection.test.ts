import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { startBundled } from "../../e2e/deployed/processes.ts";
import { hasChromium, launchChromium, watch, type Watched } from "../chromium.ts";
import {
  createTask,
  expectStatus,
  openSignedIn,
  PATIENCE_MS,
  visitView,
  type Session,
} from "./session.ts";
import { startProxy, type Proxy } from "./proxy.ts";
import { createClaimed, registerWorkerAgent, type ClaimedTask } from "./worker.ts";

const WORKER = "harbour-worker";
/** Chromium's report of a request without a response. */
const NO_RESPONSE = /net::ERR_/;
/** The console's message for a request without a response. */
const NO_CONNECTION = "The service did not respond. Check your connection.";
const SOON = { timeout: 20_000 };
/** How long after its start the console loads its views in advance. */
const LOAD_VIEWS_AFTER_MS = 1_500;

describe.skipIf(!hasChromium("/console"))(
  "the console in Chromium after it lost its connection",
  { timeout: PATIENCE_MS },
  () => {
    let bosun: Bosun;
    let proxy: Proxy;
    let browser: Browser;
    /** Shows the inbox. */
    let session: Session;
    let inbox: Page;
    /** The other pages of a test. */
    let others: Watched[];
    let task: ClaimedTask;
    let title: string;

    beforeAll(async () => {
      [bosun, browser] = await Promise.all([startBundled(), launchChromium()]);
      await registerWorkerAgent(bosun, WORKER);
      proxy = await startProxy(bosun.origin);
      session = await openSignedIn(browser, { ...bosun, origin: proxy.origin });
      inbox = session.page;
      await inbox.evaluate("window.isSamePage = true");
    }, PATIENCE_MS);

    afterAll(async () => {
      await browser.close();
      await proxy.cut();
      await bosun.stop();
    });

    beforeEach(async ({ task: test }) => {
      others = [];
      title = `Count the boats for ${test.id}`;
      task = await createClaimed(bosun, WORKER, { task: "Count the boats", title });
      await visitView(session, "/", "Inbox");
      await expectState(inbox, "Live");
    }, PATIENCE_MS);

    afterEach(async () => {
      for (const { page, complaints } of [session, ...others]) {
        expect(await page.evaluate("window.isSamePage")).toBe(true);
        expect(complaints.splice(0).filter((text) => !NO_RESPONSE.test(text))).toEqual([]);
      }
      for (const { page } of others) await page.close();
    });

    async function openView(path: string, context = inbox.context()): Promise<Page> {
      const watched = watch(await context.newPage());
      others.push(watched);
      const { page } = watched;
      await page.goto(`${proxy.origin}/console${path}`);
      await expectState(page, "Live");
      await page.evaluate("window.isSamePage = true");
      return page;
    }

    async function openList(): Promise<Page> {
      const list = await openView("/tasks");
      await rowOf(list, title).getByText("In progress", { exact: true }).waitFor();
      return list;
    }

    async function openDetail(): Promise<Page> {
      const detail = await openView(`/tasks/${task.taskId}`);
      await detail.getByRole("main").getByText("Live", { exact: true }).waitFor();
      return detail;
    }

    function rowOf(list: Page, name: string): Locator {
      return list.getByRole("row").filter({ hasText: name });
    }

    async function countWaiting(): Promise<number> {
      const text = await inbox.getByText(/^\d+ waiting for you$/).textContent();
      return Number.parseInt(text ?? "", 10);
    }

    it("the console shows the changes during a network outage when it reconnects, without reloading", async () => {
      const [list, detail] = [await openList(), await openDetail()];
      const waiting = await countWaiting();
      await proxy.cut();
      await task.report({ type: "progress", progress: 20, phase: "pier 20" });
      for (const page of [inbox, list, detail]) await expectState(page, "Reconnecting …");
      await detail.getByText("Reconnecting … Data may be out of date.").waitFor();
      await task.report({ type: "progress", progress: 40, phase: "pier 40" });
      await task.report({ type: "blocked", question: "Which pier is next?" });
      await createTask(bosun, { task: "Count the ships", title: `New for ${title}` });
      expect(await detail.getByText("Which pier is next?").count()).toBe(0);
      expect(await countWaiting()).toBe(waiting);

      await proxy.restore();
      for (const page of [inbox, list, detail]) await expectState(page, "Live");
      const log = detail.getByRole("region", { name: "Events" });
      for (const phase of ["pier 20", "pier 40"]) await log.getByText(phase).waitFor();
      await detail.getByRole("region", { name: "Status" }).getByText("Which pier").waitFor();
      await rowOf(list, title).getByText("Blocked", { exact: true }).waitFor();
      await list.getByRole("button", { name: "Update the list: 1 new" }).click();
      await rowOf(list, `New for ${title}`).waitFor();
      await expect.poll(countWaiting, SOON).toBe(waiting + 1);
      await inbox.getByText("Which pier is next?").waitFor();
    });

    it("the console shows changes after a restart of the service, without reloading", async () => {
      const [list, detail] = [await openList(), await openDetail()];
      const waiting = await countWaiting();
      await bosun.crash();
      await task.report({ type: "progress", progress: 60, phase: "pier 60" });
      await task.report({ type: "blocked", question: "Is the pier closed?" });
      for (const page of [inbox, list, detail]) await expectState(page, "Live");
      await detail.getByRole("region", { name: "Status" }).getByText("Is the pier").waitFor();
      await rowOf(list, title).getByText("Blocked", { exact: true }).waitFor();
      await expect.poll(countWaiting, SOON).toBe(waiting + 1);
    });

    it("a view that is opened without a connection loads when the connection is restored", async () => {
      const list = await openList();
      // A browser without a cache, which has loaded no other view.
      const storageState = await inbox.context().storageState();
      const context = await browser.newContext({ storageState });
      await context.addInitScript(DO_NOT_LOAD_VIEWS);
      const keys = await openView("/keys", context);
      await proxy.cut();
      for (const page of [inbox, list, keys]) await expectState(page, "Reconnecting …");
      await keys.getByRole("link", { name: "Webhooks" }).click();
      await keys.getByText("Loading the view …").waitFor();
      await inbox.getByRole("link", { name: "Webhooks" }).click();
      await inbox.getByText(NO_CONNECTION).waitFor();
      await list.getByLabel("Priority").selectOption("urgent");
      await list.getByText(NO_CONNECTION).waitFor();

      await proxy.restore();
      for (const page of [inbox, list, keys]) await expectState(page, "Live");
      for (const page of [inbox, keys]) await page.getByText("No webhooks yet").waitFor();
      await list.getByText("No tasks match the filters").waitFor();
    });

    it("an action without a connection fails, and is not sent later", async () => {
      const detail = await openDetail();
      const context = detail.context();
      await task.report({ type: "blocked", question: "Which pier is next?" });
      const answer = detail.getByLabel("Answer");
      await answer.fill("Pier 7");
      await proxy.cut();
      // A browser that detects that it is offline must not queue the request either.
      await context.setOffline(true);
      await expectState(detail, "Reconnecting …");
      await answer.press("Control+Enter");
      const form = detail.locator("form").filter({ has: answer });
      await form.getByText(NO_CONNECTION).waitFor();
      await context.setOffline(false);
      await proxy.restore();
      await expectState(detail, "Live");
      expect(await answer.inputValue()).toBe("Pier 7");
      await expectStatus(bosun, task.taskId, "blocked");
    });
  },
);

/** Prevents a page from loading all views in advance, as if the connection had been lost before. */
const DO_NOT_LOAD_VIEWS = `
  const { setTimeout } = window;
  window.setTimeout = (run, ms, ...values) => ms === ${LOAD_VIEWS_AFTER_MS} ? 0 : setTimeout(run, ms, ...values);
`;

/** Expects that the menu shows this state of the connection. */
function expectState(page: Page, text: string): Promise<void> {
  const menu = page.getByRole("complementary");
  return menu.getByRole("status").getByText(text, { exact: true }).waitFor();
}
