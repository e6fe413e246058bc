import { AxeBuilder } from "@axe-core/playwright";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { call, startBundled } from "../../e2e/deployed/processes.ts";
import { hasChromium, launchChromium } from "../chromium.ts";
import {
  expectComplaints,
  expectFits,
  expectNoProblems,
  HOSTILE,
  NARROW,
  open,
  openSignedIn,
  PATIENCE_MS,
  signIn,
  untilLive,
  visitView,
  WIDE,
} from "./session.ts";
import {
  blockOnApproval,
  CALL_NAME,
  callerKey,
  QUERY,
  REASON,
  requireApproval,
  storeCall,
} from "./stored-calls.ts";

describe.skipIf(!hasChromium("/console"))(
  "calls that require approval in the console in Chromium",
  { timeout: PATIENCE_MS },
  () => {
    let bosun: Bosun;
    let browser: Browser;
    let caller: string;

    beforeAll(async () => {
      [bosun, browser] = await Promise.all([startBundled({}), launchChromium()]);
      await requireApproval(bosun);
      caller = await callerKey(bosun);
    }, PATIENCE_MS);

    afterAll(async () => {
      await browser.close();
      await bosun.stop();
    });

    async function expectApproval(id: string, expected: object): Promise<void> {
      await expect
        .poll(() => call(bosun, "GET", `/agents/approvals/${id}`), { timeout: 20_000 })
        .toMatchObject(expected);
    }

    it.each([WIDE, NARROW])(
      "a person sees what a call will send, approves it with the keyboard and sees its result ($name)",
      async (setting) => {
        const document = JSON.stringify([setting.name, HOSTILE]);
        const parameters = { ...QUERY.parameters, document };
        const id = await storeCall(bosun, caller, { parameters });
        const session = await openSignedIn(browser, bosun, setting);
        const { page } = session;
        await visitView(session, "/", "Inbox");
        const card = page.locator(`[data-inbox-card="${id}"]`);
        await card.getByRole("button", { name: "Approve" }).waitFor();
        expect(await card.innerText()).toContain(REASON);
        const shown = await card.getByRole("region", { name: "Parameters" }).innerText();
        expect(JSON.parse(shown)).toEqual(parameters);
        await expectFits(session);

        await page.keyboard.press("j");
        await page.keyboard.press("a");
        await expectApproval(id, { status: "executed" });
        await card.getByText("Call approved. The service makes it now.").waitFor();
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: CALL_NAME, level: 1 }).waitFor();
        await page.getByText("The call was approved and made.").waitFor();
        const result = page.getByRole("region", { name: "Result as JSON" });
        expect(JSON.parse(await result.innerText())).toMatchObject({ count: 1 });
        expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
        await expectFits(session);
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.map(({ id: rule }) => rule)).toEqual([]);
        await expectNoProblems(session);
        await page.context().close();
      },
    );

    it.each([WIDE, NARROW])(
      "a person denies a call with a message, and sees that somebody else decided first ($name)",
      async (setting) => {
        const denied = await storeCall(bosun, caller);
        const session = await openSignedIn(browser, bosun, setting);
        const { page } = session;
        await visitView(session, `/approvals/${denied}`, CALL_NAME);
        await page.keyboard.press("r");
        await page.keyboard.type("Ask the harbour master.");
        await page.getByRole("button", { name: "Deny" }).click();
        const decisions = page.getByRole("list", { name: "Decisions" });
        await decisions.getByText("Ask the harbour master.").waitFor();
        await page.getByText("The call was denied.", { exact: true }).waitFor();
        await expectApproval(denied, {
          status: "denied",
          decisions: [{ decision: "deny", message: "Ask the harbour master." }],
        });

        const raced = await storeCall(bosun, caller);
        await visitView(session, `/approvals/${raced}`, CALL_NAME);
        await page.route("**/approve", async (route) => {
          await call(bosun, "POST", `/agents/approvals/${raced}/deny`, {});
          await route.continue();
        });
        // The feed can show the denial before the response to the approval arrives.
        const isRejected = page.waitForEvent("console", (shown) => shown.text().includes("409"));
        await page.getByRole("button", { name: "Approve" }).click();
        await page.getByText("The call was denied.", { exact: true }).waitFor();
        await isRejected;
        expectComplaints(session, ["409"]);
        await expectFits(session);
        await expectNoProblems(session);
        await page.context().close();
      },
    );

    it("a person opens the stored call from the form of a tool, and sees in place why she may not decide", async () => {
      const session = await openSignedIn(browser, bosun);
      const { page } = session;
      await visitView(session, "/tools/json-workbench?tab=try&capability=query", "JSON workbench");
      await page.getByRole("button", { name: "JSON", exact: true }).click();
      await page.getByLabel("Parameters as JSON").fill(JSON.stringify(QUERY.parameters));
      await page.getByRole("button", { name: "Call the tool" }).click();
      await page.getByRole("link", { name: "Open the stored call" }).click();
      await page.getByRole("heading", { name: CALL_NAME, level: 1 }).waitFor();
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByRole("alert").getByText("APPROVER_NOT_ALLOWED").waitFor();
      expectComplaints(session, ["403"]);
      await expectNoProblems(session);
      await page.context().close();
    });

    it.each([WIDE, NARROW])(
      "a blocked task shows the call that it waits for, and continues after the approval ($name)",
      async (setting) => {
        const { taskId, approvalId } = await blockOnApproval(bosun, `asker-${setting.name}`);
        const session = await openSignedIn(browser, bosun, setting);
        const { page } = session;
        await visitView(session, "/", "Inbox");
        await page.locator(`[data-inbox-card="${approvalId}"]`).waitFor();
        expect(await page.locator(`[data-inbox-card="${taskId}"]`).count()).toBe(0);

        await visitView(session, `/tasks/${taskId}`, `Query as asker-${setting.name}`);
        const status = page.getByRole("region", { name: "Status" });
        await status.getByText("is waiting for a decision about a call.").waitFor();
        await status.getByRole("button", { name: "Approve" }).waitFor();
        expect(await status.getByLabel("Your answer").count()).toBe(0);
        await expectFits(session);
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.map(({ id }) => id)).toEqual([]);
        await page.keyboard.press("a");
        await expectApproval(approvalId, { status: "executed" });
        await status.getByRole("button", { name: "Approve" }).waitFor({ state: "detached" });
        await expectNoProblems(session);
        await page.context().close();
      },
    );

    it("a person with only the scope for decisions sees the calls and no tasks", async () => {
      const body = { name: "approver", scopes: ["approvals:decide"] };
      const { key } = await call(bosun, "POST", "/agents/keys", body);
      const id = await storeCall(bosun, caller);
      const session = await open(browser, bosun);
      const { page } = session;
      await signIn(session, key);
      expectComplaints(session, ["401"]);
      const card = page.locator(`[data-inbox-card="${id}"]`);
      await card.getByRole("button", { name: "Deny" }).click();
      await card.getByText("Call denied. It is not made.").waitFor();
      await expectNoProblems(session);
      await page.context().close();
    });

    it("a call that is stored while the inbox is open appears live, and leaves when somebody decides", async () => {
      const session = await openSignedIn(browser, bosun);
      const { page } = session;
      await visitView(session, "/", "Inbox");
      await untilLive(page);
      // Calls that arrive while the list loads are shown at once.
      await page.getByText(/^\d+ waiting for you$/).waitFor();
      const id = await storeCall(bosun, caller);
      await page.getByRole("button", { name: /^Show \d+ new$/ }).click();
      const card = page.locator(`[data-inbox-card="${id}"]`);
      await card.getByRole("button", { name: "Approve" }).waitFor();
      await call(bosun, "POST", `/agents/approvals/${id}/deny`, {});
      await card.getByText("The call was denied.").waitFor();
      await page.getByRole("button", { name: "Remove finished cards" }).click();
      await card.waitFor({ state: "detached" });

      await visitView(session, "/events", "Events");
      await page.getByRole("link", { name: CALL_NAME }).first().click();
      await page.getByRole("heading", { name: CALL_NAME, level: 1 }).waitFor();
      await expectNoProblems(session);
      await page.context().close();
    });
  },
);
