import { AxeBuilder } from "@axe-core/playwright";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { call, startBundled } from "../../e2e/deployed/processes.ts";
import { hasChromium, launchChromium } from "../chromium.ts";
import { startExternalSystem, type ExternalSystem } from "./external-system.ts";
import {
  createTask,
  expectComplaints,
  expectFits,
  expectNoProblems,
  openSignedIn,
  PATIENCE_MS,
  NARROW,
  WIDE,
  visit,
  visitView,
  type Session,
} from "./session.ts";
import { blockOnApproval, requireApproval } from "./stored-calls.ts";
import { createClaimed, registerWorkerAgent } from "./worker.ts";

const WORKER = "harbour-worker";
/** An agent that has no worker. */
const OFFLINE = "night-shift";
const TOOL = "tides";

interface View {
  readonly path: string;
  /** The button that opens a dialog. Axe checks the page behind it only in part. */
  readonly opens?: string;
  /** The keys that open a dialog. */
  readonly presses?: string;
  /** The only width at which the view is checked, which saves time. By default, each width. */
  readonly width?: number;
}

const VIEWS: readonly View[] = [
  { path: "/" },
  { path: "/", opens: "Open the menu", width: NARROW.width },
  { path: "/", presses: "Control+k" },
  { path: "/", presses: "?", width: NARROW.width },
  { path: "/tasks" },
  { path: "/tasks", opens: "Create a task" },
  { path: "/tasks?view=board" },
  { path: "/tools" },
  { path: "/tools/table-analyst" },
  { path: "/tools/import" },
  { path: "/access" },
  { path: "/access?view=why&agentId=data-analyst&toolId=table-analyst", width: NARROW.width },
  { path: "/policies" },
  { path: "/policies", opens: "Create a policy" },
  { path: "/agents" },
  { path: "/agents", opens: "Register an agent", width: NARROW.width },
  { path: "/agents?show=teams", width: NARROW.width },
  { path: "/agents?show=teams", opens: "Create a team", width: NARROW.width },
  { path: "/agents/data-analyst" },
  { path: "/usage" },
  { path: "/events" },
  { path: "/webhooks" },
  { path: "/webhooks", opens: "Create a webhook", width: NARROW.width },
  { path: "/limits" },
  { path: "/limits", opens: "Create a limit" },
  { path: "/keys" },
  { path: "/keys", opens: "Create a key" },
  { path: "/keys?show=sessions" },
  { path: "/audit" },
  { path: "/audit?subjectType=tool", width: NARROW.width },
  { path: "/setup" },
  { path: `/tools/${TOOL}?tab=try` },
  { path: `/tools/${TOOL}?tab=credentials` },
  { path: `/tools/${TOOL}?tab=settings`, width: NARROW.width },
  { path: "/tools/table-analyst?tab=usage" },
];

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** The rules whose result depends on the theme. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

type RunOnly = { readonly type: "tag" | "rule"; readonly values: readonly string[] };

/** What `find` reports about the page. The page must contain axe. */
async function findViolations({ page }: Session, runOnly: RunOnly) {
  const options = JSON.stringify({ runOnly, resultTypes: ["violations"] });
  const violations: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, nodes }) => ({ id, html: nodes.map(({ html }) => html) }));
}

/** The paths of a task in each status that waits or has ended, and of a webhook with deliveries. */
async function createItems(bosun: Bosun, receiver: string): Promise<readonly View[]> {
  const openapi = {
    openapi: "3.1.0",
    info: { title: "Tides", version: "1" },
    servers: [{ url: "https://tides.example.com" }],
    components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
    security: [{ key: [] }],
    paths: {
      "/tides": {
        get: {
          operationId: "list-tides",
          parameters: [
            { name: "day", in: "query", schema: { type: "string", format: "date" } },
            { name: "hours", in: "query", schema: { type: "array", items: { type: "integer" } } },
            { name: "kind", in: "query", schema: { enum: ["low", "high"] } },
          ],
          responses: { "200": { description: "The tides." } },
        },
      },
    },
  };
  const document = JSON.stringify(openapi);
  await call(bosun, "POST", "/agents/tools/import", { id: TOOL, openapi: { document } });
  const credentials = { type: "api-key", value: "secret" };
  await call(bosun, "PUT", `/agents/tools/${TOOL}/credentials`, credentials);
  const { id } = await call(bosun, "POST", "/agents/webhooks", { url: `${receiver}/hook` });
  for (const [scope, limit] of [
    [{ all: true }, 5],
    [{ toolId: "table-analyst" }, 0.001],
  ] as const) {
    const rule = { name: "Spending", scope, measure: "usd", per: "day", enabled: limit === 5 };
    await call(bosun, "PUT", `/agents/limits/spending-${limit}`, { ...rule, limit });
  }
  await registerWorkerAgent(bosun, WORKER);
  await registerWorkerAgent(bosun, OFFLINE);
  const views: View[] = [{ path: `/webhooks/${id}` }, { path: `/agents/${OFFLINE}` }];
  const result = { summary: "There are **12** boats.", insights: ["Most are red."] };
  for (const report of [
    { type: "blocked", question: "Which pier?" },
    { type: "completed", result },
    { type: "failed", error: { message: "The pier is closed." } },
  ]) {
    const task = await createClaimed(bosun, WORKER, { task: "Count the boats at the pier" });
    await task.report({ type: "progress", progress: 50, phase: "pier 1" });
    await task.report(report);
    views.push({ path: `/tasks/${task.taskId}` });
  }
  const reviewed = await createClaimed(bosun, WORKER, {
    task: "Count the boats",
    context: { requireReview: true },
  });
  await reviewed.report({ type: "completed", result });
  views.push({ path: `/tasks/${reviewed.taskId}` });
  await requireApproval(bosun);
  const { taskId: waitingId, approvalId } = await blockOnApproval(bosun, "asker");
  views.push({ path: `/tasks/${waitingId}` }, { path: `/approvals/${approvalId}` });
  // It is completed while the first views are checked.
  const { taskId } = await createTask(bosun, {
    task: "Summarise the sales",
    agentId: "data-analyst",
    context: { csv: "day,sold\n1,10\n2,14" },
  });
  for (const tab of ["calls", "deliverables", "feedback", "raw"])
    views.push({ path: `/tasks/${taskId}?tab=${tab}`, width: NARROW.width });
  views.push({ path: `/tasks/${reviewed.taskId}`, opens: "Edit", width: NARROW.width });
  return views;
}

