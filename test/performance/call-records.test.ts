import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { env } from "cloudflare:workers";
import type { JsonObject } from "../../src/kernel/json.ts";
import { TaskObject } from "../../src/tasks/runtime/task.object.ts";
import { taskStub, type TaskRpc } from "../../src/tasks/task.rpc.ts";
import { get, post, type Answer } from "../support/client.ts";
import { stopClock } from "../support/tasks.ts";
import { heldTask } from "../tasks/workers/fixtures.ts";
import { startCounting, type Counters } from "./counters.ts";

const EVERYONE = { agentId: null, teamId: null };
const TOOL = "json-workbench";
const LONG = JSON.stringify({ rows: "row ".repeat(5_000) });
const POLLS_MAX = 200;

let counters: Counters;

beforeAll(async () => {
  stopClock();
  // The feed creates its table with the first task, and the meter stores each day's first call separately.
  expect((await invoke(await grantedTask())).status).toBe(200);
  counters = await startCounting();
});
afterAll(() => counters.stop());

async function grantedTask(): Promise<string> {
  const { agentId, id } = await heldTask();
  expect((await post("/agents/tools/access", { agentId, toolId: TOOL })).status).toBe(201);
  return id;
}

function invoke(taskId: string, body: JsonObject = {}): Promise<Answer> {
  const call = { capability: "query", parameters: { document: LONG, path: "$.rows" } };
  return post(`/agents/tools/${TOOL}/invoke`, { ...call, taskId, ...body });
}

/** Waits until the task's only call is listed. Some rejections are stored after the response. */
async function untilListed(taskId: string): Promise<void> {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    const { calls } = (await get(`/agents/tasks/${taskId}/calls`)).body.data;
    if (calls.length === 1) return;
  }
  throw new Error("The call was not listed");
}

function stubOf(taskId: string): TaskRpc {
  const stub = taskStub(env.TASKS, taskId);
  if (!stub.ok) throw new Error("The task has no stub");
  return stub.value;
}

const METHODS = ["read", "reserveCall", "payCall", "releaseCall", "recordRejectedCall"] as const;

/** The calls to task objects from now on, except those that list calls. */
function countRequests(): readonly string[] {
  const requests: string[] = [];
  const prototype: object = TaskObject.prototype;
  for (const method of METHODS) {
    const original: (...args: unknown[]) => unknown = Reflect.get(prototype, method);
    Reflect.set(prototype, method, function counted(this: TaskObject, ...args: unknown[]) {
      requests.push(method);
      return original.apply(this, args);
    });
    onTestFinished(() => void Reflect.set(prototype, method, original));
  }
  return requests;
}

describe("the record of a call under a task", () => {
  it("is in the row of the event that charges the call, and needs no request of its own", async () => {
    const id = await grantedTask();
    counters.reset();
    const requests = countRequests();
    expect((await invoke(id)).status).toBe(200);
    const { objects, meters } = counters.rowsWritten();
    // The event's row, and the tool meter's value.
    expect({ objects, meters }).toEqual({ objects: 1, meters: 1 });
    expect(requests).toEqual(["read", "reserveCall", "payCall"]);
    const { calls } = (await get(`/agents/tasks/${id}/calls`)).body.data;
    expect(calls).toMatchObject([{ outcome: "ok", result: { preview: expect.any(String) } }]);
  });

  it("writes one row before the call if the call can change another system, and none after that", async () => {
    const taskId = await grantedTask();
    const rows: number[] = [];
    for (const id of Array.from({ length: 3 }, () => crypto.randomUUID())) {
      const record = {
        id,
        toolId: TOOL,
        capability: "query",
        agentId: null,
        source: "rest",
        keyId: "root",
        turn: null,
        requestId: null,
        startedAt: Date.now(),
        parameters: { text: "{}", bytes: 2 },
      } as const;
      counters.reset();
      const call = { started: record, isSafe: false };
      const reserved = await stubOf(taskId).reserveCall(EVERYONE, 0, null, call);
      if (!reserved.ok) throw new Error("The budget must allow the call");
      const { attempt } = reserved.value;
      const paid = { toolId: TOOL, capability: "query", cost: 0, durationMs: 1, ok: true };
      const end = {
        outcome: "ok",
        durationMs: 1,
        cost: 0,
        result: { text: "{}", bytes: 2 },
      } as const;
      await stubOf(taskId).payCall(
        reserved.value,
        { ...paid, callId: record.id },
        { ...record, attempt, end },
      );
      const { objects, meters } = counters.rowsWritten();
      rows.push(objects, meters);
    }
    expect(rows).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it.each<[string, JsonObject]>([
    ["its parameters", { parameters: { document: 1 } }],
    ["its capability", { capability: "tides" }],
  ])(
    "is one row, stored with one request, if the call is rejected because of %s",
    async (_, body) => {
      const id = await grantedTask();
      counters.reset();
      const requests = countRequests();
      expect((await invoke(id, body)).body.success).toBe(false);
      await untilListed(id);
      const { objects, meters } = counters.rowsWritten();
      expect({ objects, meters }).toEqual({ objects: 0, meters: 1 });
      expect(requests).toEqual(["read", "recordRejectedCall"]);
    },
  );

  it("is not written again when the calls are listed", async () => {
    const id = await grantedTask();
    await invoke(id);
    counters.reset();
    await get(`/agents/tasks/${id}/calls`);
    expect(counters.rowsWritten()).toEqual({ objects: 0, meters: 0, d1: 0, feed: 0 });
  });
});
