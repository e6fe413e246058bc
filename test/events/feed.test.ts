import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { feedDataOf } from "../../scripts/proof/check/feed-data.ts";
import type { EventShape } from "../../scripts/proof/responses.ts";
import { EventFeed } from "../../src/events/feed.object.ts";
import { FEED_PRUNE_INTERVAL_MS, FEED_RETENTION_MS } from "../../src/events/limits.ts";
import { get, patch, post, send } from "../support/client.ts";
import { crash } from "../support/crash.ts";
import { divert } from "../support/divert.ts";
import { keyWith, UNMANAGING } from "../support/keys.ts";
import { create, passTime, stopClock, taskIn, wake } from "../support/tasks.ts";

beforeAll(stopClock);

interface FeedLine {
  readonly taskId: string;
  readonly seq: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

const feed = () => env.FEED.get(env.FEED.idFromName("feed"));
const objectOf = (id: string) => env.TASKS.get(env.TASKS.idFromString(id));

async function page(query: Record<string, string>, key?: string) {
  const search = new URLSearchParams(query);
  const answer = await get(`/agents/events?${search.toString()}`, key === undefined ? {} : { key });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
}

/**
 * The cursor at the end of the feed. Tests read from this cursor, because earlier tests have filled
 * the feed.
 */
async function here(): Promise<string> {
  return (await page({ from: "latest" })).nextCursor;
}

/** Reads all events after a cursor in small pages. */
async function linesFrom(cursor: string, query: Record<string, string> = {}, key?: string) {
  const lines: FeedLine[] = [];
  for (let at = cursor; ;) {
    const { events, nextCursor, more } = await page({ limit: "3", ...query, cursor: at }, key);
    lines.push(...events);
    at = nextCursor;
    if (!more) return lines;
  }
}

async function logOf(id: string): Promise<EventShape[]> {
  return (await get(`/agents/tasks/${id}/events`)).body.data.events;
}

const seqsOf = (lines: readonly FeedLine[], id: string) =>
  lines.flatMap(({ taskId, seq }) => (taskId === id ? [seq] : []));
const countTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/**
 * Waits until the feed contains a task's whole log, because a task publishes some events with a
 * delay.
 */
async function awaitLines(cursor: string, id: string): Promise<FeedLine[]> {
  const { length } = await logOf(id);
  return vi.waitUntil(async () => {
    const lines = await linesFrom(cursor);
    return seqsOf(lines, id).length >= length ? lines : null;
  }, 5_000);
}

let teams = 0;

/** A team without members. Its tasks stay pending. */
async function emptyTeam(): Promise<string> {
  const teamId = `empty-${(teams += 1)}`;
  const answer = await send("PUT", `/agents/teams/${teamId}`, { name: "Nobody", agents: [] });
  if (answer.status >= 300) throw new Error(answer.text);
  return teamId;
}

describe("the feed of all tasks", () => {
  it("each event names the agent that had the task after the event, even if one commit changes the agent twice", async () => {
    const cursor = await here();
    const teamId = "fickle";
    await send("PUT", `/agents/teams/${teamId}`, { agents: ["researcher"] });
    const id = await create({ teamId });
    await send("PUT", `/agents/teams/${teamId}`, { agents: [] });
    await wake(id);
    passTime(10_000);
    await wake(id);
    const lines = (await awaitLines(cursor, id)).filter(({ taskId }) => taskId === id);
    expect(lines.map(({ type, agentId }) => [type, agentId])).toEqual([
      ["created", "researcher"],
      ["assigned", "researcher"],
      ["declined", undefined],
    ]);
  });

  it("the feed contains every event of every task once, in the order of each task's log", async () => {
    const cursor = await here();
    const ids = await Promise.all(Array.from({ length: 6 }, () => taskIn("completed")));
    const lines = await linesFrom(cursor);
    for (const id of ids) {
      const log = await logOf(id);
      const own = lines.filter(({ taskId }) => taskId === id);
      const shown = log.map((event) => ({ ...event, data: feedDataOf(event) }));
      expect(own.map(({ taskId, agentId, teamId, title, ...event }) => event)).toEqual(shown);
      const { task } = (await get(`/agents/tasks/${id}`)).body.data;
      expect(own.map(({ title }) => title)).toEqual(log.map(() => task));
      expect(own.at(-1)).toMatchObject({ type: "completed", agentId: expect.any(String) });
    }
    expect(lines).toHaveLength(new Set(lines.map(({ taskId, seq }) => `${taskId}${seq}`)).size);
  });

  it("each page continues at the cursor of the previous one, and a page at the end is empty and keeps its cursor", async () => {
    const cursor = await here();
    const id = await taskIn("completed");
    const first = await page({ cursor, limit: "2" });
    expect(first).toMatchObject({ more: true, events: [{ seq: 1 }, { seq: 2 }] });
    expect((await page({ cursor: first.nextCursor, limit: "2" })).events).toMatchObject([
      { taskId: id, seq: 3 },
      { taskId: id, seq: 4 },
    ]);
    const end = await here();
    expect(await page({ cursor: end })).toEqual({ events: [], nextCursor: end, more: false });
  });

  it("the feed filters by type, agent and team", async () => {
    const cursor = await here();
    const mine = await taskIn("completed", { agentId: "researcher" });
    const team = await taskIn("completed", { teamId: "insights" });
    const typed = await linesFrom(cursor, { type: "created,completed" });
    expect(typed.map(({ type }) => type)).toEqual(["created", "completed", "created", "completed"]);
    const ofAgent = await linesFrom(cursor, { agentId: "researcher" });
    expect(seqsOf(ofAgent, mine)).toEqual(countTo((await logOf(mine)).length));
    const ofTeam = await linesFrom(cursor, { teamId: "insights" });
    expect(new Set(ofTeam.map(({ taskId }) => taskId))).toEqual(new Set([team]));
    expect(await linesFrom(cursor, { agentId: "nobody" })).toEqual([]);
  });

  it("a bound key gets only the events of its agent's tasks, without createdBy and candidates", async () => {
    const cursor = await here();
    const mine = await taskIn("completed", { agentId: "researcher" });
    await taskIn("completed", { agentId: "storyteller" });
    const key = await keyWith(UNMANAGING, { agentId: "researcher" });
    const lines = await linesFrom(cursor, {}, key);
    expect(new Set(lines.map(({ taskId }) => taskId))).toEqual(new Set([mine]));
    expect(JSON.stringify(lines)).not.toMatch(/createdBy|candidates/);
    expect(JSON.stringify(await linesFrom(cursor))).toMatch(/createdBy/);
    expect(await linesFrom(cursor, { agentId: "storyteller" }, key)).toEqual([]);
  });

  it("the feed contains no fingerprint, and contains the size of a large context instead of its text", async () => {
    const cursor = await here();
    const text = "x".repeat(70_000);
    const id = await create({ context: { text } });
    await post(`/agents/tasks/${id}/cancel`);
    const lines = await awaitLines(cursor, id);
    expect(JSON.stringify(lines)).not.toMatch(/fingerprint|xxxx/);
    expect(lines[0]).toMatchObject({ data: { contextBytes: expect.any(Number) } });
  });
});

describe("events since a time", () => {
  it("the page starts with the first event that the feed received at that time or later", async () => {
    const early = await taskIn("completed");
    passTime(60_000);
    const since = new Date(Date.now()).toISOString();
    const late = await taskIn("completed");
    const { events } = await page({ since });
    expect(seqsOf(events, early)).toEqual([]);
    expect(seqsOf(events, late)[0]).toBe(1);
    expect((await page({ since: "2000-01-01" })).events).toEqual(
      (await page({ from: "oldest" })).events,
    );
    expect((await page({ since: "2100-01-01" })).events).toEqual([]);
  });
});

describe("an invalid request to the feed", () => {
  it.each<[string, Record<string, string>]>([
    ["cursor", { cursor: "nonsense" }],
    ["cursor", { cursor: btoa("1.abc") }],
    ["from", { from: "middle" }],
    ["since", { since: "yesterday" }],
    ["since", { since: "2030-01-31T12:00:00" }],
    ["since", { since: "2030-01-31", from: "latest" }],
    ["type", { type: "exploded" }],
    ["type", { type: "created,," }],
    ["limit", { limit: "0" }],
  ])("the feed rejects an invalid %s and names it", async (path, query) => {
    const answer = await get(`/agents/events?${new URLSearchParams(query).toString()}`);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details[0].path).toMatch(new RegExp(`^${path}`));
  });

  it("the feed rejects the cursor of a list, and a cursor together with the parameter from", async () => {
    await create();
    await create();
    const { nextCursor } = (await get("/agents/tasks?limit=1")).body.data;
    expect((await get(`/agents/events?cursor=${nextCursor}`)).status).toBe(400);
    const both = await get(`/agents/events?from=latest&cursor=${await here()}`);
    expect(both.body.error.details).toMatchObject([{ path: "from" }]);
    const since = await get(`/agents/events?since=2030-01-31&cursor=${await here()}`);
    expect(since.body.error.details).toMatchObject([{ path: "since" }]);
  });
});

