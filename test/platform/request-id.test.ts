import {
  createMessageBatch,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { beforeAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import worker from "../../src/index.ts";
import { queueStub } from "../../src/agents/queue/queue.rpc.ts";
import { EventFeed } from "../../src/events/feed.object.ts";
import type { FeedEvent } from "../../src/events/model/feed.ts";
import { WebhookObject } from "../../src/events/webhooks/webhook.object.ts";
import type { TurnMessage } from "../../src/tasks/model/turn.ts";
import { taskStub } from "../../src/tasks/task.rpc.ts";
import { currentRequestId, runWithRequestId } from "../../src/platform/request-id.ts";
import { registerNewAgent } from "../agents/fixtures.ts";
import { breakTaskLog } from "../agents/queue/fixtures.ts";
import { post, patch, type Answer } from "../support/client.ts";
import { divert } from "../support/divert.ts";
import { disconnectDatabase } from "../support/shards.ts";
import { passTime, stopClock, wake } from "../support/tasks.ts";
import { DONE, modelAgent, provideAi } from "../support/workers-ai.ts";
import { objectOf } from "../support/task-state.ts";

const MINUTE_MS = 60_000;

interface LogLine {
  readonly event: string;
  readonly requestId?: string;
}

let lines: LogLine[] = [];

beforeAll(stopClock);
beforeEach(() => {
  lines = [];
  const keep = (line: LogLine): void => void lines.push(line);
  const spies = [
    vi.spyOn(console, "warn").mockImplementation(keep),
    vi.spyOn(console, "error").mockImplementation(keep),
  ];
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
});

/** The distinct request ids in the log lines of an event. */
function requestIdsOf(event: string): (string | undefined)[] {
  const ids = lines.filter((line) => line.event === event).map(({ requestId }) => requestId);
  return [...new Set(ids)];
}

async function createTask(requestId: string, fields: { agentId?: string } = {}): Promise<string> {
  const answer = await post(
    "/agents/tasks",
    { task: "Summarise", context: { text: "A wharf." }, ...fields },
    { headers: { "X-Request-Id": requestId } },
  );
  expect(answer.status).toBe(201);
  return answer.body.data.taskId;
}

function cancel(id: string, requestId: string): Promise<Answer> {
  return post(`/agents/tasks/${id}/cancel`, undefined, { headers: { "X-Request-Id": requestId } });
}

it("a log line of the Worker has the id of its request", async () => {
  const bringBack = disconnectDatabase(env.DB);
  const answer = await post("/agents/tools/access", { agentId: "a", toolId: "json-workbench" });
  bringBack();
  expect(answer.status).toBe(503);
  expect(requestIdsOf("request_failed")).toEqual([answer.headers.get("X-Request-Id")]);
});

it("a failed directory write has the id of the request that changed the task, in the request and in later alarms", async () => {
  const id = await createTask("req-create");
  const bringBack = disconnectDatabase(env.DB);
  expect((await cancel(id, "req-cancel")).status).toBe(200);
  expect(requestIdsOf("directory_write_failed")).toEqual(["req-cancel"]);
  lines = [];
  passTime(MINUTE_MS);
  await wake(id);
  expect(requestIdsOf("directory_write_failed")).toEqual(["req-cancel"]);
  lines = [];
  passTime(MINUTE_MS);
  await evictDurableObject(objectOf(id));
  await wake(id);
  bringBack();
  expect(requestIdsOf("directory_write_failed")).toEqual(["req-cancel"]);
});

it("work that fails in an alarm of an evicted task has the id of the request that created the task", async () => {
  const id = await createTask("req-alarm");
  await evictDurableObject(objectOf(id));
  const bringBack = disconnectDatabase(env.DB);
  for (let wakes = 0; wakes < 3; wakes += 1) {
    passTime(MINUTE_MS);
    await wake(id);
  }
  bringBack();
  expect(lines.length).toBeGreaterThan(0);
  expect([...new Set(lines.map(({ requestId }) => requestId))]).toEqual(["req-alarm"]);
});

it("a read does not change the request id that a task's alarms log", async () => {
  const id = await createTask("req-own");
  const port = taskStub(env.TASKS, id);
  if (!port.ok) throw new Error("The task has no stub");
  await runWithRequestId("req-read", () => port.value.read({ agentId: null, teamId: null }));
  const bringBack = disconnectDatabase(env.DB);
  passTime(MINUTE_MS);
  await wake(id);
  bringBack();
  expect(lines.map(({ requestId }) => requestId)).not.toContain("req-read");
  expect(lines.map(({ requestId }) => requestId)).toContain("req-own");
});

it("a delivery that fails has the id of the request that caused its event, even after an eviction", async () => {
  const headers = { "X-Request-Id": "req-hook" };
  const hook = await post("/agents/webhooks", { url: "https://93.184.216.34/in" }, { headers });
  const webhookId: string = hook.body.data.id;
  const id = await createTask("req-delivery");
  expect((await cancel(id, "req-delivery")).status).toBe(200);
  const object = env.WEBHOOKS.get(env.WEBHOOKS.idFromName(webhookId));
  await vi.waitUntil(
    () => runInDurableObject(object, async (_, { storage }) => isPending(storage)),
    20_000,
  );
  await evictDurableObject(object);
  const sign = vi.spyOn(Webhook.prototype, "sign").mockImplementation(() => {
    throw new Error("The signature fails");
  });
  onTestFinished(() => sign.mockRestore());
  await runDurableObjectAlarm(object);
  expect(requestIdsOf("webhook_attempt_failed")).toEqual(["req-delivery"]);
});

it("an alarm of an evicted webhook that fails has the id of the request that caused its next delivery", async () => {
  const hook = await post("/agents/webhooks", { url: "https://93.184.216.34/in" });
  const object = env.WEBHOOKS.get(env.WEBHOOKS.idFromName(hook.body.data.id));
  await cancel(await createTask("req-event"), "req-event");
  await vi.waitUntil(
    () => runInDurableObject(object, async (_, { storage }) => isPending(storage)),
    20_000,
  );
  await evictDurableObject(object);
  lines = [];
  const bringBack = disconnectDatabase(env.DB);
  await runDurableObjectAlarm(object);
  bringBack();
  expect(requestIdsOf("webhook_alarm_failed")).toEqual(["req-event"]);
});

it.each([
  ["by the same instance", "waiting-1", false],
  ["after an eviction", "waiting-2", true],
] as const)(
  "events that are published together %s each have the id of the request that caused them",
  async (_, agentId, isEvicted) => {
    await registerNewAgent({ id: agentId, executor: { type: "worker" } });
    const published: FeedEvent[] = [];
    divert(EventFeed.prototype, "publish", (real, events: readonly FeedEvent[]) => {
      published.push(...events);
      return real();
    });
    const id = await createTask("req-create", { agentId });
    const headers = { "X-Request-Id": "req-patch" };
    await patch(`/agents/tasks/${id}`, { priority: "urgent" }, { headers });
    if (isEvicted) await evictDurableObject(objectOf(id));
    expect((await cancel(id, "req-last")).status).toBe(200);
    await vi.waitUntil(() => published.some(({ type }) => type === "cancelled"), 20_000);
    const own = published.filter(({ taskId }) => taskId === id);
    const causes = own.map(({ type, requestId }) => [type, requestId]);
    expect(causes).toContainEqual(["created", "req-create"]);
    expect(causes).toContainEqual(["updated", "req-patch"]);
    expect(causes.at(-1)).toEqual(["cancelled", "req-last"]);
  },
);

it("an alarm of an evicted feed has the id of the request whose events its webhooks have missed", async () => {
  await post("/agents/webhooks", { url: "https://93.184.216.34/in" });
  const notify = vi.spyOn(WebhookObject.prototype, "notify");
  notify.mockRejectedValue(new Error("The webhook fails"));
  onTestFinished(() => notify.mockRestore());
  await cancel(await createTask("req-missed"), "req-missed");
  await vi.waitUntil(() => requestIdsOf("webhooks_notify_failed").length > 0, 20_000);
  const feed = env.FEED.get(env.FEED.idFromName("feed"));
  await evictDurableObject(feed);
  lines = [];
  await runDurableObjectAlarm(feed);
  expect(requestIdsOf("webhooks_notify_failed")).toEqual(["req-missed"]);
});

it("an alarm of an evicted queue has the id of the request that closed the queue, or that added a task later", async () => {
  await registerNewAgent({ id: "closing", executor: { type: "worker" } });
  const id = await createTask("req-waiting", { agentId: "closing" });
  await wake(id);
  const headers = { "X-Request-Id": "req-close" };
  const mend = await breakTaskLog(id);
  await patch("/agents/closing", { enabled: false }, { headers });
  const object = env.QUEUES.get(env.QUEUES.idFromName("closing"));
  await evictDurableObject(object);
  lines = [];
  await runDurableObjectAlarm(object);
  expect(requestIdsOf("task_call_failed")).toEqual(["req-close"]);
  const entry = { taskId: id, seq: 9, priority: "low", deadline: null, since: 0 } as const;
  const terms = { isPulled: true, limit: null };
  const queue = queueStub(env.QUEUES, "closing");
  await runWithRequestId("req-late", () => queue.enqueue("closing", entry, terms));
  await evictDurableObject(object);
  lines = [];
  await runDurableObjectAlarm(object);
  await mend();
  expect(requestIdsOf("task_call_failed")).toEqual(["req-late"]);
});

function isPending(storage: DurableObjectStorage): boolean {
  const tables = storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'deliveries'");
  return tables.toArray().length > 0;
}

it("a turn that fails has the id of the task's request, and a message from an earlier release is handled without one", async () => {
  await modelAgent("turner");
  const takeAway = provideAi(async () => DONE);
  const kept: TurnMessage[] = [];
  const whole = worker.queue;
  worker.queue = ({ messages }) => {
    kept.push(...messages.map(({ body }) => body));
    return Promise.resolve();
  };
  onTestFinished(() => {
    worker.queue = whole;
    takeAway();
  });
  const id = await createTask("req-turn", { agentId: "turner" });
  await wake(id);
  await vi.waitUntil(() => kept.length === 1, 20_000);
  const [message] = kept;
  if (message?.kind !== "turn") throw new Error("The task did not send a turn");
  expect(message.requestId).toBe("req-turn");

  const bringBack = disconnectDatabase(env.DB);
  await whole(batchOf(message), env);
  expect(requestIdsOf("turn_failed")).toEqual(["req-turn"]);
  passTime(MINUTE_MS);
  await wake(id);
  await vi.waitUntil(() => kept.length >= 2, 20_000);
  const next = kept.at(-1);
  if (next?.kind !== "turn") throw new Error("The task did not send the next turn");
  expect(next.requestId).toBe("req-turn");

  lines = [];
  const { requestId, ...earlier } = next;
  await whole(batchOf(earlier), env);
  bringBack();
  expect(requestIdsOf("turn_failed")).toEqual([undefined]);
});

function batchOf(body: TurnMessage) {
  const message = { id: "turn", timestamp: new Date(), attempts: 1, body };
  return createMessageBatch<TurnMessage>("bosun-turns", [message]);
}

it("a lost message has the id of the request that changed the task", async () => {
  await modelAgent("lost");
  const queue = Reflect.getPrototypeOf(env.TURNS) ?? {};
  const send: unknown = Reflect.get(queue, "send");
  Reflect.set(queue, "send", () => Promise.reject(new Error("The queue fails")));
  onTestFinished(() => void Reflect.set(queue, "send", send));
  const id = await createTask("req-first", { agentId: "lost" });
  await patch(
    `/agents/tasks/${id}`,
    { priority: "high" },
    { headers: { "X-Request-Id": "req-update" } },
  );
  await wake(id);
  expect(requestIdsOf("task_work_failed")).toEqual(["req-update"]);
});

it("the request id is available after awaits and timers, but not outside the request", async () => {
  const seen = await runWithRequestId("req-await", async () => {
    await scheduler.wait(1);
    await env.DB.prepare("SELECT 1").first();
    await new Promise<void>((resolve) => setTimeout(() => resolve(), 1));
    return currentRequestId();
  });
  expect([seen, currentRequestId()]).toEqual(["req-await", null]);
});
