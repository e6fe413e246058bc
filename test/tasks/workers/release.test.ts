import { evictAllDurableObjects } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { get, post } from "../../support/client.ts";
import { expectError } from "../../support/expect-errors.ts";
import { passTime, read, stopClock, wake } from "../../support/tasks.ts";
import { alarmAt, eventsOf, typesOf } from "../../support/task-state.ts";
import {
  sendHeartbeat,
  bytesOf,
  claim,
  claimOne,
  complete,
  heldTask,
  report,
  upload,
} from "./fixtures.ts";

beforeAll(stopClock);

const RELEASED = { type: "released" };

describe("a worker that returns a task", () => {
  it("a returned task can be claimed at once, in the same attempt, with its progress, work and files", async () => {
    const { agentId, id, lease } = await heldTask();
    await report(id, lease, { type: "progress", progress: 40, phase: "Reading", work: { at: 1 } });
    await upload(id, "a.txt", bytesOf("wind"), { "Bosun-Lease": lease });
    const answer = await report(id, lease, {
      ...RELEASED,
      reason: "The machine restarts.",
      work: { page: 7 },
    });
    expect([answer.status, answer.body.data]).toEqual([
      200,
      { taskId: id, status: "in_progress", stop: true },
    ]);
    expect(await read(id)).toMatchObject({
      status: "in_progress",
      agentId,
      attempt: 1,
      attempts: [],
      progress: 40,
    });
    expect(await read(id)).not.toHaveProperty("lease");

    const again = await claimOne(agentId, { worker: "w-2" });
    expect(again).toMatchObject({
      taskId: id,
      attempt: 1,
      progress: 40,
      work: { at: 1, page: 7 },
      files: [{ name: "a.txt" }],
    });
    expect((await complete(id, again.lease.token)).body.data.status).toBe("completed");
    expect((await read(id)).deliverables).toMatchObject([{ name: "a.txt" }]);
    const log = await eventsOf(id);
    expect(log.map(({ type }) => type)).toEqual([
      "created",
      "assigned",
      "started",
      "progressed",
      "progressed",
      "declined",
      "resumed",
      "completed",
    ]);
    expect(log.find(({ type }) => type === "declined")?.data).toEqual({
      agentId,
      reason: "The machine restarts.",
      excludes: false,
      released: true,
      work: { page: 7 },
    });
  });

  it("a returned task goes to a waiting claim", async () => {
    const { agentId, id, lease } = await heldTask();
    const waiting = claim(agentId, { waitSeconds: 20 });
    expect((await report(id, lease, RELEASED)).status).toBe(200);
    expect((await waiting).map(({ taskId }) => taskId)).toEqual([id]);
  });

  it("a worker no longer holds a task that it returned", async () => {
    const { agentId, id, lease } = await heldTask();
    await report(id, lease, RELEASED);
    const log = await eventsOf(id);
    for (const body of [{ type: "heartbeat" }, { type: "progress", progress: 99 }]) {
      expectError(await report(id, lease, body), 409, "LEASE_LOST");
    }
    expectError(await complete(id, lease), 409, "LEASE_LOST");
    const late = await upload(id, "a.txt", bytesOf("late"), { "Bosun-Lease": lease });
    expectError(late, 409, "LEASE_LOST");
    expect(await eventsOf(id)).toEqual(log);

    const { lease: next } = await claimOne(agentId);
    expectError(await report(id, lease, RELEASED), 409, "LEASE_LOST");
    expect((await sendHeartbeat(id, next.token)).body.data.stop).toBe(false);
  });

  it("a repeated return changes nothing until the lease would have expired", async () => {
    const { id, lease } = await heldTask();
    const first = await report(id, lease, RELEASED);
    const log = await eventsOf(id);
    const second = await report(id, lease, RELEASED);
    expect([second.status, second.body.data]).toEqual([200, first.body.data]);
    passTime(60_000);
    expectError(await report(id, lease, RELEASED), 409, "LEASE_LOST");
    expect(await eventsOf(id)).toEqual(log);
  });

  it("a returned task has no lease that could expire, and no alarm for one", async () => {
    const { agentId, id, lease } = await heldTask();
    await report(id, lease, RELEASED);
    passTime(61_000);
    await wake(id);
    expect(await alarmAt(id)).toBeNull();
    await evictAllDurableObjects();
    expect(await claimOne(agentId)).toMatchObject({ taskId: id, attempt: 1 });
    expect(await typesOf(id)).not.toContain("retried");
  });

  it("returning a task does not use up an attempt, however often it happens", async () => {
    const { agentId, id, lease } = await heldTask();
    let token = lease;
    for (let times = 0; times < 5; times += 1) {
      expect((await report(id, token, RELEASED)).status).toBe(200);
      ({
        lease: { token },
      } = await claimOne(agentId));
    }
    expect(await read(id)).toMatchObject({ status: "in_progress", attempt: 1, attempts: [] });
  });

  it("a cancelled task cannot be returned", async () => {
    const { id, lease } = await heldTask();
    await post(`/agents/tasks/${id}/cancel`);
    expectError(await report(id, lease, RELEASED), 409, "LEASE_LOST");
    expect((await read(id)).status).toBe("cancelled");
  });

  it("a return with more work than a task may store is rejected", async () => {
    const { id, lease } = await heldTask();
    const work = { text: "x".repeat(900_000) };
    await report(id, lease, { type: "progress", progress: 1, work });
    const answer = await report(id, lease, { ...RELEASED, work: { more: work.text } });
    expectError(answer, 400, "VALIDATION_ERROR");
    expect((await sendHeartbeat(id, lease)).body.data.stop).toBe(false);
  });

  it("the log shows why a task was returned, and no token", async () => {
    const { id, lease } = await heldTask();
    await report(id, lease, RELEASED);
    const { text } = await get(`/agents/tasks/${id}/events`);
    expect(text).toContain("The worker returned the task.");
    expect(text).not.toContain(lease);
  });
});
