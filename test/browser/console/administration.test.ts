import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ROOT_KEY, type Bosun } from "../../../scripts/proof/bosun.ts";
import { USAGE_TOOLS_MAX } from "../../../src/tools/limits.ts";
import { send } from "../../e2e/deployed/api-client.ts";
import { call, startBundled } from "../../e2e/deployed/processes.ts";
import { hasChromium, launchChromium } from "../chromium.ts";
import { startExternalSystem, type ExternalSystem } from "./external-system.ts";
import {
  createTask,
  expectComplaints,
  expectFits,
  expectNoProblems,
  open,
  untilLive,
  openSignedIn,
  PATIENCE_MS,
  SETTINGS,
  signIn,
  visitView,
  type Session,
} from "./session.ts";

const AGENT = "data-analyst";
const TOOL = "tides";
/** More tools than one page of the API's usage report contains. */
const MANY_TOOLS = USAGE_TOOLS_MAX + 50;
/** A revoked key stops working within this time, and its pages have some time to show that. */
const SIGNED_OUT_MS_MAX = 10_000;

describe.skipIf(!hasChromium("/console"))(
  "administration in the console in Chromium",
  { timeout: PATIENCE_MS },
  () => {
    let bosun: Bosun;
    let browser: Browser;
    let system: ExternalSystem;

    beforeAll(async () => {
      [bosun, browser, system] = await Promise.all([
        startBundled({ ALLOW_PRIVATE_EGRESS: "true" }),
        launchChromium(),
        startExternalSystem(),
      ]);
      const openapi = { url: `${system.origin}/openapi.json` };
      await call(bosun, "POST", "/agents/tools/import", { id: TOOL, openapi });
    }, PATIENCE_MS);

    afterAll(async () => {
      await browser.close();
      await bosun.stop();
      await system.close();
    });

    /** The code with which a call is rejected; null if it succeeds. */
    async function rejectionOf(
      capability: string,
      agentId: string | null = AGENT,
    ): Promise<string | null> {
      const by = agentId === null ? {} : { agentId };
      const body = { ...by, capability, parameters: { harbour: "Bergen" } };
      const path = `/agents/tools/${TOOL}/invoke`;
      const { error } = await send({ ...bosun, key: ROOT_KEY }, "POST", path, { body });
      return error?.code ?? null;
    }

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
      expectComplaints(session, ["401", "401"]);
      await page.context().close();
    });

    it("the inbox shows which tools cannot authenticate, without a request for each tool", async () => {
      await call(bosun, "POST", "/agents/tools", {
        id: "lighthouse",
        name: "Lighthouse",
        authentication: { type: "api-key" },
        connector: { type: "http", baseUrl: system.origin },
        capabilities: [{ id: "look", request: { method: "GET", path: "/look" } }],
      });
      const session = await openSignedIn(browser, bosun);
      const { page, requests } = session;
      await visitView(session, "/", "Inbox");
      const card = page.getByRole("listitem").filter({ hasText: "Lighthouse cannot authenticate" });
      await card.getByText("The tool has no credentials.").waitFor();
      expect(requests.filter((url) => url.includes("/credentials"))).toEqual([]);
      await expectNoProblems(session);
      await page.context().close();
      await call(bosun, "DELETE", "/agents/tools/lighthouse");
    });

    it("the usage of more tools than one page of the API contains is exported as one file", async () => {
      await bosun.runSql(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY_TOOLS})
        INSERT INTO retired_tools (id, name, version, retired_at)
        SELECT printf('export-%03d', i), 'Retired', 1, 0 FROM n`);
      const [first, last] = ["export-000", "export-999"];
      for (const id of [first, last]) {
        const openapi = { url: `${system.origin}/openapi.json` };
        await call(bosun, "POST", "/agents/tools/import", { id, openapi });
        const invocation = { capability: "get-tide", parameters: { harbour: "Bergen" } };
        await call(bosun, "POST", `/agents/tools/${id}/invoke`, invocation);
      }
      const session = await openSignedIn(browser, bosun);
      const { page } = session;
      await visitView(session, "/usage?groupBy=tool", "Usage");
      const downloading = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export as CSV" }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toMatch(/^usage-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
      const lines = (await readFile(await download.path(), "utf8")).split("\r\n");
      expect(lines.filter((line) => line.startsWith("toolId,calls,"))).toHaveLength(1);
      for (const id of [first, last])
        expect(lines.filter((line) => line.startsWith(`${id},1,0,`))).toHaveLength(1);
      await expectNoProblems(session);
      await page.context().close();
      for (const id of [first, last]) await call(bosun, "DELETE", `/agents/tools/${id}`);
    });

    describe.each(SETTINGS)("at $width px, $theme", (setting) => {
      let session: Session;

      beforeAll(async () => {
        session = await openSignedIn(browser, bosun, setting);
      }, PATIENCE_MS);
      afterEach(async () => {
        await expectFits(session);
        await expectNoProblems(session);
      });
      afterAll(() => session.page.context().close());

      it("an OpenAPI document is imported after a dry run that shows what it adds", async () => {
        const { page } = session;
        const id = `buoys-${setting.name}`;
        await visitView(session, "/tools/import", "Import a tool");
        const url = `${system.origin}/openapi.json?title=Buoys+${setting.name}`;
        await page.getByLabel("URL of the OpenAPI document").fill(url);
        await page.getByLabel("Id of the tool").fill(id);
        await page.getByRole("button", { name: "Preview the import" }).click();
        await page.getByText("Added: 2").waitFor();
        const added = page.getByRole("list", { name: "Ids of the capabilities" });
        expect(await added.getByRole("listitem").allTextContents()).toEqual([
          "get-tide",
          "delete-tide",
        ]);
        expect(await toolIds()).not.toContain(id);
        await page.getByRole("button", { name: "Import", exact: true }).click();
        await page.getByText(/has 2 capabilities: 2 added, 0 changed, 0 removed/).waitFor();
        expect(await toolIds()).toContain(id);
        await page.getByRole("link", { name: "Try it" }).click();
        await page.getByRole("heading", { name: `Buoys ${setting.name}`, level: 1 }).waitFor();
      });

      async function toolIds(): Promise<string[]> {
        const { tools } = await call(bosun, "GET", "/agents/tools?search=buoys");
        return tools.map(({ id }: { id: string }) => id);
      }

      it("a generated form calls a tool, and a rejected call shows the API's message", async () => {
        const { page } = session;
        await visitView(session, `/tools/${TOOL}?tab=try&capability=get-tide`, "Tides");
        const callTool = page.getByRole("button", { name: "Call the tool" });
        await callTool.click();
        await page.getByText("Required.").waitFor();
        await page.getByLabel("harbour (required)").fill("Bergen");
        await page.getByLabel("hour").fill("7");
        await callTool.click();
        await page.getByText("Succeeded").waitFor();
        const result = page.getByRole("region", { name: "Result as JSON" });
        expect(JSON.parse((await result.textContent()) ?? "")).toMatchObject({
          body: { at: "/tides/Bergen hour 7" },
        });
        await page.getByLabel("Call as agent").fill(AGENT);
        await callTool.click();
        const alert = page.getByRole("alert");
        await expect.poll(() => alert.textContent()).toMatch(/TOOL_ACCESS_DENIED · request /);
        expectComplaints(session, ["403"]);
      });

      it("access is granted, explained and revoked in the matrix", async () => {
        const { page } = session;
        const requestsBefore = session.requests.length;
        await visitView(session, "/access", "Access");
        const all = page.getByRole("button", { name: /: (?:All|None|\d+ of \d+)$/ });
        await all.first().waitFor();
        const sent = session.requests.slice(requestsBefore);
        expect(sent.filter((url) => url.includes("/agents/access?"))).toHaveLength(1);
        expect(sent.filter((url) => url.includes("/agents/tools/access"))).toEqual([]);
        await visitView(session, `/access?agents=${AGENT}&tools=${TOOL}`, "Access");
        await page.getByRole("button", { name: "Data analyst, Tides: None" }).click();
        await page.getByLabel("only these capabilities").check();
        await page.getByLabel("get-tide").check();
        await page.getByRole("button", { name: "Grant access" }).click();
        await page.getByRole("button", { name: "Data analyst, Tides: 1 of 2" }).waitFor();
        expect(await rejectionOf("get-tide")).toBe(null);
        expect(await rejectionOf("delete-tide")).toBe("CAPABILITY_NOT_GRANTED");

        await page.getByRole("link", { name: "Explain access" }).click();
        await page.getByLabel("Agent").fill(AGENT);
        await page.getByLabel("Tool").fill(TOOL);
        const capability = page.getByLabel("Capability");
        await capability.fill("get-tide");
        await page.keyboard.press("Enter");
        await page.getByText("The agent may make this call").waitFor();
        await capability.fill("delete-tide");
        await page.keyboard.press("Enter");
        await page.getByText("The agent may not make this call").waitFor();
        await page.getByRole("link", { name: "Change the grant" }).click();

        await page.getByRole("button", { name: "Revoke …" }).click();
        await page.getByRole("button", { name: "Revoke the access" }).click();
        await page.getByRole("button", { name: "Data analyst, Tides: None" }).waitFor();
        expect(await rejectionOf("get-tide")).toBe("TOOL_ACCESS_DENIED");
      });

      it("a limit is created, rejects calls, shows its use, and is changed and deleted", async () => {
        const { page } = session;
        const id = `calls-${setting.name}`;
        await visitView(session, "/limits", "Limits");
        await page.getByRole("button", { name: "Create a limit" }).click();
        await page.getByLabel("Id", { exact: true }).fill(id);
        await page.getByLabel("Name").fill(`Calls at ${setting.name}`);
        await page.getByLabel("Covers").selectOption("A tool");
        await page.getByLabel("Tool", { exact: true }).fill("nothing");
        await page.getByLabel("Counts").selectOption("Tool calls");
        await page.getByLabel("Limit (calls)").fill("2");
        await page.getByLabel("Time zone").fill("Europe/Berlin");
        const create = page.getByRole("button", { name: "Create", exact: true });
        await create.click();
        await page.getByText('must name an existing tool, got "nothing"').first().waitFor();
        expectComplaints(session, ["400"]);
        await page.getByLabel("Tool", { exact: true }).fill(TOOL);
        await page.getByText("As a command").click();
        await page.getByText(`"scope":{"toolId":"${TOOL}"}`).waitFor();
        const overflow = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)";
        expect(await page.evaluate(`${overflow}(document.querySelector("dialog[open]"))`)).toBe(0);
        await create.click();
        const row = page.getByRole("listitem").filter({ hasText: id });
        await row.getByText("0 of 2 calls used").waitFor();
        await row.getByText("At most 2 calls per day").waitFor();

        const invocation = { capability: "get-tide", parameters: { harbour: "Bergen" } };
        for (let n = 0; n < 2; n += 1)
          await call(bosun, "POST", `/agents/tools/${TOOL}/invoke`, invocation);
        expect(await rejectionOf("get-tide", null)).toBe("USAGE_LIMIT_EXCEEDED");
        await visitView(session, "/events?type=limit.exceeded", "Events");
        await page.getByRole("link", { name: `Limit ${id}` }).waitFor();
        await page.getByText("2 of 2 calls per day").first().waitFor();
        await visitView(session, "/limits", "Limits");
        await row.getByText("Used up").waitFor();
        const meter = row.getByRole("meter");
        expect(await meter.getAttribute("aria-valuetext")).toBe("2 of 2 calls used");

        await row.getByRole("button", { name: `Edit Calls at ${setting.name}` }).click();
        await page.getByLabel("Limit (calls)").fill("4");
        await page.getByRole("button", { name: "Save" }).click();
        await row.getByText("2 of 4 calls used").waitFor();
        await row.getByRole("button", { name: `Delete Calls at ${setting.name}` }).click();
        await page.getByRole("button", { name: "Delete the limit" }).click();
        await row.waitFor({ state: "detached" });
        expect(await rejectionOf("get-tide", null)).toBe(null);
      });

      it("a delivery that failed is delivered again", async () => {
        const { page } = session;
        system.hookStatus = 500;
        const alreadyReceived = system.received.length;
        const { id } = await call(bosun, "POST", "/agents/webhooks", {
          url: `${system.origin}/hook`,
          description: `Hook at ${setting.name}`,
          types: ["created"],
        });
        await createTask(bosun, { task: "Notify the receiver" });
        await expect
          .poll(() => system.received.length, { timeout: 20_000 })
          .toBe(alreadyReceived + 1);
        await visitView(session, `/webhooks/${id}`, `Hook at ${setting.name}`);
        await page.getByText(/^1 attempt, last: 500 in /).waitFor();
        system.hookStatus = 200;
        await page.getByRole("checkbox", { name: /^Select Created: task/ }).check();
        await page.getByRole("button", { name: "Redeliver 1" }).click();
        await page.getByRole("button", { name: "Redeliver", exact: true }).click();
        await page.getByText("1 delivery is pending again.").waitFor();
        await page.getByText(/^2 attempts, last: 200 in /).waitFor();
        await page.getByRole("listitem").getByText("Delivered", { exact: true }).waitFor();
        const [first, ...again] = system.received.slice(alreadyReceived);
        expect(again).toEqual([first]);
        await call(bosun, "DELETE", `/agents/webhooks/${id}`);
      });

      it("a new key is shown once, works, and is signed out everywhere when it is revoked", async () => {
        const { page } = session;
        const name = `Reader at ${setting.name}`;
        await visitView(session, "/keys", "Keys and sessions");
        await page.getByRole("button", { name: "Create a key" }).click();
        await page.getByLabel("Name").fill(name);
        await page.getByRole("checkbox", { name: "tasks:read" }).check();
        await page.getByRole("button", { name: "Create", exact: true }).click();
        const key = await page.getByRole("group", { name: "The key" }).locator("code").innerText();
        await page.getByRole("button", { name: "Done" }).click();
        expect(await page.content()).not.toContain(key);
        const signedIn = await Promise.all(
          [1, 2].map(async () => {
            const other = await open(browser, bosun, setting);
            await signIn(other, key);
            await untilLive(other.page);
            return other;
          }),
        );

        await page.getByRole("button", { name: `Revoke ${name}` }).click();
        await page.getByRole("button", { name: "Revoke", exact: true }).click();
        await page.getByText(`The key ${name} is revoked.`).waitFor();
        const revokedAt = performance.now();
        for (const other of signedIn) {
          await other.page.getByLabel("API key").waitFor();
          await other.page.context().close();
        }
        expect(performance.now() - revokedAt).toBeLessThan(SIGNED_OUT_MS_MAX);
        const { status } = await send({ ...bosun, key }, "GET", "/agents/tasks");
        expect(status).toBe(401);
        await page.getByRole("button", { name: "Done" }).click();
      });
    });
  },
);
