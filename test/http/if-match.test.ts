import { evictAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { get, patch, post, type Answer } from "../support/client.ts";
import { expectProblems, expectError } from "../support/expect-errors.ts";
import { keyWith, UNMANAGING } from "../support/keys.ts";
import { create, passTime, read, stopClock, taskIn } from "../support/tasks.ts";
import { eventsOf } from "../support/task-state.ts";
import { HTTP, tool } from "../tools/credentials/fixtures.ts";
import { sendHeartbeat, heldTask } from "../tasks/workers/fixtures.ts";

beforeAll(stopClock);

const TWENTY = Array.from({ length: 20 }, (_, index) => index);

const etagOf = ({ headers }: Answer): string | null => headers.get("ETag");
const patchTask = (id: string, body: JsonObject, ifMatch: string): Promise<Answer> =>
  patch(`/agents/tasks/${id}`, body, { headers: { "If-Match": ifMatch } });
const patchTool = (id: string, body: JsonObject, ifMatch: string): Promise<Answer> =>
  patch(`/agents/tools/${id}`, body, { headers: { "If-Match": ifMatch } });

let tools = 0;
async function ownTool(): Promise<string> {
  const id = `own-${(tools += 1)}`;
  await tool(id, HTTP);
  return id;
}

describe("ETag", () => {
  it("a task's ETag is the seq of its last event in every response with the whole task", async () => {
    const id = await taskIn("review");
    const seq = async () => `"${(await eventsOf(id)).at(-1)?.seq}"`;
    expect(etagOf(await get(`/agents/tasks/${id}`))).toBe(await seq());
    const steps: [string, JsonObject][] = [
      ["/review", { decision: "reject" }],
      ["/retry", {}],
      ["/cancel", {}],
    ];
    for (const [path, body] of steps) {
      const answer = await post(`/agents/tasks/${id}${path}`, body);
      expect([answer.status, etagOf(answer)]).toEqual([200, await seq()]);
    }
    const blocked = await taskIn("blocked");
    const responded = await post(`/agents/tasks/${blocked}/respond`, { response: "1702" });
    expect(etagOf(responded)).toBe(`"${(await eventsOf(blocked)).at(-1)?.seq}"`);
    const updated = await patch(`/agents/tasks/${blocked}`, { notes: "n" });
    expect(etagOf(updated)).toBe(`"${(await eventsOf(blocked)).at(-1)?.seq}"`);
  });

  it("a worker's heartbeat does not change the ETag of its task", async () => {
    const { id, lease } = await heldTask();
    const before = await get(`/agents/tasks/${id}`);
    passTime(50_000);
    expect((await sendHeartbeat(id, lease)).status).toBe(200);
    const after = await get(`/agents/tasks/${id}`);
    expect(after.body.data.lease).not.toEqual(before.body.data.lease);
    expect(etagOf(after)).toBe(etagOf(before));
  });

  it("a tool's ETag is its version, and a built-in tool has none", async () => {
    const id = await ownTool();
    expect(etagOf(await get(`/agents/tools/${id}`))).toBe('"1"');
    const changed = await patch(`/agents/tools/${id}`, { name: "Other" });
    expect([etagOf(changed), changed.body.data.version]).toEqual(['"2"', 2]);
    expect(etagOf(await get(`/agents/tools/${id}`))).toBe('"2"');
    expect(etagOf(await get("/agents/tools/json-workbench"))).toBeNull();
  });
});

describe("If-Match on a task", () => {
  it("a change with the current version succeeds, and one with an earlier version gets 412", async () => {
    const id = await create();
    const etag = etagOf(await get(`/agents/tasks/${id}`)) ?? "";
    const first = await patchTask(id, { notes: "first" }, etag);
    expect(first.status).toBe(200);
    const second = await patchTask(id, { notes: "second" }, etag);
    expectError(second, 412, "PRECONDITION_FAILED");
    expect(second.body.error).toMatchObject({
      retryable: false,
      context: { etag: etagOf(first) },
      message: expect.stringContaining("Fetch the latest version"),
    });
    expect((await read(id)).notes).toBe("first");
    await evictAllDurableObjects();
    expect((await patchTask(id, { notes: "third" }, etagOf(first) ?? "")).status).toBe(200);
  });

  it("exactly one of twenty concurrent changes with the same version succeeds", async () => {
    const id = await create();
    const etag = etagOf(await get(`/agents/tasks/${id}`)) ?? "";
    const answers = await Promise.all(
      TWENTY.map((time) => patchTask(id, { notes: `note ${time}` }, etag)),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers) {
      if (answer === won[0]) continue;
      expectError(answer, 412, "PRECONDITION_FAILED");
    }
    const updates = (await eventsOf(id)).filter(({ type }) => type === "updated");
    expect(updates).toHaveLength(1);
  });

  it("a deadline that passes makes a new version, and a change with the earlier one gets 412", async () => {
    const id = await create({ deadline: new Date(Date.now() + 1_000).toISOString() });
    const etag = etagOf(await get(`/agents/tasks/${id}`)) ?? "";
    passTime(2_000);
    const late = await patchTask(id, { priority: "low" }, etag);
    expectError(late, 412, "PRECONDITION_FAILED");
  });

  it.each([
    ["any version", () => "*"],
    ["a list that contains the tag", (etag: string) => `"0", ${etag} ,"a,b"`],
    ["the tag weakened by a proxy", (etag: string) => `W/${etag}`],
  ])("If-Match accepts %s", async (_, header) => {
    const id = await create();
    const etag = etagOf(await get(`/agents/tasks/${id}`)) ?? "";
    expect((await patchTask(id, { notes: "n" }, header(etag))).status).toBe(200);
  });

  it.each(["1", "", "'1'", '"1', '"1" "2"', '*, "1"', 'w/"1"', '"1",', '"a b"'])(
    "the malformed If-Match %s is rejected and changes nothing",
    async (header) => {
      const id = await create();
      expectProblems(await patchTask(id, { notes: "n" }, header), { "If-Match": "entity tags" });
      expect((await eventsOf(id)).map(({ type }) => type)).not.toContain("updated");
    },
  );

  it("a change with If-Match to an unknown task gets 404", async () => {
    const id = "0".repeat(64);
    expectError(await patchTask(id, { notes: "n" }, '"1"'), 404, "TASK_NOT_FOUND");
    expectError(await patchTask(id, { notes: "n" }, "*"), 404, "TASK_NOT_FOUND");
  });

  it("a change with If-Match by a key that may not see the task gets 404 for every version", async () => {
    const id = await create({ agentId: "researcher" });
    const key = await keyWith(UNMANAGING, { agentId: "storyteller" });
    const before = await get(`/agents/tasks/${id}`);
    for (const tag of [etagOf(before) ?? "", '"0"', "*"]) {
      const headers = { "If-Match": tag };
      const answer = await patch(`/agents/tasks/${id}`, { notes: "n" }, { key, headers });
      expectError(answer, 404, "TASK_NOT_FOUND");
    }
    expect(etagOf(await get(`/agents/tasks/${id}`))).toBe(etagOf(before));
  });
});

describe("If-Match on a tool", () => {
  it("exactly one of twenty concurrent changes with the same version succeeds", async () => {
    const id = await ownTool();
    const answers = await Promise.all(
      TWENTY.map((time) => patchTool(id, { name: `Name ${time}` }, '"1"')),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers) {
      if (answer === won[0]) continue;
      expectError(answer, 412, "PRECONDITION_FAILED");
      expect(answer.body.error.context).toEqual({ etag: '"2"' });
    }
    const { name, version } = (await get(`/agents/tools/${id}`)).body.data;
    expect([name, version]).toEqual([won[0]?.body.data.name, 2]);
  });

  it("twenty changes without If-Match all succeed", async () => {
    const id = await ownTool();
    const answers: Answer[] = [];
    for (const time of TWENTY) {
      answers.push(await patch(`/agents/tools/${id}`, { name: `Name ${time}` }));
    }
    expect(answers.map(etagOf)).toEqual(TWENTY.map((time) => `"${time + 2}"`));
  });

  it("a change with a malformed If-Match or another version changes nothing", async () => {
    const id = await ownTool();
    expectProblems(await patchTool(id, { name: "Other" }, "1"), { "If-Match": "entity tags" });
    expectError(await patchTool(id, { name: "Other" }, '"7"'), 412, "PRECONDITION_FAILED");
    const row = await env.DB.prepare("SELECT name, version FROM tools WHERE id = ?")
      .bind(id)
      .first();
    expect(row).toEqual({ name: `Tool ${id}`, version: 1 });
    expectError(await patchTool("nowhere", { name: "Other" }, "*"), 404, "TOOL_NOT_FOUND");
  });
});
