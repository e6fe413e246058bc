import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { TaskEventType } from "../../src/tasks/model/events.ts";
import { matchesFilter, type FeedEvent, type FeedFilter } from "../../src/events/model/feed.ts";
import { FeedStore } from "../../src/events/feed.store.ts";

const EVERYTHING: FeedFilter = { types: null, agentId: null, teamId: null, taskId: null };
const NOW = Date.UTC(2031, 0, 1);
const AT = new Date(NOW).toISOString();

/** Runs a function with the storage of a new feed. */
function inFeed(run: (storage: DurableObjectStorage) => void): Promise<void> {
  const feed = env.FEED.get(env.FEED.idFromName(crypto.randomUUID()));
  return runInDurableObject(feed, (_, { storage }) => run(storage));
}

function eventOf(seq: number, whose: Partial<FeedEvent> = {}): FeedEvent {
  const event = { taskId: `task-${seq % 50}`, seq, type: "updated", at: AT } as const;
  return { ...event, agentId: "many", teamId: "all", data: {}, ...whose };
}

/** Stores events in batches, as when tasks publish several events at a time. */
function fill(batches: FeedStore, events: readonly FeedEvent[], together: number): void {
  for (let index = 0; index < events.length; index += together) {
    const now = NOW + index;
    batches.append(events.slice(index, index + together), now);
    batches.maintain(now);
  }
}

/** Counts the rows that a read scans, with the runtime's own counter. */
function rowsReadBy(storage: DurableObjectStorage, read: () => void): number {
  const owner: object = Reflect.getPrototypeOf(storage.sql) ?? storage.sql;
  const exec: SqlStorage["exec"] = Reflect.get(owner, "exec");
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  Reflect.set(owner, "exec", function counted(this: SqlStorage, ...given: unknown[]) {
    const cursor: SqlStorageCursor<Record<string, SqlStorageValue>> = Reflect.apply(
      exec,
      this,
      given,
    );
    cursors.push(cursor);
    return cursor;
  });
  try {
    read();
  } finally {
    Reflect.set(owner, "exec", exec);
  }
  return cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
}

it("a page filtered to one of 100,000 events returns it and reads fewer than 320 of 10,000 rows", async () => {
  await inFeed((storage) => {
    const batches = new FeedStore(storage);
    const rare = { agentId: "rare-agent", teamId: "rare-team", taskId: "rare-task" };
    const events = Array.from({ length: 100_000 }, (_, index) =>
      eventOf(index, index === 31_415 ? rare : {}),
    );
    fill(batches, events, 10);
    for (const filter of [
      { ...EVERYTHING, agentId: rare.agentId },
      { ...EVERYTHING, teamId: rare.teamId },
      { ...EVERYTHING, taskId: rare.taskId },
    ]) {
      let page = batches.readPage(EVERYTHING, 0, 1);
      const rowsRead = rowsReadBy(storage, () => {
        page = batches.readPage(filter, 0, 50);
      });
      expect(page.events).toMatchObject([{ ...rare, seq: 31_415 }]);
      expect(page).toMatchObject({ more: false, next: batches.lastPosition() });
      // The rows read are 100 segments, the 100 rows of one segment, and the rows after the last
      // segment.
      expect(rowsRead).toBeLessThan(320);
      expect(rowsRead).toBeGreaterThan(100);
    }
  });
});

it("a page for an agent without events immediately returns the end of the feed", async () => {
  await inFeed((storage) => {
    const batches = new FeedStore(storage);
    // Without segments, a page could not scan all of these events.
    const data = { note: "x".repeat(1_000) };
    fill(
      batches,
      Array.from({ length: 12_000 }, (_, seq) => eventOf(seq, { data })),
      100,
    );
    const page = batches.readPage({ ...EVERYTHING, agentId: "nobody" }, 0, 50);
    expect(page).toMatchObject({ events: [], more: false, next: batches.lastPosition() });
  });
});

it("a page of unindexed events ends after it has scanned the maximum, and the next page continues there", async () => {
  await inFeed((storage) => {
    const batches = new FeedStore(storage);
    const data = { note: "x".repeat(1_000) };
    for (let index = 0; index < 120; index += 1) {
      const events = Array.from({ length: 100 }, (_, seq) => eventOf(index * 100 + seq, { data }));
      batches.append(events, NOW + index);
    }
    const nobody = { ...EVERYTHING, agentId: "nobody" };
    const first = batches.readPage(nobody, 0, 50);
    expect(first).toMatchObject({ events: [], more: true });
    expect(first.next).toBeGreaterThan(0);
    expect(batches.readPage(nobody, first.next, 50)).toMatchObject({
      events: [],
      more: false,
      next: batches.lastPosition(),
    });
  });
});

