import { env } from "cloudflare:workers";
import { beforeAll, expect, it, vi } from "vitest";
import { get, post } from "../../../support/client.ts";
import { disconnectDatabase, holdWrites, shardsWith } from "../../../support/shards.ts";
import { create, passTime, stopClock, untilStatus, wake } from "../../../support/tasks.ts";
import { createTaskInEachShard } from "./each-shard.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Several times the duration of a purge that does not have to wait. */
const PURGE_MS = 400;

beforeAll(() => {
  Object.assign(env, { TASK_RETENTION_DAYS: "1" });
  stopClock();
});

/** Has this agent complete a task in each shard, rates the tasks, and returns their ids. */
async function ratedInEach(agentId: string): Promise<string[]> {
  const ids = await createTaskInEachShard(async () => {
    const id = await create({ agentId, context: { text: "Two wharves." } });
    await untilStatus(id, "completed");
    return id;
  });
  for (const id of ids) await post(`/agents/tasks/${id}/feedback`, { rating: 3 });
  return ids;
}

function ratedElsewhere(id: string): Promise<unknown> {
  return env.DB.prepare("SELECT rating FROM rated_elsewhere WHERE task_id = ?")
    .bind(id)
    .first("rating");
}

it("at the end of retention, a task's row is deleted from its shard, but its rating still counts", async () => {
  const ids = await ratedInEach("researcher");
  expect(await Promise.all(ids.map(ratedElsewhere))).toEqual([null, 3, 3]);
  passTime(DAY_MS);
  for (const id of ids) await wake(id);
  for (const id of ids) {
    expect((await get(`/agents/tasks/${id}`)).status).toBe(404);
    expect(await shardsWith(id)).toEqual([]);
    expect(await ratedElsewhere(id)).toBeNull();
  }
  expect((await get("/agents/researcher")).body.data.rating).toEqual({ mean: 3, count: 3 });
});

it.each([
  ["the row's", () => env.SHARD_1],
  ["the rating's", () => env.DB],
])(
  "deleting a task is retried while %s database is unavailable, and later succeeds",
  async (_, database) => {
    for (const level of ["error", "warn"] as const) {
      vi.spyOn(console, level).mockImplementation(() => {});
    }
    const [, id = ""] = await ratedInEach("storyteller");
    passTime(DAY_MS);
    const bringBack = disconnectDatabase(database());
    for (let tries = 0; tries < 3; tries += 1) {
      expect(await wake(id)).toBe(true);
      passTime(MINUTE_MS);
    }
    bringBack();
    expect(await wake(id)).toBe(true);
    expect([await shardsWith(id), await ratedElsewhere(id)]).toEqual([[], null]);
    expect(await wake(id)).toBe(false);
  },
);

it("a write that is in progress while its task is deleted leaves no row behind", async () => {
  for (const level of ["error", "warn"] as const) {
    vi.spyOn(console, level).mockImplementation(() => {});
  }
  const [, id = ""] = await ratedInEach("storyteller");
  passTime(DAY_MS - 1_000);
  const letThrough = holdWrites(env.SHARD_1);
  const bringBack = disconnectDatabase(env.DB);
  // One of two writes is held, and the other fails. The save ends when both have ended.
  expect((await post(`/agents/tasks/${id}/feedback`, { rating: 1 })).status).toBe(200);
  bringBack();
  passTime(MINUTE_MS);
  const purging = wake(id);
  await Promise.race([purging, scheduler.wait(PURGE_MS)]);
  await letThrough();
  await purging;
  while (await wake(id)) passTime(MINUTE_MS);
  expect([await shardsWith(id), await ratedElsewhere(id)]).toEqual([[], null]);
});
