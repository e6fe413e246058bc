import { env } from "cloudflare:workers";
import { evictDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { registerTeam } from "../../../support/catalogue.ts";
import { get, post } from "../../../support/client.ts";
import { disconnectDatabase, rowIn } from "../../../support/shards.ts";
import { create, passTime, read, stopClock, untilStatus, wake } from "../../../support/tasks.ts";
import { eventsOf, objectOf } from "../../../support/task-state.ts";
import { createTaskInEachShard } from "./each-shard.ts";

beforeAll(stopClock);

/** Registers an agent that can read text. */
async function agentNamed(id: string): Promise<void> {
  await post("/agents", { id, teams: ["studio"] });
  await post("/agents/tools/access", { agentId: id, toolId: "text-analyst" });
}

/** Has this agent complete a task in each shard, and returns the task ids. */
function completedInEach(agentId: string): Promise<string[]> {
  return createTaskInEachShard(async () => {
    const id = await create({ agentId, context: { text: "A wharf burnt down in 1702." } });
    await untilStatus(id, "completed");
    return id;
  });
}

const rate = (id: string, rating: number) => post(`/agents/tasks/${id}/feedback`, { rating });

async function meanOf(agentId: string): Promise<unknown> {
  return (await get(`/agents/${agentId}`)).body.data.rating;
}

describe("feedback on tasks in several shards", () => {
  it("feedback in several shards results in one mean, which counts each task's last rating once", async () => {
    await agentNamed("rated-all-over");
    const ids = await completedInEach("rated-all-over");
    for (const [shard, id] of ids.entries()) {
      expect((await rate(id, 5)).status).toBe(201);
      expect(await rowIn(shard, id)).toMatchObject({ rating: 5 });
      expect((await rate(id, shard + 1.5)).status).toBe(200);
      expect(await rowIn(shard, id)).toMatchObject({ rating: shard + 1.5 });
      expect((await read(id)).feedback).toEqual({ rating: shard + 1.5 });
    }
    expect(await meanOf("rated-all-over")).toEqual({ mean: 2.5, count: 3 });
    const { agents } = (await get("/agents?search=rated-all-over")).body.data;
    expect(agents[0].rating).toEqual({ mean: 2.5, count: 3 });
  });

  it("feedback in several shards counts once even after repeated evictions of the tasks", async () => {
    await agentNamed("rated-steadily");
    const ids = await completedInEach("rated-steadily");
    for (const id of ids) await rate(id, 4);
    for (let time = 0; time < 3; time += 1) {
      for (const id of ids) {
        await evictDurableObject(objectOf(id));
        await get(`/agents/tasks/${id}`);
        await wake(id);
      }
    }
    expect(await meanOf("rated-steadily")).toEqual({ mean: 4, count: 3 });
  });

  it("ratings from another shard count when an agent is chosen", async () => {
    for (const id of ["alma-s", "zora-s"]) await agentNamed(id);
    const ids = await completedInEach("zora-s");
    await rate(ids[2] ?? "", 5);
    await registerTeam("rated-s", "alma-s", "zora-s");
    // The agents differ only in their mean ratings, one of which was updated from the last shard.
    const id = await create({ teamId: "rated-s", context: { text: "Two wharves." } });
    await wake(id);
    const assigned = (await eventsOf(id)).find(({ type }) => type === "assigned");
    expect(assigned?.data.agentId).toBe("zora-s");
    expect(assigned?.data.reasons).toContain("rated 5.0");
  });

  it("if feedback in several shards is concurrent, the last rating in the log counts", async () => {
    await agentNamed("rated-at-once");
    for (const id of await completedInEach("rated-at-once")) {
      await Promise.all([1, 2, 3, 4, 5].map((rating) => rate(id, rating)));
    }
    const { tasks } = (await get("/agents/tasks?agentId=rated-at-once&limit=100")).body.data;
    const last: number[] = [];
    for (const { taskId, rating } of tasks) {
      const eventRating = (await eventsOf(taskId)).at(-1)?.data.rating;
      expect(rating).toBe(eventRating);
      if (eventRating !== undefined) last.push(eventRating);
    }
    const mean = last.reduce((sum, one) => sum + one, 0) / last.length;
    expect(await meanOf("rated-at-once")).toEqual({ mean, count: last.length });
  });
});

describe("a rating that was only partly written", () => {
  const warned = vi.spyOn(console, "warn");

  it.each([
    ["the row", () => env.SHARD_1],
    ["the mean", () => env.DB],
  ])(
    "after a failed write of %s, the rating is written later and counts once",
    async (what, database) => {
      warned.mockImplementation(() => {});
      const agentId = what === "the row" ? "half-row" : "half-mean";
      await agentNamed(agentId);
      const [, id = ""] = await completedInEach(agentId);
      const bringBack = disconnectDatabase(database());
      expect((await rate(id, 4)).status).toBe(201);
      expect(warned).toHaveBeenCalledWith(
        expect.objectContaining({ event: "directory_write_failed", taskId: id }),
      );
      bringBack();
      passTime(60_000);
      await wake(id);
      expect(await rowIn(1, id)).toMatchObject({ rating: 4 });
      expect(await meanOf(agentId)).toEqual({ mean: 4, count: 1 });
    },
  );
});
