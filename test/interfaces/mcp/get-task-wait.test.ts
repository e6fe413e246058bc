import {
  createExecutionContext,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import worker from "../../../src/index.ts";
import { TaskObject } from "../../../src/tasks/runtime/task.object.ts";
import { post, ROOT, send } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { create, passTime, read, stopClock, taskIn, wake } from "../../support/tasks.ts";
import { objectOf } from "../../support/task-state.ts";
import { callTool, connect, dataOf, REVISIONS, toolCallRequest } from "./client.ts";

beforeAll(stopClock);
afterEach(() => {
  vi.restoreAllMocks();
});

const WAIT = { waitSeconds: 20 };
/** Each check takes a few milliseconds. */
const CHECKS_MAX = 100;

/** The number of open sockets that are subscribed to the task. */
function subscriberCount(taskId: string): Promise<number> {
  return runInDurableObject(
    objectOf(taskId),
    (_, ctx) => ctx.getWebSockets().filter((one) => one.readyState === WebSocket.OPEN).length,
  );
}

async function untilSubscribed(taskId: string, count: number): Promise<void> {
  while ((await subscriberCount(taskId)) !== count);
}

async function patch(taskId: string, change: object): Promise<void> {
  const answer = await send("PATCH", `/agents/tasks/${taskId}`, { ...change });
  if (answer.status !== 200) throw new Error(answer.text);
}

describe.each(REVISIONS)("get_task with waitSeconds by revision %s", (revision) => {
  it("get_task returns when the status changes, and not for any other event", async () => {
    const client = await connect(await keyWith(["tasks:read"]), revision);
    const taskId = await taskIn("in_progress");
    const ended = vi.fn<() => void>();
    const looking = callTool(client, "get_task", { taskId, ...WAIT }).finally(ended);
    await untilSubscribed(taskId, 1);
    const reads = vi.spyOn(TaskObject.prototype, "events");
    // The second change shows that the wait continued after the first.
    for (const [count, priority] of ["low", "urgent"].entries()) {
      await patch(taskId, { priority });
      while (reads.mock.calls.length <= count && ended.mock.calls.length === 0) await read(taskId);
      expect(ended).not.toHaveBeenCalled();
    }
    await post(`/agents/tasks/${taskId}/cancel`);
    const seen = dataOf(await looking);
    expect(seen).toMatchObject({ taskId, status: "cancelled", priority: "urgent" });
    await untilSubscribed(taskId, 0);
  });

  it("get_task returns the task unchanged after waitSeconds", async () => {
    const client = await connect(ROOT, revision);
    const taskId = await taskIn("in_progress");
    const seen = dataOf(await callTool(client, "get_task", { taskId, waitSeconds: 0.05 }));
    expect(seen.status).toBe("in_progress");
    await untilSubscribed(taskId, 0);
  });

  it.each(["blocked", "review", "completed", "failed", "cancelled"] as const)(
    "get_task returns immediately if the status is %s",
    async (status) => {
      const client = await connect(ROOT, revision);
      const taskId = await taskIn(status);
      const watching = vi.spyOn(TaskObject.prototype, "fetch");
      expect(dataOf(await callTool(client, "get_task", { taskId, ...WAIT })).status).toBe(status);
      expect(watching).not.toHaveBeenCalled();
    },
  );

  it("repeated waits follow a new task until it is blocked", async () => {
    const client = await connect(ROOT, revision);
    const taskId = await create({ context: { text: "It rained.", askFirst: "Where?" } });
    const seen = new Set<string>();
    for (let status = ""; status !== "blocked";) {
      const looking = callTool(client, "get_task", { taskId, ...WAIT });
      while ((await subscriberCount(taskId)) === 0) {
        if ((await read(taskId)).status === "blocked") break;
      }
      await wake(taskId);
      status = dataOf(await looking).status;
      seen.add(status);
    }
    expect([...seen].at(-1)).toBe("blocked");
  });

  it.each([[-1], [21], ["20"]])("get_task rejects waitSeconds of %j", async (waitSeconds) => {
    const client = await connect(ROOT, revision);
    const result = await callTool(client, "get_task", { taskId: "x", waitSeconds });
    expect(result.structuredContent).toMatchObject({
      error: { code: "VALIDATION_ERROR", details: [{ path: "waitSeconds" }] },
    });
  });
});

describe("get_task", () => {
  it("get_task omits the context unless the caller requests it", async () => {
    const client = await connect(ROOT, "2025-11-25");
    const context = { text: "It rained." };
    const taskId = await create({ context });
    const whole = await read(taskId);
    expect(whole.context).toEqual(context);
    const seen = dataOf(await callTool(client, "get_task", { taskId }));
    const { context: _, ...rest } = whole;
    expect(seen).toEqual({ ...rest, contextBytes: JSON.stringify(context).length });
    const asked = await callTool(client, "get_task", { taskId, include: "context" });
    expect(dataOf(asked)).toEqual(whole);
  });

  it("get_task stops watching the task when its client hangs up", async () => {
    const taskId = await taskIn("in_progress");
    const client = new AbortController();
    const context = createExecutionContext();
    const request = toolCallRequest("get_task", { taskId, ...WAIT }, client.signal);
    const looking = worker.fetch(request, env, context);
    await untilSubscribed(taskId, 1);
    client.abort();
    await looking;
    await waitOnExecutionContext(context);
    // These checks end long before waitSeconds have passed.
    for (let checks = 0; checks < CHECKS_MAX && (await subscriberCount(taskId)) > 0; checks += 1);
    expect(await subscriberCount(taskId)).toBe(0);
    expect((await read(taskId)).status).toBe("in_progress");
  });

  it("the description of get_task asks models to wait instead of polling", async () => {
    const { tools } = await (await connect(ROOT, "2025-11-25")).listTools();
    const tool = tools.find(({ name }) => name === "get_task");
    expect(tool?.description).toContain("use waitSeconds instead of polling");
    expect(tool?.inputSchema.properties).toMatchObject({
      waitSeconds: { type: "number", minimum: 0, maximum: 20, description: expect.any(String) },
    });
  });
});

it("a wait ends within ten seconds of the key's expiry and does not show the task", async () => {
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const client = await connect(await keyWith(["tasks:read"], { expiresAt }), REVISIONS[0]);
  const taskId = await taskIn("in_progress");
  const from = performance.now();
  const looking = callTool(client, "get_task", { taskId, ...WAIT });
  await untilSubscribed(taskId, 1);
  passTime(60_000);
  const shown = JSON.stringify(await looking);
  expect(shown).toContain("was revoked or has expired");
  expect(shown).not.toContain("in_progress");
  expect(performance.now() - from).toBeLessThan(10_000);
});
