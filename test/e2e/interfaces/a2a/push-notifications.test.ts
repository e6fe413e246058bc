import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { StreamResponse } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import type { Client } from "@a2a-js/sdk/client";
import { get, ORIGIN, post, send } from "../../../support/client.ts";
import { keyId, keyWith } from "../../../support/keys.ts";
import {
  BINDINGS,
  clientOf,
  dataPart,
  sortStates,
  message,
  part,
  sent,
  STATE,
  statesIn,
  TEXT,
  textOf,
} from "../../../interfaces/a2a/fixtures.ts";
import {
  objectOf,
  Receiver,
  wakeHook,
  type ReceivedRequest,
} from "../../events/webhooks/fixtures.ts";

function config(url: string, change: { id?: string; taskId?: string } = {}) {
  const authentication = { scheme: "Bearer", credentials: "let-me-in" };
  return { tenant: "", id: "", taskId: "", url, token: "it-is-me", authentication, ...change };
}

const pushesIn = (arrived: readonly ReceivedRequest[]) =>
  arrived.map(({ body }) => StreamResponse.fromJSON(JSON.parse(body)));

/** Waits until a message reports this state, and returns all messages so far. */
async function awaitState(receiver: Receiver, state: number): Promise<ReceivedRequest[]> {
  const hasState = async () => {
    const seen = await receiver.seen();
    return statesIn(pushesIn(seen)).includes(state);
  };
  await expect.poll(hasState, { timeout: 15_000 }).toBe(true);
  return receiver.seen();
}

const rowsOf = (taskId: string) =>
  env.DB.prepare("SELECT count(*) AS n FROM webhooks WHERE task_id = ?").bind(taskId).first("n");

const enabledRowsOf = (taskId: string) =>
  env.DB.prepare("SELECT count(*) AS n FROM webhooks WHERE task_id = ? AND enabled")
    .bind(taskId)
    .first("n");

const hookOf = async (taskId: string) =>
  String(
    await env.DB.prepare("SELECT id FROM webhooks WHERE task_id = ?").bind(taskId).first("id"),
  );

/** Runs a webhook's alarm until none is set, at most ten times. */
async function drain(hook: string): Promise<void> {
  for (let wakes = 0; wakes < 10 && (await wakeHook(hook)); wakes += 1);
}

/** Whether a webhook has tried to deliver every event up to the cancellation. */
const hasNoPendingDelivery = (hook: string) =>
  runInDurableObject(objectOf(hook), (_hook, { storage }) => {
    const rows = storage.sql.exec("SELECT type, tries FROM deliveries").toArray();
    return rows.some(({ type }) => type === "cancelled") && rows.every(({ tries }) => tries !== 0);
  });

/**
 * Creates and cancels a task with a configuration whose receiver is down, and waits until each
 * delivery has been attempted.
 */
async function createUndelivered(client: Client, change: { id?: string } = {}) {
  const receiver = new Receiver();
  await receiver.answers({ status: 503 });
  await post("/agents", { id: "idle", executor: { type: "worker" } });
  const { id } = await sent(client, message("Wait", { bosun: { agentId: "idle" } }), {
    returnImmediately: true,
    taskPushNotificationConfig: config(receiver.url, change),
  });
  const hook = await hookOf(id);
  await client.cancelTask({ tenant: "", id, metadata: undefined });
  await expect.poll(() => hasNoPendingDelivery(hook), { timeout: 15_000 }).toBe(true);
  await receiver.answers({ status: 200 });
  return { id, hook, receiver };
}

/** Makes the next attempt of each delivery due, and runs the webhook's alarm. */
async function attemptAgain(hook: string): Promise<void> {
  await runInDurableObject(objectOf(hook), async (_hook, { storage }) => {
    storage.sql.exec("UPDATE deliveries SET next_at = 0 WHERE status = 0");
    await storage.setAlarm(Date.now() + 60_000);
  });
  await drain(hook);
}

