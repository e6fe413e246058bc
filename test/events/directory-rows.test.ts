import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, onTestFinished, vi } from "vitest";
import type { EventFeed } from "../../src/events/feed.object.ts";
import type { FeedEvent } from "../../src/events/model/feed.ts";
import { feedStub } from "../../src/events/feed.rpc.ts";
import type { DirectoryWrite } from "../../src/tasks/model/listing.ts";
import { divert } from "../support/divert.ts";
import { rowOf } from "../support/task-state.ts";
import { DATABASE_PROTOTYPE } from "../support/database-prototypes.ts";
import { muteWarnings } from "../support/mute-warnings.ts";
import { writeFor } from "../support/directory-write.ts";

const EVERYTHING = { types: null, agentId: null, teamId: null, taskId: null };

function eventsOf(taskId: string): FeedEvent[] {
  const at = new Date().toISOString();
  return [{ taskId, seq: 1, type: "completed", at, agentId: null, teamId: null, data: {} }];
}

/**
 * Publishes all writes concurrently. The feed writes the first row alone and the others in the next
 * transaction. If the first transaction were slow, the feed would refuse the others, so one row is
 * published beforehand.
 */
function publishTogether(writes: readonly (readonly [string, DirectoryWrite])[]) {
  return runInDurableObject<EventFeed, boolean[]>(
    env.FEED.get(env.FEED.idFromName("feed")),
    async (feed) => {
      const first = crypto.randomUUID();
      await feed.publish(eventsOf(first), true, writeFor(first));
      const sending = writes.map(([id, write]) => feed.publish(eventsOf(id), true, write));
      return (await Promise.all(sending)).map(({ isRowStored }) => isRowStored);
    },
  );
}

it("the feed writes and confirms a row that is sent with events", async () => {
  const id = crypto.randomUUID();
  const feed = feedStub(env.FEED);
  expect(await feed.publish(eventsOf(id), true, writeFor(id))).toEqual({
    isRowStored: true,
    isFollowed: false,
  });
  expect(await rowOf(id)).toMatchObject({ status: "completed", task: "Count the wharves." });
  expect(await feed.publish(eventsOf(crypto.randomUUID()), true)).toEqual({
    isRowStored: false,
    isFollowed: false,
  });
});

it.each<[string, (row: object) => unknown]>([
  ["has a field that this release does not know", (row) => Object.assign(row, { colour: "red" })],
  ["lacks a field of this release", (row) => Reflect.deleteProperty(row, "agentName")],
  [
    "has a rating, which would also change its agent's mean",
    (row) => Object.assign(row, { rating: 5 }),
  ],
])("the feed writes the other rows of a batch, but not one that %s", async (_title, change) => {
  const [odd, usual] = [crypto.randomUUID(), crypto.randomUUID()];
  const alone = crypto.randomUUID();
  const write = writeFor(odd);
  change(write.row);
  const confirmed = await publishTogether([
    [alone, writeFor(alone)],
    [odd, write],
    [usual, writeFor(usual)],
  ]);
  expect(confirmed).toEqual([true, false, true]);
  expect(await rowOf(odd)).toBeNull();
  expect(await rowOf(usual)).toMatchObject({ status: "completed" });
});

it("the feed stores events even if D1 rejects the row that is sent with them, and writes the next row", async () => {
  muteWarnings();
  const feed = feedStub(env.FEED);
  const id = crypto.randomUUID();
  const before = await feed.readLastPosition();
  const abort = "ON directory BEGIN SELECT RAISE(ABORT, 'outage'); END";
  await env.DB.exec(`CREATE TRIGGER no_row BEFORE INSERT ${abort}`);
  onTestFinished(async () => void (await env.DB.exec("DROP TRIGGER IF EXISTS no_row")));
  expect(await feed.publish(eventsOf(id), true, writeFor(id))).toMatchObject({
    isRowStored: false,
  });
  const { events } = await feed.readPage(EVERYTHING, before, 100);
  expect(events.map(({ taskId }) => taskId)).toEqual([id]);
  await env.DB.exec("DROP TRIGGER no_row");
  const next = crypto.randomUUID();
  expect(await feed.publish(eventsOf(next), true, writeFor(next))).toMatchObject({
    isRowStored: true,
  });
});

it("an older row that arrives late is confirmed but changes nothing", async () => {
  const feed = feedStub(env.FEED);
  const id = crypto.randomUUID();
  const { row } = writeFor(id, { createdAt: 1 });
  await feed.publish(eventsOf(id), true, { row: { ...row, seq: 3 }, written: null });
  const written = { ...row, seq: 1, status: "pending" } as const;
  const older = { ...row, status: "blocked" } as const;
  expect(await feed.publish(eventsOf(id), false, { row: older, written })).toMatchObject({
    isRowStored: true,
  });
  expect(await rowOf(id)).toMatchObject({ seq: 3, status: "completed" });
});

it("while the directory does not respond, the feed stores events, and publications without a row do not wait", async () => {
  muteWarnings();
  const ended = Promise.withResolvers<void>();
  divert(DATABASE_PROTOTYPE, "batch", async (real) => {
    await ended.promise;
    return real();
  });
  const feed = feedStub(env.FEED);
  const before = await feed.readLastPosition();
  const [held, plain] = [crypto.randomUUID(), crypto.randomUUID()];
  let isHeldAnswered = false;
  const publishing = feed.publish(eventsOf(held), true, writeFor(held)).finally(() => {
    isHeldAnswered = true;
  });
  expect(await feed.publish(eventsOf(plain), true)).toMatchObject({ isRowStored: false });
  expect(isHeldAnswered).toBe(false);
  const { events } = await feed.readPage(EVERYTHING, before, 100);
  expect(events.map(({ taskId }) => String(taskId)).toSorted()).toEqual([held, plain].toSorted());
  expect(await publishing).toMatchObject({ isRowStored: false });
  ended.resolve();
  await vi.waitFor(async () => expect(await rowOf(held)).not.toBeNull());
});
