import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { startBundled } from "../../e2e/deployed/processes.ts";
import { hasChromium, launchChromium, watch, type Watched } from "../chromium.ts";
import { createTask, expectStatus, openSignedIn, PATIENCE_MS, type Session } from "./session.ts";
import { startProxy, type Proxy } from "./proxy.ts";
import { createClaimed, registerWorkerAgent, type ClaimedTask } from "./worker.ts";

const WORKER = "harbour-worker";
/** What Chromium reports about a request that gets no response. */
const NO_RESPONSE = /net::ERR_/;

describe.skipIf(!hasChromium("/console"))(
  "the console in Chromium after it lost its connection",
  { timeout: PATIENCE_MS },
  () => {
    let bosun: Bosun;
    let proxy: Proxy;
    let browser: Browser;
    let session: Session;
    let context: BrowserContext;
    let others: readonly Watched[];
    let task: ClaimedTask;
    let title: string;
    let inbox: Page;
    let list: Page;
    let detail: Page;

    beforeAll(async () => {
      [bosun, browser] = await Promise.all([startBundled(), launchChromium()]);
      await registerWorkerAgent(bosun, WORKER);
      proxy = await startProxy(bosun.origin);
    }, PATIENCE_MS);

    afterAll(async () => {
      await browser.close();
      await proxy.cut();
      await bosun.stop();
    });

    beforeEach(async ({ task: test }) => {
      title = `Count the boats for ${test.id}`;
      task = await createClaimed(bosun, WORKER, { task: "Count the boats", title });
      session = await openSignedIn(browser, { ...bosun, origin: proxy.origin });
      inbox = session.page;
      context = inbox.context();
      const watchedList = await openView("/tasks");
      const watchedDetail = await openView(`/tasks/${task.taskId}`);
      others = [watchedList, watchedDetail];
      list = watchedList.page;
      detail = watchedDetail.page;
      for (const page of [inbox, list, detail]) {
        await stateOf(page).getByText("Live", { exact: true }).waitFor();
        await page.evaluate("window.isSamePage = true");
      }
      await detail.getByRole("main").getByText("Live", { exact: true }).waitFor();
      await rowOf(title).getByText("In progress", { exact: true }).waitFor();
    }, PATIENCE_MS);

    afterEach(async () => {
      for (const { page, complaints } of [session, ...others]) {
        expect(await page.evaluate("window.isSamePage")).toBe(true);
        expect(complaints.filter((text) => !NO_RESPONSE.test(text))).toEqual([]);
      }
      await context.close();
    });

    async function openView(path: string): Promise<Watched> {
      const watched = watch(await context.newPage());
      await watched.page.goto(`${proxy.origin}/console${path}`);
      return watched;
    }

    /** The part of the menu that shows whether the page is live. */
    function stateOf(page: Page) {
      return page.getByRole("complementary").getByRole("status");
    }

    function rowOf(name: string) {
      return list.getByRole("row").filter({ hasText: name });
    }

    async function countWaiting(): Promise<number> {
      const text = await inbox.getByText(/^\d+ waiting for you$/).textContent();
      return Number.parseInt(text ?? "", 10);
    }

    async function expectInterrupted(): Promise<void> {
      for (const page of [inbox, list, detail])
        await stateOf(page).getByText("Reconnecting …").waitFor();
      await detail.getByText("Reconnecting … Data may be out of date.").waitFor();
    }

    async function expectLive(): Promise<void> {
      for (const page of [inbox, list, detail])
        await stateOf(page).getByText("Live", { exact: true }).waitFor();
    }

    it("shows after an outage of the network what changed in the meantime, without reloading", async () => {
      const waiting = await countWaiting();
      await proxy.cut();
      await task.report({ type: "progress", progress: 20, phase: "pier 20" });
      await expectInterrupted();
      await task.report({ type: "progress", progress: 40, phase: "pier 40" });
      await task.report({ type: "blocked", question: "Which pier is next?" });
      await createTask(bosun, { task: "Count the ships", title: `New for ${title}` });
      expect(await detail.getByText("Which pier is next?").count()).toBe(0);
      expect(await countWaiting()).toBe(waiting);

      await proxy.restore();
      await expectLive();
      const log = detail.getByRole("region", { name: "Events" });
      for (const phase of ["pier 20", "pier 40"]) await log.getByText(phase).waitFor();
      await detail.getByRole("region", { name: "Status" }).getByText("Which pier").waitFor();
      await rowOf(title).getByText("Blocked", { exact: true }).waitFor();
      await list.getByRole("button", { name: "Update the list: 1 new" }).click();
      await rowOf(`New for ${title}`).waitFor();
      await expect.poll(countWaiting).toBe(waiting + 1);
      await inbox.getByText("Which pier is next?").waitFor();
    });

    it("shows without reloading what changed after the service restarted", async () => {
      const waiting = await countWaiting();
      await bosun.crash();
      await task.report({ type: "progress", progress: 60, phase: "pier 60" });
      await task.report({ type: "blocked", question: "Is the pier closed?" });
      await expectLive();
      await detail.getByRole("region", { name: "Status" }).getByText("Is the pier").waitFor();
      await rowOf(title).getByText("Blocked", { exact: true }).waitFor();
      await expect.poll(countWaiting).toBe(waiting + 1);
    });

    it("loads what a person opens without a connection as soon as there is one", async () => {
      await proxy.cut();
      await expectInterrupted();
      await inbox.getByRole("link", { name: "Webhooks" }).click();
      await inbox.getByText("Loading the view …").waitFor();
      await list.getByLabel("Priority").selectOption("urgent");
      await list.getByText("The service did not respond. Check your connection.").waitFor();

      await proxy.restore();
      await expectLive();
      await inbox.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
      await list.getByText("No tasks match the filters").waitFor();
    });

    it("sends nothing later that a person did without a connection", async () => {
      await task.report({ type: "blocked", question: "Which pier is next?" });
      const answer = detail.getByLabel("Answer");
      await answer.fill("Pier 7");
      await proxy.cut();
      // A browser that knows that it is offline must not keep the request for later either.
      await context.setOffline(true);
      await expectInterrupted();
      await answer.press("Control+Enter");
      const form = detail.locator("form").filter({ has: answer });
      await form.getByText("The service did not respond. Check your connection.").waitFor();
      await context.setOffline(false);
      await proxy.restore();
      await expectLive();
      expect(await answer.inputValue()).toBe("Pier 7");
      await expectStatus(bosun, task.taskId, "blocked");
    });
  },
);
