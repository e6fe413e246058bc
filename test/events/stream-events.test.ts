import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { EventFeed } from "../../src/events/feed.object.ts";
import { feedStub, watchFeed, type FeedReceipt } from "../../src/events/feed.rpc.ts";
import { FeedStore } from "../../src/events/feed.store.ts";
import { FEED_STREAMS_PER_KEY_MAX } from "../../src/events/limits.ts";
import type { FeedEvent, FeedFilter } from "../../src/events/model/feed.ts";
import { get, post, ROOT } from "../support/client.ts";
import { divert } from "../support/divert.ts";
import { listen, type Listener } from "../support/event-source.ts";
import { expectError, expectProblems } from "../support/expect-errors.ts";
import { keyWith } from "../support/keys.ts";
import { stopClock, taskIn } from "../support/tasks.ts";
import { claim, waitingTask, workerAgent } from "../tasks/workers/fixtures.ts";

beforeAll(stopClock);

const LATEST = "/agents/events?from=latest";
const STREAM = { Accept: "text/event-stream" };
const feed = () => env.FEED.get(env.FEED.idFromName("feed"));

let tasks = 0;

/** Events of a new task, as the task publishes them. */
function eventsOf(count: number, fields: Partial<FeedEvent> = {}): FeedEvent[] {
  const taskId = String((tasks += 1)).padStart(64, "0");
  const at = new Date().toISOString();
  return Array.from({ length: count }, (_, index): FeedEvent => {
    const notes = `note ${index + 1}`;
    const event = { taskId, seq: index + 1, type: "updated", at, data: { notes } } as const;
    return { ...event, agentId: "researcher", teamId: null, ...fields };
  });
}

async function publish(events: readonly FeedEvent[]): Promise<void> {
  await feedStub(env.FEED).publish(events, true);
}

/** The events that a client has received, without `live` messages. */
const eventsIn = ({ received }: Listener) => received.filter(({ type }) => type !== "live");
const namesIn = (client: Listener) =>
  eventsIn(client).map(({ data }) => `${data.taskId}.${data.seq}`);
const namesOf = (events: readonly FeedEvent[]) =>
  events.map(({ taskId, seq }) => `${taskId}.${seq}`);
const isLive = ({ received }: Listener) => received.some(({ type }) => type === "live");

/** Opens a stream and waits until it has sent all earlier events. */
async function follow(path = LATEST, key = ROOT): Promise<Listener> {
  const client = listen(path, key);
  await client.until(() => isLive(client));
  return client;
}

/** The cursor at the end of the feed. */
async function here(): Promise<string> {
  return (await get(LATEST)).body.data.nextCursor;
}

/** Drops all events, as the feed does when its storage is full. */
async function dropEvents(): Promise<void> {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  await runInDurableObject(feed(), (_, { storage }) => {
    new FeedStore(storage, { bytesMax: 1, prunedRowsMax: 10_000 }).maintain(Date.now());
  });
  warn.mockRestore();
}

/** Counts the reads of the feed with one type filter from now on. */
function countReads(types: FeedFilter["types"]): () => number {
  let reads = 0;
  divert(EventFeed.prototype, "readPage", (real, filter: FeedFilter) => {
    if (JSON.stringify(filter.types) === JSON.stringify(types)) reads += 1;
    return real();
  });
  return () => reads;
}

