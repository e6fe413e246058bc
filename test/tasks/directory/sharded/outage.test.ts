import { env } from "cloudflare:workers";
import { evictAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AGENT_CACHE_MS } from "../../../../src/agents/limits.ts";
import { get, patch, post } from "../../../support/client.ts";
import {
  bindShards,
  disconnectDatabase,
  rowIn,
  shardsWith,
  setShardCount,
  neverAnswer,
} from "../../../support/shards.ts";
import { create, passTime, stopClock, taskIn, wake } from "../../../support/tasks.ts";
import { alarmAt, objectOf } from "../../../support/task-state.ts";
import { shardOf, SHARDS } from "./each-shard.ts";

const MINUTE_MS = 60_000;

beforeAll(stopClock);
beforeEach(() => {
  bindShards(SHARDS);
  setShardCount(SHARDS);
});

const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
vi.spyOn(console, "error").mockImplementation(() => {});

/** Creates a blocked task whose row is in this shard. */
async function blockedIn(shard: number): Promise<string> {
  for (;;) {
    const id = await taskIn("blocked");
    if (shardOf(id) === shard) return id;
  }
}

describe("an outage of one shard", () => {
  it("during an outage of one shard, lists return 503, and tasks are still read, changed and ended", async () => {
    const [near, far] = [await blockedIn(0), await blockedIn(1)];
    const bringBack = disconnectDatabase(env.SHARD_1);
    const list = await get("/agents/tasks");
    expect(list.status).toBe(503);
    expect(list.body.error).toMatchObject({ code: "SERVICE_UNAVAILABLE", retryable: true });
    expect(list.text).not.toMatch(/select|insert|directory|sqlite|D1_|shard/i);
    for (const id of [near, far]) {
      expect((await get(`/agents/tasks/${id}`)).status).toBe(200);
      expect((await patch(`/agents/tasks/${id}`, { priority: "urgent" })).status).toBe(200);
      expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
    }
    expect(await rowIn(0, near)).toMatchObject({ status: "cancelled", priority: "urgent" });
    expect(warned).toHaveBeenCalledWith(
      expect.objectContaining({ event: "directory_write_failed", taskId: far }),
    );
    bringBack();
    expect(await rowIn(1, far)).toMatchObject({ status: "blocked", priority: "medium" });

    expect(await alarmAt(far)).toBeLessThanOrEqual(Date.now() + MINUTE_MS);
    passTime(MINUTE_MS);
    await wake(far);
    expect(await rowIn(1, far)).toMatchObject({ status: "cancelled", priority: "urgent" });
    expect(await alarmAt(far)).toBeNull();
    expect((await get("/agents/tasks")).status).toBe(200);
  });

  it("during an outage of one shard, tasks are created in all shards, and the missing rows follow", async () => {
    const bringBack = disconnectDatabase(env.SHARD_2);
    const ids: string[] = [];
    while (new Set(ids.map((id) => shardOf(id))).size < SHARDS) ids.push(await create());
    bringBack();
    expect(warned).toHaveBeenCalledWith(
      expect.objectContaining({ event: "agent_loads_read_failed", shard: 2 }),
    );
    for (const id of ids) {
      const shard = shardOf(id);
      expect(await shardsWith(id)).toEqual(shard === 2 ? [] : [shard]);
      await evictDurableObject(objectOf(id));
      passTime(MINUTE_MS);
      await wake(id);
      expect(await shardsWith(id)).toEqual([shard]);
    }
  });

  it("a shard that never responds delays a creation by at most 3.5 seconds", async () => {
    await blockedIn(2);
    disconnectDatabase(env.SHARD_2, neverAnswer);
    const startedAt = performance.now();
    for (;;) {
      // Let the agent cache expire, so this request also waits for the agents' loads.
      passTime(AGENT_CACHE_MS);
      const began = performance.now();
      const id = await create();
      expect(performance.now() - began).toBeLessThan(3_500);
      if (shardOf(id) === 2) break;
    }
    expect(performance.now() - startedAt).toBeGreaterThan(1_900);
  });

  it("during a long outage of a shard, the alarm keeps retrying the row until the shard is back", async () => {
    const id = await blockedIn(1);
    const bringBack = disconnectDatabase(env.SHARD_1);
    await post(`/agents/tasks/${id}/cancel`);
    for (let tries = 0; tries < 12; tries += 1) {
      passTime(MINUTE_MS);
      expect(await wake(id)).toBe(true);
      expect(await alarmAt(id)).toBeLessThanOrEqual(Date.now() + MINUTE_MS);
    }
    bringBack();
    await wake(id);
    expect(await rowIn(1, id)).toMatchObject({ status: "cancelled" });
  });
});

it("tasks in a database that is no longer bound continue, and their rows follow once it is bound again", async () => {
  const id = await blockedIn(2);
  setShardCount(1);
  bindShards(2);
  await evictAllDurableObjects();
  expect((await get(`/agents/tasks/${id}`)).status).toBe(200);
  expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
  expect((await get("/agents/tasks?limit=100")).text).not.toContain(id);
  bindShards(SHARDS);
  await evictAllDurableObjects();
  passTime(MINUTE_MS);
  await wake(id);
  expect(await rowIn(2, id)).toMatchObject({ status: "cancelled" });
  expect(await shardsWith(id)).toEqual([2]);
});
