import { AxeBuilder } from "@axe-core/playwright";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { call, registerWorkerAgent, startBundled } from "../../e2e/deployed/processes.ts";
import { hasChromium, launchChromium } from "../chromium.ts";
import {
  expectComplaints,
  expectFits,
  expectNoProblems,
  HOSTILE,
  NARROW,
  openSignedIn,
  PATIENCE_MS,
  visitView,
  WIDE,
} from "./session.ts";

describe.skipIf(!hasChromium("/console"))(
  "the policies in the console in Chromium",
  { timeout: PATIENCE_MS },
  () => {
    let bosun: Bosun;
    let browser: Browser;

    beforeAll(async () => {
      [bosun, browser] = await Promise.all([startBundled({}), launchChromium()]);
    }, PATIENCE_MS);

    afterAll(async () => {
      await browser.close();
      await bosun.stop();
    });

    it.each([WIDE, NARROW])(
      "a person creates a policy with a condition, changes it and deletes it ($name)",
      async (setting) => {
        const session = await openSignedIn(browser, bosun, setting);
        const { page } = session;
        const id = `long-${setting.name}`;
        await visitView(session, "/policies", "Policies");
        await page.getByText("No policies yet").waitFor();
        await page.keyboard.press("n");
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("Id", { exact: true }).fill(id);
        await dialog.getByLabel("Name").fill(HOSTILE);
        await dialog.getByLabel("Tools and capabilities").fill("text-analyst/summarise");
        await dialog.getByLabel("Reason").fill("An editor looks at long summaries.");
        await dialog.getByLabel("Applies to").selectOption("all");
        const first = dialog.getByRole("group", { name: "Comparison 1" });
        await first.getByLabel("Operator").selectOption("gt");
        await first.getByLabel("Value").fill("3");
        await dialog.getByRole("button", { name: "Create" }).click();
        await dialog.getByText("Enter a field, such as parameters.amount.").waitFor();
        await first.getByLabel("Field").fill("parameters.length");
        await dialog.getByRole("button", { name: "Create" }).click();
        // The API knows which parameters the covered capabilities have.
        await dialog.getByRole("alert").waitFor();
        expectComplaints(session, ["400"]);
        await first.getByLabel("Field").fill("parameters.sentences");
        await dialog.getByRole("button", { name: "Add a comparison" }).click();
        const second = dialog.getByRole("group", { name: "Comparison 2" });
        await second.getByLabel("Field").fill("agentId");
        await second.getByLabel("Value").fill("researcher");
        await second.getByLabel("Not").check();
        await dialog.getByLabel("Keys that must approve").selectOption("2");
        await dialog.getByLabel("Expires after").fill("2h");
        await expectFits(session);
        const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
        expect(violations.map((violation) => violation.id)).toEqual([]);
        await dialog.getByRole("button", { name: "Create" }).click();
        await dialog.waitFor({ state: "detached" });
        expect(await call(bosun, "GET", `/agents/policies/${id}`)).toMatchObject({
          name: HOSTILE,
          effect: "ask",
          tools: ["text-analyst/summarise"],
          when: {
            and: [
              { "parameters.sentences": { gt: 3 } },
              { not: { agentId: { eq: "researcher" } } },
            ],
          },
          approvals: 2,
          expiresAfter: "2h",
        });

        const item = page.getByRole("list", { name: "Policies" }).getByRole("listitem");
        await item.getByText("Ask people").waitFor();
        expect(await item.innerText()).toContain("Two approvals");
        await item.getByRole("button", { name: "Edit" }).click();
        expect(new URL(page.url()).search).toBe(`?policy=${id}`);
        await dialog.getByLabel("Applies to").selectOption("json");
        const json = dialog.getByLabel("Condition as JSON");
        expect(await json.inputValue()).toContain('"not"');
        const nested = { or: [{ and: [{ "parameters.sentences": { gt: 3 } }] }] };
        await json.fill(JSON.stringify(nested));
        await dialog.getByLabel("Applies to").selectOption("any");
        await dialog.getByText("The form cannot represent this condition.").waitFor();
        await dialog.getByLabel("Effect").selectOption("deny");
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.waitFor({ state: "detached" });
        await item.getByText("Deny", { exact: true }).waitFor();
        expect(await call(bosun, "GET", `/agents/policies/${id}`)).toMatchObject({
          effect: "deny",
          when: nested,
        });
        await expectFits(session);

        await item.getByRole("button", { name: "Delete" }).click();
        await dialog.getByRole("button", { name: "Delete" }).click();
        await page.getByText("No policies yet").waitFor();
        await expectNoProblems(session);
        await page.context().close();
      },
    );

    it("the access view says that a granted call requires approval, and links to the policy", async () => {
      const toolId = "text-analyst";
      await call(bosun, "POST", "/agents", { id: "writer", executor: { type: "worker" } });
      await call(bosun, "POST", "/agents/tools/access", { agentId: "writer", toolId });
      await call(bosun, "POST", "/agents/policies", {
        id: "asks",
        name: "An editor looks",
        effect: "ask",
        tools: [`${toolId}/summarise`],
        agents: ["writer"],
        reason: "Texts are published.",
      });
      const session = await openSignedIn(browser, bosun, NARROW);
      const { page } = session;
      const question = `view=why&agentId=writer&toolId=${toolId}&capability=summarise`;
      await visitView(session, `/access?${question}`, "Access");
      await page.getByText("Requires approval").waitFor();
      await expectFits(session);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id }) => id)).toEqual([]);
      await page.getByRole("link", { name: "An editor looks" }).click();
      await page.getByRole("dialog", { name: "Edit the policy" }).waitFor();
      await expectNoProblems(session);
      await page.context().close();
      await call(bosun, "DELETE", "/agents/policies/asks");
    });

    it.each([WIDE, NARROW])(
      "the test of a policy lists the recorded calls that it would deny or send for approval ($name)",
      async (setting) => {
        const { name } = setting;
        const agentId = `tested-${name}`;
        const toolId = "text-analyst";
        await registerWorkerAgent(bosun, agentId);
        await call(bosun, "POST", "/agents/tools/access", { agentId, toolId });
        await call(bosun, "POST", "/agents/tasks", { task: "Summarise", agentId });
        const claim = { agentId, waitSeconds: 10, leaseSeconds: 600 };
        const { tasks } = await call(bosun, "POST", "/agents/tasks/claim", claim);
        for (const sentences of [1, 5, 9]) {
          const parameters = { text: "Wharves burn. Stone does not.", sentences };
          const body = { capability: "summarise", parameters, taskId: tasks[0].taskId };
          await call(bosun, "POST", `/agents/tools/${toolId}/invoke`, body);
        }
        const session = await openSignedIn(browser, bosun, setting);
        const { page } = session;
        await visitView(session, "/policies", "Policies");
        await page.getByRole("button", { name: "Create a policy" }).click();
        const dialog = page.getByRole("dialog");
        const run = dialog.getByRole("button", { name: "Run the test" });
        await dialog.getByLabel("Tools and capabilities").fill("text-analyst/nothing");
        await run.click();
        await dialog.getByRole("alert").waitFor();
        expectComplaints(session, ["400"]);
        await dialog.getByLabel("Tools and capabilities").fill("text-analyst/summarise");
        expect(await dialog.getByRole("alert").count()).toBe(0);
        await dialog.getByLabel("Agents").fill(agentId);
        await dialog.getByLabel("Applies to").selectOption("all");
        const first = dialog.getByRole("group", { name: "Comparison 1" });
        await first.getByLabel("Operator").selectOption("gt");
        await first.getByLabel("Value").fill("3");
        await run.click();
        await dialog.getByText("Enter a field, such as parameters.amount.").waitFor();
        await first.getByLabel("Field").fill("parameters.sentences");
        await dialog.getByLabel("Period").selectOption("The last hour");
        await run.click();
        await dialog
          .getByText(/^Of \d+ recorded calls in \d+ tasks?, 0 would have been denied, and 2 /)
          .waitFor();
        const rows = dialog.getByRole("table").getByRole("row");
        expect(await rows.count()).toBe(3);
        await rows.nth(1).getByText("Approval").waitFor();
        await rows.nth(1).getByRole("link", { name: "text-analyst/summarise" }).waitFor();
        await expectFits(session);
        const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
        expect(violations.map(({ id }) => id)).toEqual([]);

        // The result of another policy disappears.
        await dialog.getByLabel("Effect").selectOption("deny");
        await dialog.getByRole("table").waitFor({ state: "detached" });
        await run.click();
        await dialog.getByText(/, 2 would have been denied, and 0 would have/).waitFor();
        const { policies } = await call(bosun, "GET", "/agents/policies");
        expect(policies).toEqual([]);
        await expectNoProblems(session);
        await page.context().close();
      },
    );

    it("the list flags agents that no longer exist", async () => {
      await call(bosun, "POST", "/agents", { id: "leaver", executor: { type: "worker" } });
      await call(bosun, "POST", "/agents/policies", {
        id: "flagged",
        name: "Flagged",
        effect: "ask",
        tools: ["text-analyst"],
        agents: ["leaver"],
        reason: "A person looks.",
      });
      await call(bosun, "DELETE", "/agents/leaver");
      const session = await openSignedIn(browser, bosun);
      await visitView(session, "/policies", "Policies");
      await session.page.getByText("Unknown agents: leaver").waitFor();
      await expectNoProblems(session);
      await session.page.context().close();
      await call(bosun, "DELETE", "/agents/policies/flagged");
    });
  },
);