describe("a stream of the feed", () => {
  it("a new event is sent within a second, with its type, a cursor, and the same JSON as in a page", async () => {
    const cursor = await here();
    const client = await follow();
    expect(client.received).toMatchObject([{ type: "live", id: cursor, data: { cursor } }]);
    const from = performance.now();
    await publish(eventsOf(1));
    await client.until(() => eventsIn(client).length === 1);
    expect(performance.now() - from).toBeLessThan(1_000);
    const [received] = eventsIn(client);
    const page = (await get(`/agents/events?cursor=${cursor}`)).body.data;
    expect(page.events).toEqual([received?.data]);
    expect(received).toMatchObject({ type: "updated", id: page.nextCursor });
    client.close();
  });

  it("a stream sends the whole log of a task that an agent completes", async () => {
    const client = await follow();
    const id = await taskIn("completed");
    const log = (await get(`/agents/tasks/${id}/events`)).body.data.events;
    await client.until(() => eventsIn(client).length >= log.length);
    expect(namesIn(client)).toEqual(log.map(({ seq }: FeedEvent) => `${id}.${seq}`));
    client.close();
  });

  it("while a client follows the feed, a task sends each event at once", async () => {
    const agentId = await workerAgent();
    const client = await follow();
    await publish(eventsOf(1));
    // The first answer to a task says that the feed is followed.
    await taskIn("completed");
    const id = await waitingTask(agentId);
    const types = () =>
      eventsIn(client).flatMap(({ data }) => (data.taskId === id ? [data.type] : []));
    await client.until(() => types().includes("created"));
    await claim(agentId);
    await client.until(() => types().includes("started"));
    expect(types()).toEqual(["created", "assigned", "started"]);
    client.close();
  });

  it("a busy feed asks tasks to collect their events, even if a client follows it", async () => {
    const client = await follow();
    const publishTogether = (count: number) =>
      runInDurableObject<EventFeed, FeedReceipt[]>(feed(), (object) =>
        Promise.all(Array.from({ length: count }, () => object.publish(eventsOf(1), true))),
      );
    const isFollowed = { isFollowed: true };
    expect(await publishTogether(9)).toMatchObject(Array.from({ length: 9 }, () => isFollowed));
    const isBusy = { isFollowed: false };
    expect(await publishTogether(10)).toMatchObject(Array.from({ length: 10 }, () => isBusy));
    client.close();
  });

  it("a stream starts after a cursor, sends what was missed, and then sends live", async () => {
    const cursor = await here();
    const [missed, later] = [eventsOf(250), eventsOf(2)];
    await publish(missed);
    const client = await follow(`/agents/events?cursor=${cursor}`);
    expect(client.received.map(({ type }) => type)).toEqual([
      ...missed.map(({ type }) => type),
      "live",
    ]);
    await publish(later);
    await client.until(() => eventsIn(client).length === 252);
    expect(namesIn(client)).toEqual(namesOf([...missed, ...later]));
    client.close();
  });

  it("a client whose connection breaks repeatedly gets each event once", async () => {
    const client = await follow();
    const all: FeedEvent[] = [];
    for (const connections of [2, 3, 4]) {
      client.cut();
      const missed = eventsOf(3);
      all.push(...missed);
      await publish(missed);
      await client.until(() => client.connections.length === connections);
      await client.until(() => eventsIn(client).length === all.length);
    }
    expect(namesIn(client)).toEqual(namesOf(all));
    const ids = client.connections.map(({ lastEventId }) => lastEventId);
    expect(ids.slice(1)).not.toContain(null);
    client.close();
  });

  it("a stream continues on the same connection after the feed is evicted, and reconnects if its sockets close", async () => {
    const client = await follow();
    await evictDurableObject(feed());
    const [first, second] = [eventsOf(1), eventsOf(1)];
    await publish(first);
    await client.until(() => eventsIn(client).length === 1);
    expect(client.connections).toHaveLength(1);
    await evictDurableObject(feed(), { webSockets: "close" });
    await publish(second);
    await client.until(() => eventsIn(client).length === 2);
    expect(namesIn(client)).toEqual(namesOf([...first, ...second]));
    client.close();
  });

  it("a burst of 500 events is sent completely, in order, with few reads", async () => {
    const client = await follow(`${LATEST}&type=updated`);
    const reads = countReads(["updated"]);
    const bursts = Array.from({ length: 50 }, () => eventsOf(10));
    await Promise.all(bursts.map(publish));
    await client.until(() => eventsIn(client).length === 500);
    expect(namesIn(client).toSorted()).toEqual(namesOf(bursts.flat()).toSorted());
    for (const burst of bursts) {
      const [taskId] = burst.map((event) => event.taskId);
      const own = namesIn(client).filter((name) => name.startsWith(`${taskId}.`));
      expect(own).toEqual(namesOf(burst));
    }
    // Five full pages, and at most one more for each write of the feed.
    expect(reads()).toBeLessThanOrEqual(10);
    client.close();
  });

  it("the filters apply, and events that do not match cause no read of the feed", async () => {
    const client = await follow(`${LATEST}&type=failed,task.blocked&agentId=researcher`);
    const reads = countReads(["failed", "blocked"]);
    await publish(eventsOf(5));
    await publish(eventsOf(1, { type: "failed", agentId: "storyteller" }));
    expect(reads()).toBe(0);
    const [blocked, failed] = [eventsOf(1, { type: "blocked" }), eventsOf(1, { type: "failed" })];
    await publish([...blocked, ...failed]);
    await client.until(() => eventsIn(client).length === 2);
    expect(client.received.map(({ type }) => type)).toEqual(["live", "blocked", "failed"]);
    client.close();
  });

  it("a stream writes no row in the feed", async () => {
    await publish(eventsOf(1));
    let appends = 0;
    divert(FeedStore.prototype, "append", (real) => {
      appends += 1;
      return real();
    });
    const client = await follow();
    client.close();
    expect(appends).toBe(0);
  });
});

