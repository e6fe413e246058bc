import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { fold } from "../../src/tasks/model/fold.ts";
import { EventLog } from "../../src/tasks/runtime/event-log.store.ts";
import { registerTeam } from "../support/catalogue.ts";
import { get, post } from "../support/client.ts";
import { create, passTime, read, stopClock, taskIn, untilStatus } from "../support/tasks.ts";

const HOUR_MS = 3_600_000;
const inAnHour = () => new Date(Date.now() + HOUR_MS).toISOString();

/** The status of a task after each event in its log. */
async function statusesOf(taskId: string): Promise<(string | undefined)[]> {
  const stub = env.TASKS.get(env.TASKS.idFromString(taskId));
  const log = await runInDurableObject(stub, (_, { storage }) =>
    [...new EventLog(storage).read()].map(({ event }) => event),
  );
  return log.map((_, index) => fold(log.slice(0, index + 1))?.status);
}

async function eventTypes(taskId: string): Promise<string[]> {
  const { events } = (await get(`/agents/tasks/${taskId}/events`)).body.data;
  return events.map(({ type }: { type: string }) => type);
}

describe("States and transitions", () => {
  beforeAll(async () => {
    stopClock();
    await registerTeam("nobody");
  });

  it("Create Task with a valid body creates a pending task with estimates and trackingUrl", async () => {
    const { status, body } = await post("/agents/tasks", { task: "Look around" });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      status: "pending",
      estimatedCompletion: expect.any(String),
      estimatedDuration: expect.any(String),
      trackingUrl: expect.stringContaining(body.data.taskId),
    });
  });

  it("Create Task with an invalid body creates no task", async () => {
    const before = (await get("/agents/tasks")).body.data.total;
    const { status, body } = await post("/agents/tasks", { task: "" });
    expect(status).toBe(400);
    expect(body).not.toHaveProperty("data");
    expect((await get("/agents/tasks")).body.data.total).toBe(before);
  });

  it("a pending task becomes assigned when the system assigns an agent", async () => {
    const id = await taskIn("in_progress");
    expect((await statusesOf(id)).slice(0, 2)).toEqual(["pending", "assigned"]);
    expect((await eventTypes(id)).slice(0, 2)).toEqual(["created", "assigned"]);
  });

  it("a task stays pending while there is no agent to assign", async () => {
    const id = await create({ teamId: "nobody" });
    expect(await read(id)).toMatchObject({ status: "pending" });
    expect(await read(id)).not.toHaveProperty("agentId");
  });

  it("an assigned task becomes in_progress, with startedAt and progress, when its agent begins", async () => {
    const id = await taskIn("pending");
    expect((await read(id)).timeline).not.toHaveProperty("startedAt");
    passTime(1_000);
    await untilStatus(id, "in_progress");
    expect((await statusesOf(id)).slice(1, 3)).toEqual(["assigned", "in_progress"]);
    const { timeline, progress } = await read(id);
    expect(timeline.startedAt).toBe(new Date().toISOString());
    expect(progress).toBeGreaterThan(0);
  });

  it("a task becomes completed, with deliverables, result, quality and progress 100, when its agent finishes", async () => {
    const id = await taskIn("in_progress", { deliverables: ["summary"] });
    for (const field of ["deliverables", "result", "quality"]) {
      expect(await read(id)).not.toHaveProperty(field);
    }
    await untilStatus(id, "completed");
    expect(await read(id)).toMatchObject({
      deliverables: [{ type: "summary" }],
      result: { summary: expect.any(String) },
      quality: { score: expect.any(Number) },
      progress: 100,
    });
  });

  it.each(["pending", "in_progress", "blocked", "review"] as const)(
    "a task that is %s fails at its deadline with details of the error",
    async (status) => {
      const deadline = inAnHour();
      const id = await taskIn(status, { deadline });
      passTime(HOUR_MS);
      const { error, ...task } = await read(id);
      expect(task.status).toBe("failed");
      expect(error).toEqual({
        code: "DEADLINE_EXCEEDED",
        message: expect.stringContaining(deadline),
        retryable: true,
        attempt: 1,
        at: new Date().toISOString(),
      });
    },
  );

  it.each(["pending", "in_progress"] as const)(
    "Cancel Task cancels a task that is %s and records the optional reason",
    async (status) => {
      const [withReason, withoutReason] = [await taskIn(status), await taskIn(status)];
      await post(`/agents/tasks/${withReason}/cancel`, { reason: "Not needed any more" });
      await post(`/agents/tasks/${withoutReason}/cancel`);
      expect(await read(withReason)).toMatchObject({
        status: "cancelled",
        cancelReason: "Not needed any more",
      });
      expect((await read(withoutReason)).status).toBe("cancelled");
      expect(await read(withoutReason)).not.toHaveProperty("cancelReason");
    },
  );

  it("Retry Task makes a failed task pending, reassigned and with updated context", async () => {
    const id = await taskIn("failed", { agentId: "researcher", context: { region: "north" } });
    const body = { reassign: true, context: { region: "south" } };
    const { data } = (await post(`/agents/tasks/${id}/retry`, body)).body;
    expect(data).toMatchObject({ status: "pending", attempt: 2, context: { region: "south" } });
    expect(data.agentId).not.toBe("researcher");
    expect(data).not.toHaveProperty("error");
  });

  it("a task is blocked by a question until the answer arrives", async () => {
    const id = await taskIn("blocked");
    expect((await read(id)).blocked).toMatchObject({ kind: "input", question: "Which year?" });
    await post(`/agents/tasks/${id}/respond`, { response: "2025" });
    expect((await read(id)).status).toBe("in_progress");
  });

  it("a task with requireReview is in review until a decision", async () => {
    const id = await taskIn("review");
    await post(`/agents/tasks/${id}/review`, { decision: "approve" });
    expect((await read(id)).status).toBe("completed");
  });

  it.each(["blocked", "review"] as const)(
    "Cancel Task cancels a task that is %s",
    async (status) => {
      const id = await taskIn(status);
      expect((await post(`/agents/tasks/${id}/cancel`)).body.data.status).toBe("cancelled");
    },
  );

  it.each(["completed", "failed", "cancelled"] as const)(
    "Cancel Task is rejected for a task that is %s and changes nothing",
    async (status) => {
      const id = await taskIn(status);
      const { status: code, body } = await post(`/agents/tasks/${id}/cancel`);
      expect([code, body.error.code, body.error.context.status]).toEqual([
        409,
        "INVALID_STATE",
        status,
      ]);
      expect((await read(id)).status).toBe(status);
    },
  );

  it("tool access exists from its grant to its revocation", async () => {
    const grant = { agentId: "states", toolId: "json-workbench" };
    const path = `/agents/tools/access/${grant.agentId}`;
    await post("/agents/tools/access", grant);
    const [entry] = (await get(path)).body.data.tools;
    expect(entry).not.toHaveProperty("status");
    expect((await get(path)).body.data.totalTools).toBe(1);
  });
});
