import { beforeAll, describe, expect, it } from "vitest";
import { get } from "../support/client.ts";
import { passTime, read, stopClock, taskIn, untilStatus } from "../support/tasks.ts";

describe("Get task status", () => {
  // oxlint-disable-next-line typescript/no-explicit-any -- as in Answer: a test asserts the shape it reads
  let data: any;
  let id = "";
  let startedAt = "";

  beforeAll(async () => {
    stopClock();
    const body = { task: "Count the gulls", agentId: "researcher", priority: "urgent" };
    id = await taskIn("pending", { ...body, deliverables: ["summary"] });
    await untilStatus(id, "in_progress");
    startedAt = new Date().toISOString();
    passTime(12_000);
    await untilStatus(id, "completed");
    data = await read(id);
  });

  it("the status endpoint returns the task in the path", async () => {
    expect((await get(`/agents/tasks/${id}`)).status).toBe(200);
  });

  it.each(["a".repeat(64), "42", "list"])(
    "reading the unknown task %s gets 404",
    async (unknown) => {
      const { status, body } = await get(`/agents/tasks/${unknown}`);
      expect([status, body.error.code]).toEqual([404, "TASK_NOT_FOUND"]);
      expect(body.error.message).toContain(unknown.slice(0, 40));
    },
  );

  it("a task's status contains its id", () => expect(data.taskId).toBe(id));
  it("a task's status contains its current state", () => expect(data.status).toBe("completed"));
  it("a task's status contains its description", () => expect(data.task).toBe("Count the gulls"));
  it("a task's status contains its agent's id", () => expect(data.agentId).toBe("researcher"));
  it("a task's status contains its agent's name", () => expect(data.agentName).toBe("Researcher"));
  it("a task's status contains its priority", () => expect(data.priority).toBe("urgent"));
  it("a completed task has a progress of 100", () => expect(data.progress).toBe(100));
  it("a task's status contains its current phase", () =>
    expect(data.currentPhase).toBe("finalising"));

  it("a task's status contains its timeline", () => {
    expect(data.timeline).toEqual({
      createdAt: startedAt,
      startedAt,
      completedAt: new Date().toISOString(),
      duration: "12s",
      workingTime: "12s",
      waitingTime: "0ms",
    });
  });

  it("a completed task has a result", () => {
    expect(Object.keys(data.result)).toEqual(["summary", "insights", "recommendations"]);
  });

  it("a task's status lists deliverables without downloadUrl and format", () => {
    expect(data.deliverables).toHaveLength(1);
    expect(Object.keys(data.deliverables[0]).toSorted()).toEqual([
      "createdAt",
      "name",
      "size",
      "type",
      "url",
    ]);
  });

  it("a completed task has a quality score", () =>
    expect(data.quality.score).toEqual(expect.any(Number)));

  it("fields that do not yet apply to a task are absent", async () => {
    const young = await read(await taskIn("pending"));
    for (const field of ["result", "deliverables", "quality", "currentPhase", "error"]) {
      expect(young, field).not.toHaveProperty(field);
    }
    expect(Object.keys(young.timeline)).toEqual(["createdAt"]);
  });
});
