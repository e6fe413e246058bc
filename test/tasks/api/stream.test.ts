import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { get, post } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { listen, type Listener } from "../../support/event-source.ts";
import { create, read, stopClock, taskIn, wake } from "../../support/tasks.ts";

beforeAll(stopClock);

const path = (id: string) => `/agents/tasks/${id}/events`;
const seqs = ({ received }: Listener) =>
  received.flatMap(({ type, data }) => (type === "message" ? [data.seq] : []));
const countTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const objectOf = (id: string) => env.TASKS.get(env.TASKS.idFromString(id));

async function logOf(id: string) {
  return (await get(path(id))).body.data.events;
}

async function complete(id: string): Promise<void> {
  while ((await read(id)).status !== "completed") await wake(id);
}

it("an event stream starts with a snapshot, sends each event with its seq, and ends after the last event", async () => {
  const id = await create({ context: { text: "It rained. Then it stopped raining." } });
  const client = listen(path(id));
  await client.until(() => client.received.length > 0);
  const [snapshot] = client.received;
  expect(snapshot).toMatchObject({ type: "snapshot", data: { taskId: id } });
  expect(snapshot?.data.seq).toBeGreaterThanOrEqual(1);
  await complete(id);
  await client.until(client.isClosed);
  const log = await logOf(id);
  const events = client.received.filter(({ type }) => type === "message");
  expect(events.map(({ data }) => data)).toEqual(log);
  expect(log.at(-1).type).toBe("completed");
  // The client reconnected with the last id and got a 204, because there were no more events.
  expect(client.connections).toEqual([
    { lastEventId: null, status: 200 },
    { lastEventId: String(log.length), status: 204 },
  ]);
});

it("an event stream neither loses nor repeats an event even if its connection breaks repeatedly", async () => {
  const id = await create({ context: { text: "It rained. Then it stopped raining." } });
  const client = listen(path(id));
  await client.until(() => seqs(client).includes(1));
  for (const connections of [2, 3]) {
    client.cut();
    await wake(id);
    await client.until(() => client.connections.length === connections);
  }
  await complete(id);
  await client.until(client.isClosed);
  expect(seqs(client)).toEqual(countTo((await logOf(id)).length));
  expect(client.connections.length).toBeGreaterThanOrEqual(4);
});

it("an event stream continues on the same connection after the task's object is evicted", async () => {
  const id = await taskIn("blocked");
  const client = listen(path(id));
  const { seq } = (await logOf(id)).at(-1);
  await client.until(() => seqs(client).includes(seq));
  await evictDurableObject(objectOf(id));
  await post(`/agents/tasks/${id}/respond`, { response: "1702" });
  await client.until(() => seqs(client).includes(seq + 1));
  expect(client.connections).toHaveLength(1);
  client.close();
});

it("an event stream resumes after the task's object is evicted with its sockets", async () => {
  const id = await taskIn("blocked");
  const client = listen(path(id));
  const { seq } = (await logOf(id)).at(-1);
  await client.until(() => seqs(client).includes(seq));
  await evictDurableObject(objectOf(id), { webSockets: "close" });
  await post(`/agents/tasks/${id}/cancel`);
  await client.until(client.isClosed);
  expect(seqs(client)).toEqual(countTo(seq + 1));
});

it("an event stream starts after the seq in 'after', or after a returning client's Last-Event-ID", async () => {
  const id = await taskIn("completed");
  const log = await logOf(id);
  const from = listen(`${path(id)}?after=2`);
  await from.until(from.isClosed);
  expect(seqs(from)).toEqual(countTo(log.length).slice(2));
  const answer = await get(`${path(id)}?after=1`, {
    headers: { Accept: "text/event-stream", "Last-Event-ID": "3" },
  });
  // The snapshot's id is the position where the stream continues.
  expect(answer.text.match(/^id: .*/gm)).toEqual(
    countTo(log.length)
      .slice(2)
      .map((seq) => `id: ${seq}`),
  );
});

it("an event stream that would start after the last event of an ended task returns 204", async () => {
  const id = await taskIn("completed");
  const { length } = await logOf(id);
  const client = listen(`${path(id)}?after=${length}`);
  await client.until(client.isClosed);
  expect(client.connections.at(-1)).toEqual({ lastEventId: String(length), status: 204 });
  expect(seqs(client)).toEqual([]);
});

it("an event stream ends when the task fails, and a new one continues after a retry", async () => {
  const id = await taskIn("failed");
  const { length } = await logOf(id);
  const client = listen(path(id));
  await client.until(client.isClosed);
  expect(seqs(client)).toEqual(countTo(length));
  await post(`/agents/tasks/${id}/retry`);
  const later = listen(`${path(id)}?after=${length}`);
  await later.until(() => seqs(later).includes(length + 1));
  later.close();
});

it.each([
  ["-1", "must be the id of one of this task's events"],
  ["abc", "must be the id of one of this task's events"],
  ["1.5", "must be the id of one of this task's events"],
  ["99999999999999999999", "must be the id of one of this task's events"],
  ["4000", "must be at most"],
])("the foreign Last-Event-ID %s is rejected", async (lastEventId, rule) => {
  const id = await create();
  const headers = { Accept: "text/event-stream", "Last-Event-ID": lastEventId };
  const answer = await get(path(id), { headers });
  expect(answer.status).toBe(400);
  expect(answer.body.error).toMatchObject({
    code: "VALIDATION_ERROR",
    details: [{ path: "Last-Event-ID", message: expect.stringContaining(rule) }],
  });
});

it("a stream with a limit is rejected, because it sends every event", async () => {
  // The task has ended, so if the stream were accepted, the test would fail quickly.
  const id = await taskIn("completed");
  const headers = { Accept: "text/event-stream" };
  const answer = await get(`${path(id)}?limit=1`, { headers });
  expect(answer.status, answer.text).toBe(400);
  expect(answer.body.error.details).toMatchObject([{ path: "limit" }]);
});

it("a request for an unknown task's event stream returns TASK_NOT_FOUND", async () => {
  const headers = { Accept: "text/event-stream" };
  const answer = await get(path("a".repeat(64)), { headers });
  expect(answer.body.error.code).toBe("TASK_NOT_FOUND");
});

it("a request for the event stream of a task hidden from the key returns TASK_NOT_FOUND", async () => {
  // The task has ended, so if the stream were accepted, the test would fail quickly.
  const id = await taskIn("completed", { agentId: "researcher" });
  const key = await keyWith(["tasks:read"], { agentId: "storyteller" });
  const headers = { Accept: "text/event-stream" };
  const answer = await get(path(id), { key, headers });
  expect([answer.status, answer.body.error.code]).toEqual([404, "TASK_NOT_FOUND"]);
  expect((await get(path(id), { headers })).status).toBe(200);
});
