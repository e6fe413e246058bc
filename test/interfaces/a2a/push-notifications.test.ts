import { env } from "cloudflare:workers";
import { StreamResponse } from "@a2a-js/sdk";
import { beforeAll, expect, it } from "vitest";
import type { FeedEvent } from "../../../src/events/model/feed.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { writePushMessage } from "../../../src/interfaces/a2a/push-notifications.ts";
import { taskStub } from "../../../src/tasks/task.rpc.ts";
import { get, ORIGIN, patch, post, send } from "../../support/client.ts";
import { keyId, keyWith } from "../../support/keys.ts";
import { stopClock, taskIn } from "../../support/tasks.ts";
import { heldTask, report } from "../../tasks/workers/fixtures.ts";
import { clientOf, STATE } from "./fixtures.ts";

beforeAll(stopClock);

function messageOf(event: FeedEvent, of: JsonObject = {}) {
  const settings = { configId: "c", life: 1, origin: ORIGIN, keyId: "root", token: null };
  return writePushMessage(env, event, { ...settings, authentication: null, ...of });
}

async function statusOf(message: ReturnType<typeof messageOf>) {
  const of = await message;
  if (of === null || of === "end") return of;
  const { payload } = StreamResponse.fromJSON(JSON.parse(of.body));
  return payload?.$case === "statusUpdate" || payload?.$case === "task"
    ? payload.value.status?.state
    : payload?.$case;
}

/** A task's events, in the form that the feed returns. */
async function eventsOf(taskId: string): Promise<FeedEvent[]> {
  const answer = await get(`/agents/tasks/${taskId}/events?limit=100`);
  const whose = { taskId, agentId: null, teamId: null };
  return answer.body.data.events.map((event: JsonObject) => ({ ...event, ...whose }));
}

async function eventOf(taskId: string, type: string): Promise<FeedEvent> {
  const event = (await eventsOf(taskId)).findLast((one) => one.type === type);
  if (event === undefined) throw new Error(`The task has no event ${type}`);
  return event;
}

it("a late push message shows the status of its event, and the last push message is marked final", async () => {
  const id = await taskIn("blocked");
  const asked = await eventOf(id, "blocked");
  expect((await post(`/agents/tasks/${id}/cancel`, { reason: "Not needed" })).status).toBe(200);
  expect(await statusOf(messageOf(asked))).toBe(STATE.inputRequired);
  expect(await messageOf(asked)).toMatchObject({ isLast: false });
  expect(await statusOf(messageOf(await eventOf(id, "cancelled")))).toBe(STATE.canceled);
  expect(await messageOf(await eventOf(id, "cancelled"))).toMatchObject({ isLast: true });
});

it("a push configuration for one run of a task gets no events from other runs", async () => {
  const id = await taskIn("failed");
  const end = await eventOf(id, "failed");
  expect((await post(`/agents/tasks/${id}/retry`, {})).status).toBeLessThan(300);
  const again = await eventOf(id, "retried");
  expect(await statusOf(messageOf(end))).toBe(STATE.failed);
  expect(await messageOf(end, { life: 2 })).toBeNull();
  expect(await messageOf(again)).toBeNull();
  expect(await statusOf(messageOf(again, { life: 2 }))).toBe(STATE.submitted);
  expect((await patch(`/agents/tasks/${id}`, { notes: "A remark" })).status).toBe(200);
  expect(await messageOf(await eventOf(id, "updated"), { life: 2 })).toBeNull();
});

it("a revoked, expired or unknown key gets no push messages", async () => {
  const event = await eventOf(await taskIn("blocked"), "blocked");
  const [good, late] = [await keyWith(["tasks:read"]), await keyWith(["tasks:read"])];
  expect(await statusOf(messageOf(event, { keyId: keyId(good) }))).toBe(STATE.inputRequired);
  expect((await send("DELETE", `/agents/keys/${keyId(good)}`)).status).toBe(200);
  await env.DB.prepare("UPDATE keys SET expires_at = 1 WHERE id = ?").bind(keyId(late)).run();
  for (const one of [keyId(good), keyId(late), "nobody"]) {
    expect(await messageOf(event, { keyId: one })).toBe("end");
  }
  expect(await writePushMessage(env, event, { sealed: "by another release" })).toBe("end");
});

it("a task that is unknown or not visible to the key ends its push notifications", async () => {
  const { agentId, id } = await heldTask();
  const event = await eventOf(id, "started");
  const own = await keyWith(["tasks:read"], { agentId });
  await post("/agents", { id: "other", executor: { type: "worker" } });
  const other = await keyWith(["tasks:read"], { agentId: "other" });
  expect(await statusOf(messageOf(event, { keyId: keyId(own) }))).toBe(STATE.working);
  expect(await messageOf(event, { keyId: keyId(other) })).toBe("end");
  expect(await messageOf({ ...event, taskId: "b".repeat(64) })).toBe("end");
});

it("a long log is read with one call that returns only status events", async () => {
  const { id, lease } = await heldTask();
  for (let count = 1; count <= 150; count += 1) {
    const step = { type: "progress", progress: 10, phase: `step ${count}` };
    expect((await report(id, lease, step)).status).toBe(200);
  }
  const port = taskStub(env.TASKS, id);
  if (!port.ok) throw new Error("The task does not exist");
  const wanted = { after: 0, limit: 100, summaryUpTo: Infinity };
  const viewer = { agentId: null, teamId: null };
  const before = await port.value.events(viewer, wanted);
  if (!before.ok) throw new Error("The task does not exist");
  expect(before.value.more).toBe(false);
  expect(before.value.events.filter(({ type }) => type === "progressed")).toHaveLength(1);
  const client = await clientOf("JSONRPC");
  const shown = await client.getTask({ tenant: "", id });
  expect(JSON.stringify(shown.status)).toContain("10%: step 150");
  // An event that is written after one read is included in the next.
  await report(id, lease, { type: "progress", progress: 20, phase: "on" });
  const later = await client.getTask({ tenant: "", id });
  expect(JSON.stringify(later.status)).toContain("20%: on");
  const upTo = { ...wanted, summaryUpTo: 50 };
  const part = await port.value.events(viewer, upTo);
  expect(part.ok && part.value.events.at(-1)?.seq).toBe(50);
  expect(part.ok && part.value.more).toBe(false);
});