describe("the sockets of streams", () => {
  const FILTER = { types: null, agentId: null, teamId: null, taskId: null };
  const opens = async (keyId: string) => {
    const socket = await watchFeed(env.FEED, { filter: FILTER, keyId });
    if (socket !== null) onTestFinished(() => socket.close());
    return socket !== null;
  };

  it("a key can open 40 streams, which leaves the others to other keys and the root key", async () => {
    for (let count = 1; count <= FEED_STREAMS_PER_KEY_MAX; count += 1) {
      expect(await opens("greedy")).toBe(true);
    }
    expect(await opens("greedy")).toBe(false);
    await evictDurableObject(feed());
    expect(await opens("greedy")).toBe(false);
    expect(await opens("modest")).toBe(true);
    for (let count = 0; count <= FEED_STREAMS_PER_KEY_MAX; count += 1) {
      expect(await opens("root")).toBe(true);
    }
  });

  it("a repeated type counts once, so the stream's filter stays small", async () => {
    const types = Array.from({ length: 300 }, () => "failed,task.failed").join(",");
    const reads = countReads(["failed"]);
    const client = await follow(`${LATEST}&type=${types}`);
    expect(reads()).toBeGreaterThan(0);
    const failed = eventsOf(1, { type: "failed" });
    await publish([...eventsOf(1), ...failed]);
    await client.until(() => eventsIn(client).length === 1);
    expect(namesIn(client)).toEqual(namesOf(failed));
    client.close();
  });

  it("a filter that is too large for a socket opens none", async () => {
    await runInDurableObject(feed(), async (instance: EventFeed, state) => {
      const before = state.getWebSockets().length;
      const filter = { ...FILTER, agentId: "x".repeat(20_000) };
      const query = new URLSearchParams({ filter: JSON.stringify(filter), keyId: "large" });
      const request = new Request(`https://feed/?${query.toString()}`);
      await expect(instance.fetch(request)).rejects.toThrow(/attachment/i);
      expect(state.getWebSockets()).toHaveLength(before);
    });
  });

  it("a socket that cannot be notified is logged, and events are stored once and sent to the others", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => error.mockRestore());
    await runInDurableObject(feed(), (_, state) => {
      const [, server] = Object.values(new WebSocketPair());
      if (server === undefined) throw new Error("no socket");
      // Without a filter.
      state.acceptWebSocket(server);
    });
    const cursor = await here();
    const client = await follow();
    const events = eventsOf(2);
    await publish(events);
    await client.until(() => eventsIn(client).length === 2);
    const { events: stored } = (await get(`/agents/events?cursor=${cursor}`)).body.data;
    expect(stored).toHaveLength(2);
    expect(error.mock.calls.map(([entry]) => entry.event)).toContain("subscriber_notify_failed");
    client.close();
    await evictDurableObject(feed(), { webSockets: "close" });
  });
});

