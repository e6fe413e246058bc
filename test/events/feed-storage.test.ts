import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { instantOfPosition, type FeedEvent } from "../../src/events/model/feed.ts";
import {
  FEED_MAINTENANCE_PAUSE_MS,
  FEED_PRUNE_INTERVAL_MS,
  FEED_RETENTION_MS,
} from "../../src/events/limits.ts";
import { eventIdOf, FeedStore } from "../../src/events/feed.store.ts";
import { feedStub } from "../../src/events/feed.rpc.ts";
import { get } from "../support/client.ts";
import { crash } from "../support/crash.ts";
import { divert } from "../support/divert.ts";
import { passTime, stopClock } from "../support/tasks.ts";

const EVERYTHING = { types: null, agentId: null, teamId: null, taskId: null };
const SMALL = { bytesMax: 300_000, prunedRowsMax: 5 };
/** Enough storage for everything that a test writes. */
const AMPLE = { bytesMax: 1e9, prunedRowsMax: 5 };
const NOW = Date.UTC(2031, 0, 1);
const HOUR_MS = 3_600_000;
/** A few events with this text fill a small feed. */
const NOTE = "n".repeat(50_000);

const feed = (name = "feed") => env.FEED.get(env.FEED.idFromName(name));

/** Runs a function with the storage of a new feed. */
function inFeed(run: (storage: DurableObjectStorage) => void): Promise<void> {
  return runInDurableObject(feed(crypto.randomUUID()), (_, { storage }) => run(storage));
}

function eventOf(seq: number, note = ""): FeedEvent {
  const at = new Date(NOW).toISOString();
  const taskId = "a".repeat(64);
  return { taskId, seq, type: "updated", at, agentId: null, teamId: null, data: { notes: note } };
}

function watchWarnings() {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  return warn;
}

const seqsIn = (batches: FeedStore, after = 0) =>
  batches.readPage(EVERYTHING, after, 1_000).events.map(({ seq }) => seq);
const rowsIn = (storage: DurableObjectStorage) =>
  storage.sql.exec<{ count: number }>("SELECT count(*) AS count FROM batches").one().count;

/** Makes INSERT and CREATE statements fail, as when storage is full, until something is deleted. */
function fillUp(storage: DurableObjectStorage): void {
  const { sql } = storage;
  const owner: object = Reflect.getPrototypeOf(sql) ?? sql;
  const exec: SqlStorage["exec"] = Reflect.get(owner, "exec");
  let isFull = true;
  Reflect.set(owner, "exec", function full(this: SqlStorage, text: string, ...given: unknown[]) {
    if (text.startsWith("DELETE")) isFull = false;
    if (isFull && /^(INSERT|CREATE)/.test(text)) {
      throw new Error("database or disk is full: SQLITE_FULL");
    }
    return Reflect.apply(exec, this, [text, ...given]);
  });
  onTestFinished(() => void Reflect.set(owner, "exec", exec));
}

describe("a feed that runs out of storage", () => {
  it("a feed near its maximum size stores every new event and drops the oldest events", async () => {
    const warn = watchWarnings();
    await inFeed((storage) => {
      const batches = new FeedStore(storage, SMALL);
      for (let seq = 1; seq <= 100; seq += 1) {
        batches.append([eventOf(seq, "x".repeat(10_000))], NOW + seq);
        expect(storage.sql.databaseSize).toBeLessThan(SMALL.bytesMax + 50_000);
      }
      const kept = seqsIn(batches);
      expect(kept.length).toBeGreaterThan(15);
      expect(kept).toEqual(Array.from(kept, (_, index) => 101 - kept.length + index));
    });
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({
        event: "feed_truncated",
        before: expect.stringMatching(/^2031-01-01T00:00:00/),
        databaseBytes: expect.any(Number),
      }),
    );
  });

  it("a full feed without a segments table drops old events and stores the new one", async () => {
    const warn = watchWarnings();
    await inFeed((storage) => {
      const before = new FeedStore(storage, AMPLE);
      for (let seq = 1; seq <= 10; seq += 1) before.append([eventOf(seq)], NOW + seq);
      // The state left by an earlier release.
      storage.sql.exec("DROP TABLE segments");
      fillUp(storage);
      const batches = new FeedStore(storage, AMPLE);
      batches.append([eventOf(11)], NOW + 11);
      expect(seqsIn(batches)).toEqual([6, 7, 8, 9, 10, 11]);
    });
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ event: "feed_truncated" }));
  });

  it("a page states the position up to which events were dropped, even for a cursor within a dropped batch", async () => {
    watchWarnings();
    await inFeed((storage) => {
      const batches = new FeedStore(storage, { bytesMax: 200_000, prunedRowsMax: 2 });
      batches.append([eventOf(1), eventOf(2), eventOf(3)], NOW);
      const first = NOW * 1_000;
      const note = "x".repeat(10_000);
      for (let seq = 4; seq < 100 && seqsIn(batches).includes(3); seq += 1) {
        batches.append([eventOf(seq, note)], NOW + seq);
      }
      const droppedTo = (NOW + 4) * 1_000;
      for (const after of [first, first + 1, first + 2]) {
        expect(batches.readPage(EVERYTHING, after, 1)).toMatchObject({ droppedTo });
      }
      const rest = batches.readPage(EVERYTHING, droppedTo, 1);
      expect(rest).toMatchObject({ droppedTo, events: [{ seq: 5 }] });
      expect(batches.readPage(EVERYTHING, 0, 1)).toMatchObject({ droppedTo, events: [{ seq: 5 }] });
    });
  });

  it("a repeated event counts as stored if it is older than the retention period or than the last dropped event", () =>
    inFeed((storage) => {
      const batches = new FeedStore(storage, SMALL);
      const hoursAgo = (hours: number): FeedEvent => {
        const at = new Date(NOW - hours * HOUR_MS).toISOString();
        return { ...eventOf(hours), at };
      };
      const known = (...hours: number[]): string[] => [
        ...batches.findKnownIds(hours.map(hoursAgo), NOW),
      ];
      const retentionHours = FEED_RETENTION_MS / HOUR_MS;
      expect(known(retentionHours + 1, retentionHours - 1)).toEqual([
        eventIdOf(hoursAgo(retentionHours + 1)),
      ]);
      for (let hours = 30; hours > 0; hours -= 1) {
        batches.append([{ ...hoursAgo(hours), data: { notes: NOTE } }], NOW - hours * HOUR_MS);
      }
      const droppedTo = instantOfPosition(batches.readPage(EVERYTHING, 0, 1).droppedTo);
      const lastDropped = (NOW - droppedTo) / HOUR_MS;
      expect(lastDropped).toBeGreaterThan(1);
      expect(known(lastDropped + 1)).toHaveLength(1);
      expect(known(lastDropped - 0.5)).toEqual([]);
    }));

  it("positions continue after the dropped events, even if all were dropped", async () => {
    watchWarnings();
    await inFeed((storage) => {
      const batches = new FeedStore(storage, AMPLE);
      batches.append([eventOf(1), eventOf(2)], NOW);
      const end = batches.lastPosition();
      new FeedStore(storage, { bytesMax: 1, prunedRowsMax: 5 }).maintain(NOW);
      expect(rowsIn(storage)).toBe(0);
      expect(new FeedStore(storage, AMPLE).lastPosition()).toBe(end);
    });
  });
});