describe("the publication of a task's events", () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});

  const breakFeed = (way: (go: () => Promise<unknown>) => Promise<unknown>) =>
    divert(EventFeed.prototype, "publish", way);
  const outOfReach = () => Promise.reject(new Error("The feed cannot be reached"));

  it("no event is lost when the task's object ends before it publishes", async () => {
    const cursor = await here();
    const restore = breakFeed(outOfReach);
    const id = await create({ context: { text: "Rain." } });
    await crash(objectOf(id));
    restore();
    expect(await linesFrom(cursor)).toEqual([]);
    await wake(id);
    await post(`/agents/tasks/${id}/cancel`);
    expect(seqsOf(await awaitLines(cursor, id), id)).toEqual(countTo((await logOf(id)).length));
  });

  it("the feed contains each event once even if the response to a write was lost", async () => {
    const cursor = await here();
    const id = await taskIn("blocked");
    const restore = breakFeed(async (go) => {
      await go();
      throw new Error("The connection was lost");
    });
    await post(`/agents/tasks/${id}/cancel`);
    restore();
    await crash(objectOf(id));
    passTime(11_000);
    await wake(id);
    expect(seqsOf(await awaitLines(cursor, id), id)).toEqual(countTo((await logOf(id)).length));
  });

  it("no event is lost when the feed fails for hours", async () => {
    const cursor = await here();
    const restore = breakFeed(outOfReach);
    const id = await taskIn("blocked");
    for (let hour = 0; hour < 3; hour += 1) {
      passTime(3_600_000);
      await crash(objectOf(id));
      expect(await wake(id)).toBe(true);
    }
    await patch(`/agents/tasks/${id}`, { priority: "urgent" });
    expect(seqsOf(await linesFrom(cursor), id)).toEqual([]);
    restore();
    await wake(id);
    expect(seqsOf(await awaitLines(cursor, id), id)).toEqual(countTo((await logOf(id)).length));
  });

  it("no event is lost or duplicated when the feed's object restarts", async () => {
    const cursor = await here();
    const id = await taskIn("blocked");
    await crash(feed());
    await post(`/agents/tasks/${id}/cancel`);
    expect(seqsOf(await awaitLines(cursor, id), id)).toEqual(countTo((await logOf(id)).length));
    const at = (await linesFrom(cursor)).length;
    await crash(feed());
    expect(await linesFrom(cursor)).toHaveLength(at);
  });

  it("a task that waits longer than the feed keeps events publishes only its new events", async () => {
    const id = await taskIn("blocked");
    const known = (await logOf(id)).length;
    await crash(objectOf(id));
    await crash(feed());
    passTime(FEED_RETENTION_MS + 2 * FEED_PRUNE_INTERVAL_MS);
    await runDurableObjectAlarm(feed());
    const cursor = await here();
    await post(`/agents/tasks/${id}/cancel`);
    await vi.waitUntil(async () => seqsOf(await linesFrom(cursor), id).length > 0, 5_000);
    expect(seqsOf(await linesFrom(cursor), id)).toEqual([known + 1]);
  });

  it("a log from before the feed existed is published completely, and only once", async () => {
    const cursor = await here();
    const id = await taskIn("blocked");
    await runInDurableObject(objectOf(id), (_, { storage }) => {
      storage.sql.exec("ALTER TABLE events DROP COLUMN told");
    });
    await crash(objectOf(id));
    await post(`/agents/tasks/${id}/cancel`);
    expect(seqsOf(await awaitLines(cursor, id), id)).toEqual(countTo((await logOf(id)).length));
  });

  /** Runs a task's alarm several times, each time in a new instance. */
  async function wakeAnew(id: string, times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      passTime(60_000);
      await crash(objectOf(id));
      await wake(id);
    }
  }

  it("an event is published once after many failed attempts by restarted instances of its task", async () => {
    const cursor = await here();
    const restore = breakFeed(outOfReach);
    const id = await create({ task: "Nobody may do this", teamId: await emptyTeam() });
    await wakeAnew(id, 12);
    restore();
    await wakeAnew(id, 5);
    expect(seqsOf(await linesFrom(cursor), id)).toEqual([1]);
  });

  it("a live task from before the feed existed publishes each event at most once", async () => {
    const id = await create({ task: "Nobody may do this", teamId: await emptyTeam() });
    await wakeAnew(id, 1);
    const cursor = await here();
    await runInDurableObject(objectOf(id), (_, { storage }) => {
      storage.sql.exec("ALTER TABLE events DROP COLUMN told");
    });
    passTime(3_600_000);
    await wakeAnew(id, 5);
    expect(seqsOf(await linesFrom(cursor), id).length).toBeLessThanOrEqual(1);
  });

  it("the feed drops events older than its retention, and a cursor to them gets 410 with the next cursor", async () => {
    const cursor = await here();
    const old = await taskIn("completed");
    passTime(8 * 86_400_000);
    const young = await taskIn("completed");
    const cut = await get(`/agents/events?cursor=${cursor}`);
    expect(cut.status).toBe(410);
    expect(cut.body.error.code).toBe("CURSOR_EXPIRED");
    const rest = await linesFrom(cut.body.error.context.cursor);
    expect(seqsOf(rest, young)).toEqual(countTo((await logOf(young)).length));
    const { events } = await page({ from: "oldest", limit: "100" });
    expect(seqsOf(events, old)).toEqual([]);
    expect(seqsOf(events, young)).toEqual(countTo((await logOf(young)).length));
  });
});