it("a push configuration is deleted with its task, even if the task's end was not published", async () => {
  const { id, hook, receiver } = await createUndelivered(await clientOf("JSONRPC"));
  const task = env.TASKS.get(env.TASKS.idFromString(id));
  await runInDurableObject(task, (_task, { storage }) => storage.deleteAll());
  await evictDurableObject(task);
  const before = (await receiver.seen()).length;
  await attemptAgain(hook);
  await expect.poll(() => rowsOf(id), { timeout: 15_000 }).toBe(0);
  expect(await receiver.seen()).toHaveLength(before);
});

it("a push configuration is deleted with its key and sends nothing afterwards", async () => {
  const key = await keyWith(["tasks:read", "tasks:write"]);
  const { id, hook, receiver } = await createUndelivered(await clientOf("JSONRPC", key));
  expect((await send("DELETE", `/agents/keys/${keyId(key)}`)).status).toBe(200);
  const before = (await receiver.seen()).length;
  await attemptAgain(hook);
  await expect.poll(() => rowsOf(id), { timeout: 15_000 }).toBe(0);
  expect(await receiver.seen()).toHaveLength(before);
});

it.each([
  ["the same configuration", ""],
  ["a new address", "/new"],
])(
  "the end of a task is still delivered after a client has sent %s for the ended task",
  async (_what, path) => {
    const client = await clientOf("JSONRPC");
    const { id, hook, receiver } = await createUndelivered(client, { id: "mine" });
    const change = { id: "mine", taskId: id };
    for (let times = 0; times < 2; times += 1) {
      await client.createTaskPushNotificationConfig(config(`${receiver.url}${path}`, change));
    }
    expect(await enabledRowsOf(id)).toBe(1);
    const before = (await receiver.seen()).length;
    await attemptAgain(hook);
    const arrived = pushesIn((await receiver.seen()).slice(before));
    expect(statesIn(arrived)).toContain(STATE.canceled);
    await expect.poll(() => enabledRowsOf(id), { timeout: 15_000 }).toBe(0);
  },
);

