import { beforeAll, describe, expect, it } from "vitest";
import { formatDuration } from "../../src/kernel/text.ts";
import { get, ORIGIN, patch, post } from "../support/client.ts";
import { create, passTime, read, stopClock, taskIn, untilStatus, wake } from "../support/tasks.ts";

/** Creates a task with this body and returns the response data. */
async function creation(body: Record<string, string | string[]> = {}) {
  return (await post("/agents/tasks", { task: "Look around", ...body })).body.data;
}

describe("Task", () => {
  beforeAll(stopClock);

  it("a task has a unique id that is the same in every response", async () => {
    const [one, other] = [await creation(), await creation()];
    expect(one.taskId).toMatch(/^[0-9a-f]{64}$/);
    expect(one.taskId).not.toBe(other.taskId);
    expect((await read(one.taskId)).taskId).toBe(one.taskId);
  });

  it("a task has its current state", async () => {
    const id = await taskIn("pending");
    expect((await read(id)).status).toBe("pending");
    await untilStatus(id, "completed");
    expect((await read(id)).status).toBe("completed");
  });

  it("a task has its description as it was sent", async () => {
    const task = 'Say "hi" to Zoë & 李\nin two lines 🌊';
    const { taskId } = await creation({ task });
    expect((await read(taskId)).task).toBe(task);
  });

  it("a task has the id of its assigned agent", async () => {
    const { taskId, agentId } = await creation({ agentId: "researcher" });
    expect(agentId).toBe("researcher");
    expect((await read(taskId)).agentId).toBe("researcher");
  });

  it("a task has the name of its assigned agent", async () => {
    const { taskId, agentName } = await creation({ agentId: "researcher" });
    expect(agentName).toBe("Researcher");
    expect((await read(taskId)).agentName).toBe("Researcher");
  });

  it("a task has its target team, and a member of it is assigned", async () => {
    const task = await read((await creation({ teamId: "studio" })).taskId);
    expect(task.teamId).toBe("studio");
    expect(["storyteller", "integrator"]).toContain(task.agentId);
    expect(await read((await creation()).taskId)).not.toHaveProperty("teamId");
  });

  it.each(["low", "medium", "high", "urgent"])("a task has its priority %s", async (priority) => {
    expect((await creation({ priority })).priority).toBe(priority);
  });

  it("a task has the priority medium by default", async () => {
    expect((await read((await creation()).taskId)).priority).toBe("medium");
  });

  it.each([
    ["12:00:00Z", "12:00:00.000Z"],
    ["12:00:00+05:30", "06:30:00.000Z"],
    ["12:00:00.25-01:00", "13:00:00.250Z"],
  ])("a task has its ISO 8601 deadline in UTC: %s is %s", async (time, utc) => {
    const day = `${new Date().getUTCFullYear() + 2}-02-28`;
    const created = await creation({ deadline: `${day}T${time}` });
    expect(created.deadline).toBe(`${day}T${utc}`);
    expect((await read(created.taskId)).deadline).toBe(`${day}T${utc}`);
  });

  it("a task's estimated completion is its creation plus the estimated duration", async () => {
    const { createdAt, estimatedCompletion, estimatedDuration } = await creation();
    const estimatedMs = Date.parse(estimatedCompletion) - Date.parse(createdAt);
    expect(estimatedCompletion).toBe(new Date(Date.parse(estimatedCompletion)).toISOString());
    expect(estimatedMs).toBeGreaterThan(0);
    expect(estimatedDuration).toBe(formatDuration(estimatedMs));
  });

  it("a task has a human-readable estimated duration, which is longer for more deliverables", async () => {
    const alone = await creation({ agentId: "researcher" });
    const more = await creation({ agentId: "researcher", deliverables: ["summary", "report"] });
    expect(alone.estimatedDuration).toMatch(/^\d+(ms|s)$/);
    expect(Date.parse(more.estimatedCompletion)).toBeGreaterThan(
      Date.parse(alone.estimatedCompletion),
    );
  });

  it("a new task has its deliverable types as strings", async () => {
    const deliverables = ["report", "chart"];
    expect((await creation({ deliverables })).deliverables).toEqual(deliverables);
  });

  it("a task that is read has its deliverables as objects", async () => {
    const { deliverables } = await read(await taskIn("completed", { deliverables: ["summary"] }));
    expect(deliverables).toEqual([expect.objectContaining({ type: "summary" })]);
  });

  it("a task has its URL", async () => {
    const { taskId, trackingUrl } = await creation();
    expect(trackingUrl).toBe(`${ORIGIN}/agents/tasks/${taskId}`);
    expect((await get(trackingUrl.slice(ORIGIN.length))).body.data.taskId).toBe(taskId);
  });

  it("a task has the date-time of its creation", async () => {
    expect((await creation()).createdAt).toBe(new Date().toISOString());
  });

  it("a task's progress is a percentage that never decreases and is 100 on completion", async () => {
    const id = await taskIn("pending");
    const seen = [(await read(id)).progress];
    while ((await read(id)).status !== "completed") {
      expect(await wake(id)).toBe(true);
      seen.push((await read(id)).progress);
    }
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBe(100);
    expect(seen.length).toBeGreaterThan(3);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.slice(0, -1).every((progress) => progress < 100)).toBe(true);
  });

  it("a task has the current activity of its agent", async () => {
    const id = await taskIn("in_progress");
    const first = (await read(id)).currentPhase;
    await wake(id);
    const second = (await read(id)).currentPhase;
    const phases = ["planning", "gathering", "analysing", "drafting", "finalising"];
    expect(phases).toContain(first);
    expect(phases.indexOf(second)).toBeGreaterThan(phases.indexOf(first));
  });

  it("a task's timeline has createdAt, startedAt, completedAt, duration, workingTime and waitingTime", async () => {
    const id = await taskIn("pending");
    const createdAt = new Date().toISOString();
    expect((await read(id)).timeline).toEqual({ createdAt });
    passTime(2_000);
    const startedAt = new Date().toISOString();
    await untilStatus(id, "in_progress");
    const waitingTime = "0ms";
    const begun = { createdAt, startedAt, workingTime: "0ms", waitingTime };
    expect((await read(id)).timeline).toEqual(begun);
    passTime(200_000);
    const completedAt = new Date().toISOString();
    await untilStatus(id, "completed");
    const duration = "3m 20s";
    const ended = { ...begun, completedAt, duration, workingTime: duration };
    expect((await read(id)).timeline).toEqual(ended);
    passTime(200_000);
    expect((await read(id)).timeline).toEqual(ended);
  });

  it("a task's result has a summary, insights and recommendations", async () => {
    const csv = "month,sales\n2026-01,10\n2026-02,20\n2026-03,30\n2026-04,40\n";
    const { result } = await read(await taskIn("completed", { context: { csv } }));
    expect(result).toEqual({
      summary: expect.stringMatching(/\S/),
      insights: expect.arrayContaining([expect.stringContaining("sales")]),
      recommendations: expect.any(Array),
    });
    // The mean of 10, 20, 30 and 40, computed by hand.
    expect(result.insights.join("\n")).toMatch(/\b25\b/);
    for (const text of [...result.insights, ...result.recommendations]) {
      expect(text).toEqual(expect.any(String));
    }
  });

  it("a task's quality has score, accuracy, completeness and clarity, all numbers", async () => {
    const { quality } = await read(await taskIn("completed"));
    expect(Object.keys(quality).toSorted()).toEqual([
      "accuracy",
      "clarity",
      "completeness",
      "score",
    ]);
    for (const [name, figure] of Object.entries(quality)) {
      expect(figure, name).toBeGreaterThanOrEqual(0);
      expect(figure, name).toBeLessThanOrEqual(100);
    }
  });

  it("a task's context is free-form", async () => {
    const context = { region: "north", years: [2024, 2025], nested: { deep: { flag: true } } };
    expect((await read(await create({ context }))).context).toEqual(context);
  });

  it("updates add notes to a task, one line each", async () => {
    const id = await taskIn("pending");
    expect(await read(id)).not.toHaveProperty("notes");
    await patch(`/agents/tasks/${id}`, { notes: "Mind the outliers." });
    await patch(`/agents/tasks/${id}`, { notes: "Send it to Zoë." });
    expect((await read(id)).notes).toBe("Mind the outliers.\nSend it to Zoë.");
  });

  it("a task's budget keeps its constraints and the client's own fields", async () => {
    const budget = { maxCost: 2.5, maxToolCalls: 20, costCentre: { id: 4711 } };
    expect((await read(await create({ budget }))).budget).toEqual(budget);
  });

  it("only a failed task has an error", async () => {
    const id = await taskIn("review");
    expect(await read(id)).not.toHaveProperty("error");
    await post(`/agents/tasks/${id}/review`, { decision: "reject", comment: "Wrong year." });
    expect((await read(id)).error).toEqual({
      code: "REVIEW_REJECTED",
      message: "Wrong year.",
      retryable: true,
      attempt: 1,
      at: new Date().toISOString(),
    });
  });
});