describe("a feed with old events", () => {
  it("old events are deleted in bounded batches, and each run returns the time of the next run", async () => {
    await inFeed((storage) => {
      const batches = new FeedStore(storage, AMPLE);
      for (let seq = 1; seq <= 12; seq += 1) batches.append([eventOf(seq)], NOW + seq);
      expect(batches.maintain(NOW + 12)).toBe(
        NOW + 1 + FEED_RETENTION_MS + FEED_PRUNE_INTERVAL_MS + 1,
      );
      const later = NOW + FEED_RETENTION_MS + 2 * FEED_PRUNE_INTERVAL_MS;
      const runs: [number, number | null][] = [];
      for (let at: number | null = later; at !== null && runs.length < 9;) {
        at = batches.maintain(later);
        runs.push([rowsIn(storage), at]);
      }
      const again = later + FEED_MAINTENANCE_PAUSE_MS;
      expect(runs).toEqual([
        [7, again],
        [2, again],
        [0, null],
      ]);
    });
  });

  it("the feed's alarm deletes old events even if no new event arrives", async () => {
    stopClock();
    await feedStub(env.FEED).publish([eventOf(1), eventOf(2)], true);
    await runInDurableObject(feed(), async (_, { storage }) => {
      expect(await storage.getAlarm()).toBe(
        Date.now() + FEED_RETENTION_MS + FEED_PRUNE_INTERVAL_MS + 1,
      );
    });
    await crash(feed());
    passTime(FEED_RETENTION_MS + FEED_PRUNE_INTERVAL_MS + 2);
    expect(await runDurableObjectAlarm(feed())).toBe(true);
    await runInDurableObject(feed(), (_, { storage }) => expect(rowsIn(storage)).toBe(0));
  });

  it("a feed stores new events even if deleting old ones fails", async () => {
    stopClock();
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => error.mockRestore());
    divert(FeedStore.prototype, "maintain", () => {
      throw new Error("Not now");
    });
    const before = await feedStub(env.FEED).readLastPosition();
    await feedStub(env.FEED).publish([eventOf(3)], true);
    expect((await feedStub(env.FEED).readPage(EVERYTHING, before, 10)).events).toMatchObject([
      { seq: 3 },
    ]);
    expect(error).toHaveBeenCalledWith(
      expect.objectContaining({ event: "feed_maintenance_failed" }),
    );
  });
});

describe("a client of a truncated feed", () => {
  it("a cursor to dropped events gets 410 with the next cursor and the time before which events were dropped", async () => {
    watchWarnings();
    stopClock();
    // In an empty feed, the cursor is at position 0.
    const empty: string = (await get("/agents/events?from=oldest")).body.data.nextCursor;
    await feedStub(env.FEED).publish([eventOf(10), eventOf(11)], true);
    const cursor: string = (await get("/agents/events?limit=1")).body.data.nextCursor;
    passTime(1_000);
    await feedStub(env.FEED).publish([eventOf(12), eventOf(13)], true);
    expect((await get("/agents/events")).body.data).not.toHaveProperty("truncatedBefore");
    await runInDurableObject(feed(), (_, { storage }) => {
      const rows = rowsIn(storage);
      new FeedStore(storage, { bytesMax: 1, prunedRowsMax: rows - 1 }).maintain(Date.now());
    });
    expect((await get(`/agents/events?cursor=${empty}`)).status).toBe(410);
    const cut = await get(`/agents/events?cursor=${cursor}`);
    expect(cut.status).toBe(410);
    expect(cut.body.error).toMatchObject({
      code: "CURSOR_EXPIRED",
      retryable: false,
      context: { droppedTo: new Date(Date.now() - 1_000).toISOString() },
    });
    const next = await get(`/agents/events?cursor=${cut.body.error.context.cursor}`);
    expect(next.body.data).toMatchObject({
      events: [{ seq: 12 }, { seq: 13 }],
      truncatedBefore: new Date(Date.now() - 1_000).toISOString(),
    });
  });
});