describe("the rights of a stream's key", () => {
  it("a bound key gets only the events of its agent's tasks, without createdBy", async () => {
    const key = await keyWith(["tasks:read"], { agentId: "researcher" });
    const client = await follow(LATEST, key);
    await publish(eventsOf(1, { agentId: "storyteller" }));
    const own = eventsOf(1, { type: "created", data: { task: "Read", createdBy: "root" } });
    await publish(own);
    await client.until(() => eventsIn(client).length === 1);
    expect(namesIn(client)).toEqual(namesOf(own));
    expect(JSON.stringify(client.received)).not.toContain("createdBy");
    client.close();
  });

  it("a bound key that asks for another agent's events gets none, not even those of its own agent", async () => {
    const key = await keyWith(["tasks:read"], { agentId: "researcher" });
    const foreign = await follow(`${LATEST}&agentId=storyteller`, key);
    const own = await follow(LATEST, key);
    await publish([...eventsOf(1, { agentId: "storyteller" }), ...eventsOf(1)]);
    await own.until(() => eventsIn(own).length === 1);
    expect(eventsIn(foreign)).toEqual([]);
    foreign.close();
    own.close();
  });

  it("a browser's EventSource follows the feed with the session cookie, but not from another site", async () => {
    const signedIn = await post("/agents/sessions", { apiKey: ROOT }, { key: null });
    const [cookie = ""] = (signedIn.headers.get("Set-Cookie") ?? "").split(";");
    const sent = { Cookie: cookie, "Sec-Fetch-Site": "same-origin" };
    const client = listen(LATEST, ROOT, sent);
    await client.until(() => isLive(client));
    const events = eventsOf(1);
    await publish(events);
    await client.until(() => eventsIn(client).length === 1);
    expect(namesIn(client)).toEqual(namesOf(events));
    client.close();
    const headers = { ...STREAM, ...sent, "Sec-Fetch-Site": "cross-site" };
    const rejected = await get(LATEST, { key: null, headers, documented: false });
    expectError(rejected, 403, "CROSS_SITE_REQUEST");
  });

  it("a key without tasks:read gets 403", async () => {
    const key = await keyWith(["tools:read"]);
    expectError(await get(LATEST, { key, headers: STREAM }), 403, "INSUFFICIENT_SCOPE");
  });
});

describe("an invalid request for a stream", () => {
  it.each(["x", "1", btoa("1.abc")])("the Last-Event-ID %s is rejected", async (lastEventId) => {
    const headers = { ...STREAM, "Last-Event-ID": lastEventId };
    expectProblems(await get(LATEST, { headers }), {
      "Last-Event-ID": /^must be the id of a message/,
    });
  });

  it("a stream with a limit is rejected, because it sends every event", async () => {
    expectProblems(await get(`${LATEST}&limit=5`, { headers: STREAM }), {
      limit: /^must be omitted/,
    });
  });

  it("an invalid request does not count as an open stream", async () => {
    const body = { name: "one stream", scopes: ["tasks:read"], limits: { openStreams: 1 } };
    const { key } = (await post("/agents/keys", body)).body.data;
    const headers = { ...STREAM, "Last-Event-ID": "x" };
    for (let tries = 0; tries < 2; tries += 1) {
      expectProblems(await get(LATEST, { key, headers }), {
        "Last-Event-ID": /^must be the id of a message/,
      });
    }
  });

  it("a Last-Event-ID whose following events were dropped gets 410 with a cursor that works", async () => {
    const before = await here();
    await publish(eventsOf(1));
    const dropped = (await get(LATEST)).body.data.nextCursor;
    await dropEvents();
    for (const [path, headers] of [
      [LATEST, { ...STREAM, "Last-Event-ID": before }],
      [`/agents/events?cursor=${before}`, STREAM],
    ] as const) {
      const answer = await get(path, { headers });
      expectError(answer, 410, "CURSOR_EXPIRED");
      expect(answer.body.error.context.cursor).toBe(dropped);
    }
    const client = await follow(`/agents/events?cursor=${dropped}`);
    client.close();
  });

  it("a stream from the oldest event starts with what the feed still has", async () => {
    await publish(eventsOf(1));
    await dropEvents();
    const kept = eventsOf(2);
    await publish(kept);
    const client = await follow("/agents/events");
    expect(namesIn(client)).toEqual(namesOf(kept));
    expect(client.received.at(-1)?.data.truncatedBefore).toEqual(expect.any(String));
    client.close();
  });
});