it("the index has one row per thousand events", async () => {
  await inFeed((storage) => {
    const batches = new FeedStore(storage);
    fill(
      batches,
      Array.from({ length: 10_500 }, (_, seq) => eventOf(seq)),
      7,
    );
    const { count } = storage.sql
      .exec<{ count: number }>("SELECT count(*) AS count FROM segments")
      .one();
    expect(count).toBe(10);
  });
});

const FILTERS: readonly FeedFilter[] = [
  EVERYTHING,
  { ...EVERYTHING, agentId: "often" },
  { ...EVERYTHING, agentId: "seldom" },
  { ...EVERYTHING, agentId: "seldom", teamId: "red" },
  { ...EVERYTHING, teamId: "blue", types: ["completed", "failed"] },
  { ...EVERYTHING, types: ["rated"] },
  { ...EVERYTHING, taskId: "task-7" },
  { ...EVERYTHING, taskId: "task-7", agentId: "seldom" },
];

/** Events of various agents, teams, types and tasks. Some values are rare. */
function mixedEvents(count: number): FeedEvent[] {
  const types: readonly TaskEventType[] = ["updated", "progressed", "completed", "failed"];
  return Array.from({ length: count }, (_, seq) => {
    const isSeldom = seq % 1_777 === 1_000;
    return eventOf(seq, {
      taskId: `task-${Math.floor(seq / 90)}`,
      agentId: isSeldom ? "seldom" : seq % 3 === 0 ? null : "often",
      teamId: seq % 7 === 0 ? "red" : seq % 2_500 < 20 ? "blue" : null,
      type: seq % 4_001 === 4_000 ? "rated" : (types[seq % types.length] ?? "updated"),
      data: { note: "x".repeat((seq * 37) % 300) },
    });
  });
}

/** Reads all events in consecutive small pages. */
function readAll(batches: FeedStore, filter: FeedFilter, limit: number): number[] {
  const seqs: number[] = [];
  for (let after = 0; ;) {
    const page = batches.readPage(filter, after, limit);
    seqs.push(...page.events.map(({ seq }) => seq));
    expect(page.next).toBeGreaterThanOrEqual(after);
    after = page.next;
    if (!page.more) return seqs;
  }
}

function expectEverything(batches: FeedStore, events: readonly FeedEvent[]): void {
  for (const filter of FILTERS) {
    const passing = events.filter((event) => matchesFilter(filter, event)).map(({ seq }) => seq);
    expect(passing.length, JSON.stringify(filter)).toBeGreaterThan(0);
    for (const limit of [13, 100]) expect(readAll(batches, filter, limit)).toEqual(passing);
  }
}

it("pages with each filter return every matching event once, within segments and after them", async () => {
  await inFeed((storage) => {
    const batches = new FeedStore(storage);
    const events = mixedEvents(6_300);
    events[700] = eventOf(700, { taskId: "task-7", agentId: "seldom", teamId: "red" });
    fill(batches, events, 33);
    expectEverything(batches, events);
    expectEverything(new FeedStore(storage), events);
  });
});

it("a feed from an earlier release is read completely before, while and after its index is built", async () => {
  await inFeed((storage) => {
    const events = mixedEvents(6_300);
    events[700] = eventOf(700, { taskId: "task-7", agentId: "seldom", teamId: "red" });
    fill(new FeedStore(storage), events, 33);
    storage.sql.exec("DROP TABLE segments");
    const count = () =>
      storage.sql.exec<{ count: number }>("SELECT count(*) AS count FROM segments").one().count;
    const batches = new FeedStore(storage);
    expectEverything(batches, events);
    batches.maintain(NOW);
    expect(count()).toBe(4);
    expectEverything(batches, events);
    batches.maintain(NOW);
    expect(count()).toBe(6);
    expectEverything(batches, events);
    batches.append([eventOf(6_300, { agentId: "seldom", teamId: "red" })], NOW + 6_300);
    expectEverything(batches, [...events, eventOf(6_300, { agentId: "seldom", teamId: "red" })]);
  });
});

it("readers get every event while part of the index is missing, and after the next maintenance", async () => {
  await inFeed((storage) => {
    const batches = new FeedStore(storage);
    const events = mixedEvents(6_300);
    events[700] = eventOf(700, { taskId: "task-7", agentId: "seldom", teamId: "red" });
    fill(batches, events.slice(0, 2_500), 25);
    // The events are stored, but their segments are not written, as if each instance had ended
    // before its maintenance.
    for (let index = 2_500; index < events.length; index += 25) {
      batches.append(events.slice(index, index + 25), NOW + index);
    }
    expectEverything(batches, events);
    const next = new FeedStore(storage);
    next.maintain(NOW);
    expectEverything(next, events);
  });
});
