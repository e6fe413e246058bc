import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { FeedEvent } from "../../src/events/model/feed.ts";
import { feedStub } from "../../src/events/feed.rpc.ts";

const EVERYTHING = { types: null, agentId: null, teamId: null, taskId: null };

function eventsOf(taskId: string, ...seqs: readonly number[]): FeedEvent[] {
  const at = new Date().toISOString();
  return seqs.map((seq) => {
    return { taskId, seq, type: "updated", at, agentId: null, teamId: null, data: {} };
  });
}

it("a call that arrives after its retry adds no events to the feed, and a new event is added once", async () => {
  const feed = feedStub(env.FEED);
  const taskId = crypto.randomUUID();
  const before = await feed.readLastPosition();
  // The first call timed out, and its retry arrived before it.
  await feed.publish(eventsOf(taskId, 1, 2, 3), false);
  await feed.publish(eventsOf(taskId, 1, 2), true);
  await feed.publish(eventsOf(taskId, 4), true);
  const { events } = await feed.readPage(EVERYTHING, before, 100);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
});
