import { evictAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { EventLog } from "../../../../src/tasks/runtime/event-log.store.ts";
import { get, patch, post } from "../../../support/client.ts";
import { bindShards, rowIn, shardsWith, setShardCount } from "../../../support/shards.ts";
import { create, passTime, stopClock, taskIn, untilStatus } from "../../../support/tasks.ts";
import { eventsOf, objectOf } from "../../../support/task-state.ts";
import { createTaskInEachShard, shardOf, SHARDS } from "./each-shard.ts";

beforeAll(stopClock);

async function listed(query = ""): Promise<string[]> {
  const { tasks } = (await get(`/agents/tasks${query}`)).body.data;
  return tasks.map(({ taskId }: { taskId: string }) => taskId);
}

/** Returns the data of a task's first stored event. */
function firstEvent(taskId: string): Promise<unknown> {
  return runInDurableObject(
    objectOf(taskId),
    (_, { storage }) => new EventLog(storage).page(0, 1)[0]?.data,
  );
}

describe("a new task", () => {
  it("a new task is stored in one shard, which its first event records and clients do not see", async () => {
    for (const [shard, id] of (await createTaskInEachShard()).entries()) {
      expect(await shardsWith(id)).toEqual([shard]);
      const first = await firstEvent(id);
      if (shard === 0) expect(first).not.toHaveProperty("shard");
      else expect(first).toHaveProperty("shard", shard);
      const [created] = await eventsOf(id);
      expect(created?.data).not.toHaveProperty("shard");
      const feed = await get(`/agents/events?from=oldest&taskId=${id}`);
      expect(feed.text).not.toContain('"shard"');
    }
  });

  it("the creator's next list contains the new task, whatever its shard", async () => {
    passTime(1_000);
    for (let times = 0; times < 12; times += 1) {
      passTime(1_000);
      const id = await create();
      expect(await listed("?limit=1")).toEqual([id]);
    }
  });

  it("tasks created in the same millisecond are listed by id across shards, highest first", async () => {
    passTime(1_000);
    const ids: string[] = [];
    for (let times = 0; times < 44; times += 1) ids.push(await create({ teamId: "studio" }));
    const listedIds: string[] = [];
    let cursor = "";
    do {
      const { body } = await get(`/agents/tasks?teamId=studio&limit=4${cursor}`);
      listedIds.push(...body.data.tasks.map(({ taskId }: { taskId: string }) => taskId));
      cursor = body.data.nextCursor === null ? "" : `&cursor=${body.data.nextCursor}`;
    } while (cursor !== "");
    expect(listedIds).toEqual(ids.toSorted().toReversed());
    expect(new Set(listedIds.map((id) => shardOf(id))).size).toBe(SHARDS);
  });

  it("a repeated Idempotency-Key returns the same task from any shard", async () => {
    for (let times = 0; times < 6; times += 1) {
      const options = { headers: { "Idempotency-Key": `shard-${times}` } };
      const { taskId } = (await post("/agents/tasks", { task: "Once" }, options)).body.data;
      await evictAllDurableObjects();
      const again = await post("/agents/tasks", { task: "Once" }, options);
      expect(again.body.data.taskId).toBe(taskId);
      expect(await shardsWith(taskId)).toEqual([shardOf(taskId)]);
    }
  });
});

it("a task is updated in its shard for its whole lifetime, even after eviction", async () => {
  const ids = await createTaskInEachShard(() => taskIn("blocked"));
  for (const [shard, id] of ids.entries()) {
    await patch(`/agents/tasks/${id}`, { priority: "urgent" });
    expect(await rowIn(shard, id)).toMatchObject({ status: "blocked", priority: "urgent" });
    await evictAllDurableObjects();
    await post(`/agents/tasks/${id}/respond`, { response: "1702" });
    await untilStatus(id, "completed");
    expect(await rowIn(shard, id)).toMatchObject({ status: "completed", priority: "urgent" });
    expect(await shardsWith(id)).toEqual([shard]);
  }
  expect(await listed("?status=completed&priority=urgent")).toEqual(expect.arrayContaining(ids));
});

describe("a change in the number of shards", () => {
  it("when the number of shards rises, existing tasks stay in their shard and are listed and changed there", async () => {
    bindShards(1);
    setShardCount(1);
    passTime(1_000);
    const old: string[] = [];
    const make = async () => {
      const id = await taskIn("blocked");
      old.push(id);
      return id;
    };
    // Create a task for each future shard. For now, the tasks are all in one database.
    await createTaskInEachShard(make);
    // Bind the databases before raising the number of shards.
    bindShards(SHARDS);
    expect(await listed(`?status=blocked&limit=${old.length}`)).toEqual(
      old.toSorted().toReversed(),
    );
    setShardCount(SHARDS);
    await evictAllDurableObjects();
    passTime(1_000);
    const fresh = await createTaskInEachShard(() => taskIn("blocked"));
    expect(await listed("?status=blocked&limit=100")).toEqual(
      expect.arrayContaining([...old, ...fresh]),
    );
    for (const id of old) {
      expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
      expect(await shardsWith(id)).toEqual([0]);
      expect(await rowIn(0, id)).toMatchObject({ status: "cancelled" });
    }
  });

  it("when the number of shards falls, new tasks go only to the remaining shards, and old ones stay", async () => {
    const before = await createTaskInEachShard(() => taskIn("blocked"));
    setShardCount(1);
    await evictAllDurableObjects();
    for (let times = 0; times < 6; times += 1)
      expect(await shardsWith(await create())).toEqual([0]);
    for (const [shard, id] of before.entries()) {
      expect(await listed("?status=blocked&limit=100")).toContain(id);
      expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
      expect(await rowIn(shard, id)).toMatchObject({ status: "cancelled" });
      expect(await shardsWith(id)).toEqual([shard]);
    }
    setShardCount(SHARDS);
  });

  it("when the first shard is full, new tasks go only to the others", async () => {
    const [old = ""] = await createTaskInEachShard(() => taskIn("blocked"));
    setShardCount(SHARDS, 1);
    await evictAllDurableObjects();
    const shards = new Set<number>();
    for (let times = 0; times < 16; times += 1) {
      const [shard = -1] = await shardsWith(await create());
      shards.add(shard);
    }
    expect(shards).toEqual(new Set([1, 2]));
    expect((await post(`/agents/tasks/${old}/cancel`)).status).toBe(200);
    expect(await rowIn(0, old)).toMatchObject({ status: "cancelled" });
    expect(await shardsWith(old)).toEqual([0]);
    setShardCount(SHARDS);
  });
});
