import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/domain/json.ts";
import { foreignTool, registerTools } from "../support/catalogue.ts";
import { send, type Answer } from "../support/client.ts";
import { keyWith, UNMANAGING } from "../support/keys.ts";
import { stopClock, taskIn } from "../support/tasks.ts";

/** A refusal without what differs from request to request: what is left must not tell anything. */
function comparable({ status, headers, text }: Answer, id: string): object {
  const plain = text
    .replaceAll(id, "ID")
    .replaceAll(`${id.slice(0, 59)}…`, "ID…")
    .replaceAll(/"(requestId|timestamp)":"[^"]*"/g, "");
  return { status, plain, headers: [...headers].filter(([name]) => name !== "x-request-id") };
}

const TASK_ROUTES: readonly [method: string, at: string, body?: JsonObject][] = [
  ["GET", ""],
  ["GET", "?include=context"],
  ["HEAD", ""],
  ["PATCH", "", { priority: "low" }],
  ["PATCH", "", { notes: "n".repeat(10_000) }],
  ["GET", "/events"],
  ["POST", "/cancel"],
  ["POST", "/retry"],
  ["POST", "/retry", { reassign: true }],
  ["POST", "/respond", { response: "2025" }],
  ["POST", "/review", { decision: "approve" }],
  ["POST", "/feedback", { rating: 4 }],
  ["GET", "/deliverables"],
  ["GET", "/deliverables/summary.txt"],
];

const BOUND = [
  ["an agent", { agentId: "researcher" }],
  ["a team", { teamId: "insights" }],
] as const;

/** Ids that lead nowhere: one of this service's own making, and one that is none. */
const NOWHERE = [env.TASKS.newUniqueId().toString(), "a".repeat(64)];

describe.each(BOUND)("to a key of %s", (_, binding) => {
  let key = "";
  const unseen: string[] = [];

  beforeAll(async () => {
    stopClock();
    key = await keyWith(UNMANAGING, binding);
    await registerTools(foreignTool("secret-tool"));
    for (const status of ["pending", "blocked", "review", "completed", "failed"] as const) {
      unseen.push(await taskIn(status, { teamId: "studio", deliverables: ["summary"] }));
    }
  });

  it.each(TASK_ROUTES)(
    "%s of a task%s that it may not see answers as of one that is not there",
    async (method, at, body) => {
      const ask = async (id: string) =>
        comparable(await send(method, `/agents/tasks/${id}${at}`, body, { key }), id);
      const [expected, ...others] = [await ask(NOWHERE[0] ?? ""), await ask(NOWHERE[1] ?? "")];
      expect(expected).toMatchObject({ status: 404 });
      for (const id of unseen) others.push(await ask(id));
      expect(others).toHaveLength(1 + unseen.length);
      for (const other of others) expect(other).toEqual(expected);
    },
  );

  it("nor has any of these requests changed a task", async () => {
    for (const [index, status] of [
      "pending",
      "blocked",
      "review",
      "completed",
      "failed",
    ].entries()) {
      const { data } = (await send("GET", `/agents/tasks/${unseen[index]}`)).body;
      expect(data).toMatchObject({ status, priority: "medium", attempt: 1 });
      expect(data).not.toHaveProperty("notes");
      expect(data).not.toHaveProperty("feedback");
    }
  });

  it.each([
    ["its detail", "GET", "", undefined],
    ["its use", "POST", "/invoke", { capability: "fetch", parameters: { record: "1" } }],
    ["its use, wrongly", "POST", "/invoke", { capability: "x", parameters: {} }],
  ])(
    "a tool that it may not see answers as one that is not there: %s",
    async (_title, method, at, body) => {
      const named =
        "agentId" in binding || body === undefined ? body : { ...body, agentId: "researcher" };
      const ask = async (id: string) =>
        comparable(await send(method, `/agents/tools/${id}${at}`, named, { key }), id);
      const expected = await ask("sextant");
      expect(expected).toMatchObject({ status: 404 });
      expect(await ask("secret-tool")).toEqual(expected);
      expect(await ask("json-workbench")).toEqual(expected);
    },
  );

  it("an agent that it may not see answers as one that is not there", async () => {
    const ask = async (id: string) =>
      comparable(await send("GET", `/agents/tools/access/${id}`, undefined, { key }), id);
    const expected = await ask("stranger");
    expect(expected).toMatchObject({ status: 404 });
    expect(await ask("storyteller")).toEqual(expected);
  });

  it("naming such an agent in a body answers as naming one that is not there", async () => {
    const ask = async (agentId: string) =>
      comparable(await send("POST", "/agents/tasks", { task: "x", agentId }, { key }), agentId);
    const expected = await ask("stranger");
    expect(expected).toMatchObject({ status: 403 });
    expect(await ask("storyteller")).toEqual(expected);
  });
});
