import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Webhook } from "standardwebhooks";
import type {
  ClaimShape,
  CreatedShape,
  DeliveriesShape,
  FeedEventShape,
  FeedShape,
  FilesShape,
  ListShape,
  LogShape,
  TaskShape,
} from "../../../scripts/proof/responses.ts";
import { ask, send, type Caller } from "./api-client.ts";
import {
  TASKS,
  toRecordedForm,
  type EarlierState,
  type TaskName,
} from "./earlier-state/earlier-state.ts";
import { startEarlierState, type StartedState } from "./earlier-state/start.ts";
import { closed, listening } from "./http-server.ts";
import { until } from "./processes.ts";

const PATIENCE_MS = 60_000;

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

let started: StartedState;
let earlier: EarlierState;
let root: Caller;
/** Messages received by the webhook receiver. */
const messages: Message[] = [];
let receiver: Server;
let receiverUrl: string;
const model = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });

beforeAll(async () => {
  started = await startEarlierState();
  earlier = started.earlier;
  root = callerWith(earlier.secrets.ROOT_API_KEY);
  receiver = createServer((request, response) => {
    void text(request).then((body) => {
      const pairs = Object.entries(request.headersDistinct);
      const headers = Object.fromEntries(pairs.map(([name, values]) => [name, String(values)]));
      messages.push({ headers, body });
      response.writeHead(204).end();
    });
  });
  receiverUrl = await listening(receiver);
  const response = { toolCalls: [{ name: "finish", arguments: '{"summary":"Read."}' }] };
  model.on({ endpoint: "chat" }, response);
  await model.start();
}, PATIENCE_MS);

afterAll(async () => {
  await closed(receiver);
  await model.stop();
  await started.stop();
});

function callerWith(key: string): Caller {
  return { origin: started.origin, key };
}

function pathOf(name: TaskName): string {
  return `/agents/tasks/${earlier.tasks[name]}`;
}

function untilStatus(name: TaskName, wished: string): Promise<TaskShape> {
  return until(
    () => ask<TaskShape>(root, "GET", pathOf(name)),
    ({ status }) => status === wished,
    PATIENCE_MS,
  );
}

async function logOf(name: TaskName): Promise<LogShape["events"]> {
  return (await ask<LogShape>(root, "GET", `${pathOf(name)}/events`)).events;
}

async function statusOf(caller: Caller, method: string, path: string): Promise<number> {
  return (await send(caller, method, path)).status;
}

async function claimTask(key: string): Promise<ClaimShape["tasks"][number]> {
  const body = { worker: "new", waitSeconds: 20 };
  const { tasks } = await ask<ClaimShape>(callerWith(key), "POST", "/agents/tasks/claim", body);
  const [task] = tasks;
  if (task === undefined) throw new Error("There is no task to claim");
  return task;
}

async function completeClaimed(key: string, { taskId, lease }: ClaimShape["tasks"][number]) {
  const report = { lease: lease.token, type: "completed", result: { summary: "Done." } };
  await ask(callerWith(key), "POST", `/agents/tasks/${taskId}/report`, report);
}

// This test comes first, because the others change these resources.
it("resources created with the earlier release look the same in this one", async () => {
  for (const [path, recorded] of Object.entries(earlier.views)) {
    const shown = toRecordedForm(await ask<unknown>(root, "GET", path), started.origin);
    expect({ [path]: shown }).toMatchObject({ [path]: recorded });
  }
});

it("deliverables from the earlier release have the same bytes, by key and by signed link", async () => {
  expect(earlier.files.length).toBeGreaterThan(3);
  for (const { path, sha256 } of earlier.files) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    const { deliverables } = await ask<FilesShape>(root, "GET", folder);
    const file = deliverables.find(({ name }) => path === `${folder}/${name}`);
    const headers = { Authorization: `Bearer ${root.key}` };
    for (const response of [
      await fetch(`${started.origin}${path}`, { headers }),
      await fetch(file?.downloadUrl ?? ""),
    ]) {
      const bytes = Buffer.from(await response.arrayBuffer());
      expect([path, createHash("sha256").update(bytes).digest("hex")]).toEqual([path, sha256]);
    }
  }
});