describe.each(BINDINGS)("push notifications over %s", (binding) => {
  it("push notifications report each status up to the end, each with its authentication", async () => {
    const receiver = new Receiver();
    const client = await clientOf(binding);
    const more = [dataPart({ text: TEXT })];
    const bosun = { deliverables: ["summary"] };
    const task = await sent(client, message("Summarise the text", { bosun, more }), {
      taskPushNotificationConfig: config(receiver.url),
      returnImmediately: true,
    });
    const arrived = await awaitState(receiver, STATE.completed);
    for (const { headers } of arrived) {
      expect(headers).toMatchObject({
        "content-type": "application/a2a+json",
        "x-a2a-notification-token": "it-is-me",
        authorization: "Bearer let-me-in",
      });
    }
    const payloads = pushesIn(arrived).map(({ payload }) => payload);
    const kinds = payloads.map((payload) => payload?.$case);
    expect(kinds.slice(0, -1).every((kind) => kind === "statusUpdate")).toBe(true);
    // The result is sent as a complete task, with links that need no key.
    const last = payloads.at(-1);
    if (last?.$case !== "task") throw new Error("The end must come as the task");
    expect(last.value).toMatchObject({ id: task.id, contextId: task.contextId, history: [] });
    const file = last.value.artifacts.find(({ name }) => name === "summary.txt");
    const link = String(file?.parts[0]?.content?.value);
    expect((await get(link.slice(ORIGIN.length), { key: null })).text).toContain("Bergen");
    // Once a task has left a state, no message reports that state again.
    const states = statesIn(pushesIn(arrived));
    expect(states).toEqual(sortStates(states));
    // When the task ends, the configuration is disabled but can still be read.
    await expect.poll(() => enabledRowsOf(task.id), { timeout: 15_000 }).toBe(0);
    const ofTask = { tenant: "", taskId: task.id, pageSize: 0, pageToken: "" };
    const { configs } = await client.listTaskPushNotificationConfig(ofTask);
    expect(configs).toMatchObject([{ taskId: task.id, url: receiver.url }]);
  });

  it("push notifications contain the task's question and continue after the answer", async () => {
    const receiver = new Receiver();
    const client = await clientOf(binding);
    const more = [dataPart({ text: TEXT, askFirst: "Which year?" })];
    const { id } = await sent(client, message("Summarise the text", { more }), {
      taskPushNotificationConfig: config(receiver.url),
    });
    const asked = pushesIn(await awaitState(receiver, STATE.inputRequired)).at(-1)?.payload;
    if (asked?.$case !== "statusUpdate") throw new Error("A question must come as a status");
    expect(textOf(asked.value.status?.message)).toBe("Which year?");
    await sent(client, message("1702", { taskId: id }));
    await awaitState(receiver, STATE.completed);
  });

  it("push notifications about a retry are not sent to the failed task's configuration", async () => {
    const [first, second] = [new Receiver(), new Receiver()];
    const client = await clientOf(binding);
    const more = [dataPart({ text: TEXT, requireReview: true })];
    const { id, contextId } = await sent(client, message("Summarise the text", { more }));
    await client.createTaskPushNotificationConfig(config(first.url, { taskId: id, id: "a" }));
    await sent(client, message("No", { taskId: id, bosun: { decision: "reject" } }));
    await awaitState(first, STATE.failed);
    const again = await sent(
      client,
      message("", { contextId, more: [part({ $case: "data", value: { requireReview: false } })] }),
      {
        taskPushNotificationConfig: config(second.url),
        returnImmediately: true,
      },
    );
    const later = await awaitState(second, STATE.completed);
    const ids = pushesIn(later).map(({ payload }) =>
      payload?.$case === "task"
        ? payload.value.id
        : payload?.$case === "statusUpdate" && payload.value.taskId,
    );
    expect(new Set(ids)).toEqual(new Set([again.id]));
    expect(statesIn(pushesIn(await first.seen())).at(-1)).toBe(STATE.failed);
    expect(statesIn(pushesIn(await first.seen()))).not.toContain(STATE.completed);
  });

  it("push notifications stop when their configuration is deleted", async () => {
    const receiver = new Receiver();
    const client = await clientOf(binding);
    const more = [dataPart({ text: TEXT, askFirst: "Which year?" })];
    const { id } = await sent(client, message("Summarise the text", { more }), {
      taskPushNotificationConfig: config(receiver.url, { id: "mine" }),
    });
    await awaitState(receiver, STATE.inputRequired);
    const hook = await hookOf(id);
    await drain(hook);
    const before = (await receiver.seen()).length;
    await client.deleteTaskPushNotificationConfig({ tenant: "", taskId: id, id: "mine" });
    // By the time the second receiver has its message, the first receiver would have got one if its
    // configuration still existed.
    const second = new Receiver();
    await client.createTaskPushNotificationConfig(config(second.url, { taskId: id }));
    await sent(client, message("1702", { taskId: id }));
    await awaitState(second, STATE.completed);
    await drain(hook);
    expect(await receiver.seen()).toHaveLength(before);
  });

  it("a task created over REST sends push notifications too", async () => {
    const receiver = new Receiver();
    const client = await clientOf(binding);
    const context = { text: TEXT, askFirst: "Which year?" };
    const made = await post("/agents/tasks", { task: "Summarise the text", context });
    const { taskId } = made.body.data;
    await client.createTaskPushNotificationConfig(config(receiver.url, { taskId }));
    expect((await post(`/agents/tasks/${taskId}/cancel`, { reason: "Not needed" })).status).toBe(
      200,
    );
    const last = pushesIn(await awaitState(receiver, STATE.canceled)).at(-1)?.payload;
    if (last?.$case !== "statusUpdate") throw new Error("A cancellation must come as a status");
    expect(textOf(last.value.status?.message)).toBe("Not needed");
  });
});