describe.skipIf(!hasChromium("/console"))(
  "the console's views in Chromium",
  { timeout: PATIENCE_MS },
  () => {
    let bosun: Bosun;
    let browser: Browser;
    let system: ExternalSystem;
    let items: readonly View[];

    beforeAll(async () => {
      [bosun, browser, system] = await Promise.all([
        startBundled({ ALLOW_PRIVATE_EGRESS: "true" }),
        launchChromium(),
        startExternalSystem(),
      ]);
      items = await createItems(bosun, system.origin);
    }, PATIENCE_MS);

    afterAll(async () => {
      await browser.close();
      await bosun.stop();
      await system.close();
    });

    it("a form keeps what was entered until the person discards it, and gives the focus back", async () => {
      const session = await openSignedIn(browser, bosun);
      const { page } = session;
      await visitView(session, "/tasks", "Tasks");
      const opener = page.getByRole("button", { name: "Create a task" });
      const dialog = page.getByRole("dialog");
      const field = dialog.getByLabel("What should be done?");
      const focused = () => page.evaluate("document.activeElement.textContent");
      const questions: string[] = [];
      let discards = false;
      page.on("dialog", async (question) => {
        questions.push(question.message());
        await (discards ? question.accept() : question.dismiss());
      });

      await opener.click();
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await expect.poll(focused).toBe("Create a task");
      await opener.click();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await opener.click();
      await page.mouse.click(5, 5);
      await dialog.waitFor({ state: "detached" });
      expect(questions).toEqual([]);

      await opener.click();
      await field.fill("Count the boats");
      await field.hover();
      await page.mouse.down();
      await page.mouse.move(5, 5);
      await page.mouse.up();
      expect(questions).toEqual([]);
      for (const attempts of [1, 2, 3]) {
        await page.keyboard.press("Escape");
        await expect.poll(() => questions.length).toBe(attempts);
      }
      await page.mouse.click(5, 5);
      await dialog.getByRole("button", { name: "Close" }).click();
      expect(await field.inputValue()).toBe("Count the boats");
      discards = true;
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await expect.poll(focused).toBe("Create a task");
      expect(new Set(questions)).toEqual(new Set(["Discard what you have entered?"]));
      expect(questions).toHaveLength(6);
      await expectNoProblems(session);
      await page.context().close();
    });

    it("a key that is shown once stays until the person closes it", async () => {
      const session = await openSignedIn(browser, bosun);
      const { page } = session;
      await visitView(session, "/keys", "Keys and sessions");
      await page.getByRole("button", { name: "Create a key" }).click();
      await page.getByLabel("Name").fill("Shown once");
      await page.getByRole("checkbox", { name: "tasks:read" }).check();
      await page.getByRole("button", { name: "Create", exact: true }).click();
      const key = page.getByRole("group", { name: "The key" });
      await key.waitFor();
      for (let press = 0; press < 3; press += 1) await page.keyboard.press("Escape");
      await page.mouse.click(5, 5);
      expect(await page.getByRole("button", { name: "Close" }).count()).toBe(0);
      expect(await key.isVisible()).toBe(true);
      await page.getByRole("button", { name: "Done" }).click();
      await key.waitFor({ state: "detached" });
      await expectNoProblems(session);
      await page.context().close();
    });

    it("the error of a submitted form is shown in the visible part of the dialog, and an invalid field gets the focus", async () => {
      const session = await openSignedIn(browser, bosun);
      const { page } = session;
      const dialog = page.getByRole("dialog");
      const isInView = (): Promise<boolean> =>
        page.evaluate(`(() => {
          const { top, bottom } = document.querySelector("dialog [role=alert]").getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        })()`);
      await visitView(session, "/agents", "Agents and teams");
      // The checkboxes of the teams appear after the error, above it.
      const loaded = Promise.withResolvers<void>();
      await page.route("**/agents/teams?*", async (route) => {
        await loaded.promise;
        await route.continue();
      });
      await page.getByRole("button", { name: "Register an agent" }).click();
      await dialog.getByLabel("Id").fill("researcher");
      await dialog.getByLabel("Name").fill("Second");
      await dialog.getByRole("button", { name: "Register" }).click();
      await dialog.getByRole("alert").waitFor();
      await expect.poll(isInView).toBe(true);
      loaded.resolve();
      await dialog.getByRole("group", { name: "Teams" }).waitFor();
      await expect.poll(isInView).toBe(true);
      expectComplaints(session, ["409"]);

      await visitView(session, "/tasks", "Tasks");
      await page.getByRole("button", { name: "Create a task" }).click();
      await dialog.getByLabel("What should be done?").fill("x");
      await dialog.getByText("Context, labels and budget").click();
      await dialog.getByLabel("Labels").fill("no colon");
      await dialog.getByText("Context, labels and budget").click();
      await dialog.getByRole("button", { name: "Create the task" }).click();
      await expect.poll(() => page.evaluate("document.activeElement.ariaInvalid")).toBe("true");
      await dialog.getByText("Write one label per line, as key:value.").waitFor();

      // A field in closed details that the browser itself rejects.
      await dialog.getByLabel("Labels").fill("");
      await dialog.getByLabel("Maximum tool calls").fill("2.5");
      await dialog.getByText("Context, labels and budget").click();
      await dialog.getByRole("button", { name: "Create the task" }).click();
      await expect.poll(() => page.evaluate("document.activeElement.value")).toBe("2.5");
      await expectNoProblems(session);
      await page.context().close();
    });

    it("a person changes the theme and signs out on a phone", async () => {
      const session = await openSignedIn(browser, bosun, NARROW);
      const { page } = session;
      await page.getByRole("button", { name: "Open the menu" }).click();
      const menu = page.getByRole("dialog", { name: "Menu" });
      await menu.getByRole("button", { name: "Light" }).click();
      await page.locator('[data-theme="light"]').waitFor();
      expect(await menu.getByRole("button", { name: "Light", pressed: true }).count()).toBe(1);
      await expectFits(session);
      await menu.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("API key").waitFor();
      expect(session.complaints.filter((text) => !text.includes("401"))).toEqual([]);
      await page.context().close();
    });

    it.each([WIDE, NARROW])(
      "each view fits $width pixels and passes axe in both themes",
      async (setting) => {
        const session = await openSignedIn(browser, bosun, setting);
        const { page } = session;
        // Loads axe into the page, which is then not loaded again. In legacy mode, axe does not look into frames.
        await new AxeBuilder({ page }).setLegacyMode().analyze();
        const problems: unknown[] = [];
        const views = [...VIEWS, ...items].filter(
          ({ width = setting.width }) => width === setting.width,
        );
        for (const { path, opens, presses } of views) {
          await visit(session, path);
          await page.getByRole("heading", { level: 1 }).waitFor();
          await expect.poll(() => page.getByText(/^(?:Loading|Connecting) /).count()).toBe(0);
          const opensDialog = opens !== undefined || presses !== undefined;
          if (opens !== undefined) await page.getByRole("button", { name: opens }).click();
          if (presses !== undefined) await page.keyboard.press(presses);
          if (opensDialog) await page.getByRole("dialog").getByRole("heading").first().waitFor();
          const scrollWidth = await page.evaluate("document.documentElement.scrollWidth");
          if (scrollWidth !== setting.width) problems.push({ path, opens, scrollWidth });
          const [theme, otherTheme] =
            setting.theme === "light" ? (["light", "dark"] as const) : (["dark", "light"] as const);
          const found = await findViolations(session, { type: "tag", values: WCAG });
          for (const violation of found) problems.push({ path, opens, theme, ...violation });
          await page.emulateMedia({ colorScheme: otherTheme });
          await page.locator(`[data-theme="${otherTheme}"]`).waitFor();
          const inOther = await findViolations(session, { type: "rule", values: COLOR_RULES });
          for (const violation of inOther)
            problems.push({ path, opens, theme: otherTheme, ...violation });
          await page.emulateMedia({ colorScheme: theme });
          if (opensDialog) {
            await page.keyboard.press("Escape");
            // A closed dialog has no role, but the view removes it a little later.
            await page.locator("dialog").waitFor({ state: "detached" });
          }
        }
        expect(problems).toEqual([]);
        await expectNoProblems(session);
      },
    );
  },
);
