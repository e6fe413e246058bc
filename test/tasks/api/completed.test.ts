import { beforeAll, describe, expect, it } from "vitest";
import { get, ORIGIN, post } from "../../support/client.ts";
import { create, passTime, read, stopClock, untilStatus, wake } from "../../support/tasks.ts";
import { eventsOf, rowOf, typesOf } from "../../support/task-state.ts";

const CSV = "city,people\nBergen,291940\nOslo,717710\nTromso,78745\n";

beforeAll(stopClock);

describe("a task from creation to completion", () => {
  it("a task goes from pending through in_progress to completed, and its directory row follows", async () => {
    const id = await create({ context: { csv: CSV }, deliverables: ["summary"] });
    expect(await read(id)).toMatchObject({ status: "pending", progress: 0, attempt: 1 });
    expect(await rowOf(id)).toMatchObject({ status: "pending", started_at: null });

    expect(await wake(id)).toBe(true);
    const working = await read(id);
    expect(working).toMatchObject({
      status: "in_progress",
      timeline: { startedAt: expect.any(String) },
    });
    expect(working.progress).toBeGreaterThan(0);
    expect(await rowOf(id)).toMatchObject({ status: "in_progress", ended_at: null });

    await untilStatus(id, "completed");
    expect(await rowOf(id)).toMatchObject({ status: "completed", attempt: 1, rating: null });
    expect(await wake(id)).toBe(false);
  });

  it("result, quality and deliverables appear only when a task completes, with a complete timeline", async () => {
    const id = await create({ context: { csv: CSV }, deliverables: ["summary"] });
    const before = await read(id);
    for (const field of ["result", "quality", "deliverables", "error", "blocked"]) {
      expect(before).not.toHaveProperty(field);
    }
    passTime(5_000);
    await wake(id);
    passTime(65_000);
    await untilStatus(id, "completed");
    const { timeline, ...task } = await read(id);
    expect(task).toMatchObject({
      progress: 100,
      result: {
        summary: expect.any(String),
        insights: expect.any(Array),
        recommendations: expect.any(Array),
      },
      quality: {
        score: expect.any(Number),
        accuracy: expect.any(Number),
        completeness: expect.any(Number),
        clarity: expect.any(Number),
      },
      deliverables: [{ type: "summary", name: expect.any(String), size: expect.any(Number) }],
    });
    expect(timeline).toMatchObject({ duration: "1m 5s" });
    expect(Date.parse(timeline.startedAt) - Date.parse(timeline.createdAt)).toBe(5_000);
    expect(Date.parse(timeline.completedAt) - Date.parse(timeline.startedAt)).toBe(65_000);
  });

  it("a task's events show one start, rising progress and one end", async () => {
    const id = await create({ context: { csv: CSV } });
    await untilStatus(id, "completed");
    const events = await eventsOf(id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(["created", "assigned", "started"]);
    expect(types.slice(3, -1)).toEqual(types.slice(3, -1).map(() => "progressed"));
    expect(types.at(-1)).toBe("completed");
    const progress = events
      .filter(({ type }) => type === "progressed")
      .map(({ data }) => data.progress);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(new Set(progress).size).toBe(progress.length);
  });

  it("a task looks the same in the response to its creation, in a GET response and in the list", async () => {
    const created = await post("/agents/tasks", { task: "Count the cities", priority: "high" });
    const { taskId, trackingUrl, createdAt } = created.body.data;
    expect(trackingUrl).toBe(`${ORIGIN}/agents/tasks/${taskId}`);
    expect(created.headers.get("Location")).toBe(trackingUrl);
    const task = await read(taskId);
    const { body } = await get("/agents/tasks?priority=high");
    const [listed] = body.data.tasks;
    for (const shown of [task, listed]) {
      expect(shown).toMatchObject({
        taskId,
        task: "Count the cities",
        status: "pending",
        priority: "high",
        agentId: created.body.data.agentId,
        agentName: created.body.data.agentName,
        createdAt,
      });
    }
  });
});

it("a completed task rejects cancel, retry, respond and review, and its log does not change", async () => {
  const id = await create({ context: { csv: CSV } });
  await untilStatus(id, "completed");
  const before = await typesOf(id);
  const refused = [
    await post(`/agents/tasks/${id}/cancel`),
    await post(`/agents/tasks/${id}/retry`),
    await post(`/agents/tasks/${id}/respond`, { response: "x" }),
    await post(`/agents/tasks/${id}/review`, { decision: "approve" }),
  ];
  for (const answer of refused) {
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({
      code: "INVALID_STATE",
      context: { status: "completed", allowed: ["feedback", "deliverables"] },
    });
  }
  expect(await typesOf(id)).toEqual(before);
});