it("a built-in task that was killed between two steps completes without repeating a step", async () => {
  expect(await untilStatus("running", "completed")).toMatchObject({ progress: 100, attempt: 1 });
  const steps = (await logOf("running")).flatMap(({ data }) => data["phase"] ?? []);
  expect(steps.length).toBeGreaterThan(3);
  expect(new Set(steps).size).toBe(steps.length);
});

it("tasks queued for an agent with one slot run one at a time, starting with the one that was running", async () => {
  const names = ["runningInQueue", "waitingInQueue", "lastInQueue"] as const;
  const ended = await Promise.all(names.map((name) => untilStatus(name, "completed")));
  expect(ended.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  const logs = await Promise.all(names.map(logOf));
  const spans = logs.flatMap((log) =>
    log.filter(({ type }) => ["started", "completed"].includes(type)).map(({ at }) => at),
  );
  expect(spans).toHaveLength(6);
  expect(spans).toEqual(spans.toSorted());
});

it("a blocked task completes after an answer", async () => {
  await ask(root, "POST", `${pathOf("blocked")}/respond`, { response: "The new crew." });
  expect(await untilStatus("blocked", "completed")).toMatchObject({ attempt: 1 });
});

it("a task in review completes when its work is approved", async () => {
  await ask(root, "POST", `${pathOf("review")}/review`, { decision: "approve" });
  expect(await untilStatus("review", "completed")).toMatchObject({ attempt: 1 });
});

it("a failed task completes on its second attempt after a retry", async () => {
  await ask(root, "POST", `${pathOf("failed")}/retry`, {});
  const claimed = await claimTask(earlier.keys.scribe);
  expect(claimed).toMatchObject({ taskId: earlier.tasks.failed, attempt: 2 });
  await completeClaimed(earlier.keys.scribe, claimed);
  await untilStatus("failed", "completed");
});

it("a cancelled task stays cancelled", async () => {
  for (const action of ["retry", "cancel"]) {
    const reply = await send(root, "POST", `${pathOf("cancelled")}/${action}`, { body: {} });
    expect(reply.status).toBe(409);
  }
  await untilStatus("cancelled", "cancelled");
});

it("a worker claims waiting tasks by priority, and the task with the expired lease together with its stored work", async () => {
  const { pilot } = earlier.keys;
  const late = await send(callerWith(pilot), "POST", `${pathOf("leased")}/report`, {
    body: { lease: earlier.lease, type: "heartbeat" },
  });
  expect(late).toMatchObject({ status: 409, error: { code: "LEASE_LOST" } });
  const claimed = [];
  for (let place = 0; place < 3; place += 1) {
    const task = await claimTask(pilot);
    claimed.push(task);
    await completeClaimed(pilot, task);
  }
  const byId = new Map(claimed.map((task) => [task.taskId, task]));
  const { leased, waitingForWorker, lastForWorker } = earlier.tasks;
  expect(byId.get(leased)).toMatchObject({ attempt: 2, work: { buoy: 7 } });
  expect(byId.get(waitingForWorker)).toMatchObject({ attempt: 1 });
  expect(byId.get(lastForWorker)).toMatchObject({ attempt: 1 });
  // The task with the expired lease waits until its backoff ends. The others are claimed by
  // priority.
  const order = [...byId.keys()].filter((taskId) => taskId !== leased);
  expect(order).toEqual([waitingForWorker, lastForWorker]);
});

it("a task that was killed during a model turn completes in another turn", async () => {
  const executor = { type: "model", model: "m", baseUrl: `${model.url}/v1` };
  await ask(root, "PATCH", "/agents/reader", { executor });
  const done = await untilStatus("inModelTurn", "completed");
  expect(done).toMatchObject({ attempt: 1, result: { summary: "Read." } });
});

it("a task sent by an A2A client is found and completes", async () => {
  await untilStatus("sentByA2a", "completed");
  const response = await fetch(`${started.origin}/a2a/v1/tasks/${earlier.tasks.sentByA2a}`, {
    headers: { Authorization: `Bearer ${root.key}`, "A2A-Version": "1.0" },
  });
  expect(await response.json()).toMatchObject({
    contextId: earlier.tasks.sentByA2a,
    status: { state: "TASK_STATE_COMPLETED" },
  });
});

it("a task's idempotency key returns that task, and is rejected with a different body", async () => {
  const { path, body, idempotencyKey } = earlier.createTask;
  const creator = callerWith(earlier.keys.creator);
  const headers = { "Idempotency-Key": idempotencyKey };
  const repeated = await send<CreatedShape>(creator, "POST", path, { body, headers });
  expect(repeated.data.taskId).toBe(earlier.tasks.completed);
  expect(repeated.headers.get("Idempotency-Replayed")).toBe("true");
  const other = await send(creator, "POST", path, {
    body: { ...body, task: "Analyse something else" },
    headers,
  });
  expect(other).toMatchObject({ status: 422, error: { code: "IDEMPOTENCY_KEY_REUSED" } });
});

it("API keys keep their scopes and bindings, and a revoked key stays revoked", async () => {
  const { creator, scribe, revoked } = earlier.keys;
  expect(await statusOf(callerWith(creator), "GET", pathOf("completed"))).toBe(200);
  expect(await statusOf(callerWith(creator), "GET", "/agents/keys")).toBe(403);
  expect(await statusOf(callerWith(scribe), "GET", pathOf("completed"))).toBe(403);
  const foreign = await send(callerWith(scribe), "POST", "/agents/tasks/claim", {
    body: { agentId: "pilot", waitSeconds: 0 },
  });
  expect(foreign.status).toBe(403);
  expect(await statusOf(callerWith(revoked), "GET", pathOf("completed"))).toBe(401);
});

it("a request that created a key can be repeated with its idempotency key, whether or not a day has passed", async () => {
  const { path, body, idempotencyKey } = earlier.createKey;
  const headers = { "Idempotency-Key": idempotencyKey };
  const { status, data } = await send<{ key: string }>(root, "POST", path, { body, headers });
  expect(status).toBe(201);
  expect(await statusOf(callerWith(data.key), "GET", pathOf("completed"))).toBe(200);
});

it("a webhook delivers pending and new events, signed with the secret of the earlier release", async () => {
  const { id, secret, deliveryId } = earlier.webhook;
  await ask(root, "PATCH", `/agents/webhooks/${id}`, { url: receiverUrl });
  const delivery = `/agents/webhooks/${id}/deliveries/${deliveryId}`;
  await ask(root, "POST", `${delivery}/redeliver`);
  const { taskId } = await ask<CreatedShape>(root, "POST", "/agents/tasks", {
    task: "Write the third list",
    agentId: "scribe",
  });
  await ask(root, "POST", `/agents/tasks/${taskId}/cancel`, { reason: "It is written." });
  const ofTasks = [earlier.tasks.undelivered, taskId];
  const verified = await until(
    async () => messages.map(({ headers, body }) => new Webhook(secret).verify(body, headers)),
    (events) => ofTasks.every((one) => JSON.stringify(events).includes(one)),
    PATIENCE_MS,
  );
  for (const one of ofTasks) {
    const event = { type: "task.cancelled", data: expect.objectContaining({ taskId: one }) };
    expect(verified).toContainEqual(expect.objectContaining(event));
  }
  expect(await ask(root, "GET", delivery)).toMatchObject({ status: "delivered" });
});

it("a webhook receives the events of all tasks that end after the service was killed", async () => {
  const { running, runningInQueue, waitingInQueue, lastInQueue } = earlier.tasks;
  const ended = [running, runningInQueue, waitingInQueue, lastInQueue];
  const path = `/agents/webhooks/${earlier.webhook.id}/deliveries?limit=100`;
  const delivered = await until(
    async () => {
      const { deliveries } = await ask<DeliveriesShape>(root, "GET", path);
      return deliveries.map(({ event }) => event.taskId);
    },
    (taskIds) => ended.every((one) => taskIds.includes(one)),
    PATIENCE_MS,
  );
  expect(delivered.filter((one) => ended.includes(one)).toSorted()).toEqual(ended.toSorted());
});

it("a feed cursor continues with every event of a task that was running when the service was killed", async () => {
  const found: FeedEventShape[] = [];
  let cursor = await readableCursor(earlier.feedCursor);
  const names = ["running", "lastInQueue", "blocked", "review"] as const;
  await until(
    async () => {
      const path = `/agents/events?limit=100&cursor=${encodeURIComponent(cursor)}`;
      const page = await ask<FeedShape>(root, "GET", path);
      found.push(...page.events);
      cursor = page.nextCursor;
      return found.filter(({ type }) => type === "completed").map(({ taskId }) => taskId);
    },
    (completed) => names.every((name) => completed.includes(earlier.tasks[name])),
    PATIENCE_MS,
  );
  const seqs = found.filter(({ taskId }) => taskId === earlier.tasks.running).map(({ seq }) => seq);
  expect(seqs).toEqual((await logOf("running")).map(({ seq }) => seq));
});

/**
 * Returns a cursor that the feed accepts. The feed drops events after seven days and then states
 * where to continue.
 */
async function readableCursor(cursor: string): Promise<string> {
  const reply = await send<FeedShape>(
    root,
    "GET",
    `/agents/events?limit=1&cursor=${encodeURIComponent(cursor)}`,
  );
  if (reply.status === 200) return cursor;
  expect(reply).toMatchObject({ status: 410, error: { code: "CURSOR_EXPIRED" } });
  return String(reply.error?.context?.["cursor"]);
}

it("a tool keeps its usage and credentials, and new calls add to the usage", async () => {
  const path = "/agents/tools/tides";
  const { lastUsedAt, recentCalls } = earlier.usage;
  expect(recentCalls).toHaveLength(3);
  expect(await ask(root, "GET", `${path}/usage`)).toMatchObject({ lastUsedAt, recentCalls });
  // If the error is a refused connection, the credentials were decrypted.
  const body = { capability: "turns", parameters: {}, agentId: "scribe" };
  const reply = await send(root, "POST", `${path}/invoke`, { body });
  expect(reply).toMatchObject({ status: 502, error: { code: "TOOL_UPSTREAM_ERROR" } });
  const after = await ask<EarlierState["usage"]>(root, "GET", `${path}/usage`);
  expect(after.recentCalls.slice(1)).toEqual(recentCalls);
});

it("a task list cursor continues with the same tasks", async () => {
  const { cursor, nextIds } = earlier.list;
  const page = await ask<ListShape>(root, "GET", `/agents/tasks?limit=4&cursor=${cursor}`);
  expect(page.tasks.map(({ taskId }) => taskId)).toEqual(nextIds);
});

it("each task's log continues the log of the earlier release, and the list shows the task's status", async () => {
  const { tasks: listed } = await ask<ListShape>(root, "GET", "/agents/tasks?limit=100");
  for (const name of TASKS) {
    const isCancelled = name === "cancelled" || name === "undelivered";
    const task = await untilStatus(name, isCancelled ? "cancelled" : "completed");
    const log = await logOf(name);
    expect(log.slice(0, earlier.logs[name].length)).toMatchObject(earlier.logs[name]);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, place) => place + 1));
    const row = listed.find(({ taskId }) => taskId === task.taskId);
    expect([name, row?.status]).toEqual([name, task.status]);
  }
});

it("the service logs only refused connections to the tool and the model", () => {
  const refused = "the connection to http://127.0.0.1:9 failed";
  // The runtime itself logs overdue alarms.
  const ofService = started.logLines.filter((line) => !line.startsWith("NOSENTRY"));
  expect(ofService.filter((line) => !line.includes(refused))).toEqual([]);
});
