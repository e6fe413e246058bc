import { env } from "cloudflare:workers";
import { evictDurableObject } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { getDatabase } from "../../../src/platform/d1/client.ts";
import { directoryTable } from "../../../src/platform/d1/schema.ts";
import { saveDirectoryRow } from "../../../src/tasks/directory/directory.store.ts";
import { get, post } from "../../support/client.ts";
import { create, read, stopClock, taskIn, untilStatus, wake } from "../../support/tasks.ts";
import { eventsOf, objectOf, rowOf } from "../../support/task-state.ts";

beforeAll(stopClock);

/** Completes a task with an agent that has no ratings yet. */
async function completedBy(agentId: string): Promise<string> {
  await post("/agents/tools/access", { agentId, toolId: "text-analyst" });
  const id = await create({ agentId, context: { text: "A wharf burnt down in 1702." } });
  await untilStatus(id, "completed");
  return id;
}

function ratingOf(agentId: string): Promise<Record<string, unknown> | null> {
  return env.DB.prepare("SELECT rating_sum AS sum, rating_count AS count FROM agents WHERE id = ?")
    .bind(agentId)
    .first();
}

function rate(id: string, rating: number) {
  return post(`/agents/tasks/${id}/feedback`, { rating });
}

describe("feedback on a completed task", () => {
  it("feedback is created, shown by GET and in the log, and rates the agent", async () => {
    const id = await completedBy("rated-once");
    const feedback = { rating: 4.5, feedback: "To the point.", issues: ["one typo"] };
    const answer = await post(`/agents/tasks/${id}/feedback`, feedback);
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({ taskId: id, ...feedback });
    expect(await read(id)).toMatchObject({ status: "completed", feedback });
    expect((await eventsOf(id)).at(-1)).toMatchObject({ type: "rated", data: feedback });
    expect(await rowOf(id)).toMatchObject({ rating: 4.5 });
    expect(await ratingOf("rated-once")).toEqual({ sum: 4.5, count: 1 });
  });

  it("repeated feedback replaces the first with 200, and the agent's mean counts the task once", async () => {
    const id = await completedBy("rated-twice");
    expect((await rate(id, 5)).status).toBe(201);
    const second = await rate(id, 2);
    expect(second.status).toBe(200);
    expect(second.body.data).toEqual({ taskId: id, rating: 2 });
    expect(await ratingOf("rated-twice")).toEqual({ sum: 2, count: 1 });
  });

  it("feedback counts once even after repeated evictions of its task", async () => {
    const id = await completedBy("rated-steadily");
    await rate(id, 3);
    for (let time = 0; time < 3; time += 1) {
      await evictDurableObject(objectOf(id));
      await get(`/agents/tasks/${id}`);
      await wake(id);
    }
    expect(await ratingOf("rated-steadily")).toEqual({ sum: 3, count: 1 });
  });

  it("feedback that reaches D1 after newer feedback changes neither the row nor the mean", async () => {
    const id = await completedBy("rated-late");
    await rate(id, 2);
    const db = getDatabase(env.DB);
    const [row] = await db.select().from(directoryTable).where(eq(directoryTable.id, id));
    if (row === undefined) throw new Error("The rated task has no row");
    await saveDirectoryRow(db, { ...row, seq: row.seq - 1, rating: 5 });
    await saveDirectoryRow(db, row);
    expect(await rowOf(id)).toMatchObject({ seq: row.seq, rating: 2 });
    expect(await ratingOf("rated-late")).toEqual({ sum: 2, count: 1 });
  });

  it("feedback on several tasks adds up in the agent's rating", async () => {
    const ids = [await completedBy("rated-often"), await completedBy("rated-often")];
    await Promise.all(ids.map((id, index) => rate(id, index + 3)));
    expect(await ratingOf("rated-often")).toEqual({ sum: 7, count: 2 });
  });

  it("if feedback is concurrent, the last rating in the log counts", async () => {
    const id = await completedBy("rated-at-once");
    const answers = await Promise.all([1, 2, 3, 4, 5].map((rating) => rate(id, rating)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 200, 200, 200, 201,
    ]);
    const last = (await eventsOf(id)).at(-1)?.data.rating;
    expect(await ratingOf("rated-at-once")).toEqual({ sum: last, count: 1 });
    expect(await rowOf(id)).toMatchObject({ rating: last });
  });
});

it.each(["pending", "in_progress", "blocked", "review", "failed", "cancelled"] as const)(
  "a task that is %s rejects feedback",
  async (status) => {
    const id = await taskIn(status);
    const answer = await rate(id, 4);
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({ code: "TASK_NOT_COMPLETED", context: { status } });
    expect((await eventsOf(id)).map(({ type }) => type)).not.toContain("rated");
  },
);
