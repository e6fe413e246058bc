import { beforeAll, describe, expect, it } from "vitest";
import { evictAllDurableObjects } from "cloudflare:test";
import { get, patch, post } from "../../support/client.ts";
import { expectError } from "../../support/expect-errors.ts";
import { passTime, read, stopClock, wake } from "../../support/tasks.ts";
import { eventsOf, fileKeysOf, typesOf } from "../../support/task-state.ts";
import {
  sendHeartbeat,
  bytesOf,
  claim,
  claimOne,
  complete,
  heldTask,
  OUTCOME,
  report,
  upload,
  waitingTask,
  workerAgent,
} from "./fixtures.ts";

beforeAll(stopClock);

/** Longer than any pause before an automatic attempt. */
const PAUSE_MS = 10_000;

/** Lets a task's lease expire and returns the task to its agent's queue. */
async function loseLease(id: string): Promise<void> {
  passTime(61_000);
  await wake(id);
  passTime(PAUSE_MS);
  await wake(id);
}

describe("a worker whose lease expires", () => {
  it("a task whose lease expires goes to another worker as its second attempt", async () => {
    const { agentId, id, lease } = await heldTask();
    await report(id, lease, { type: "progress", progress: 60, work: { at: 1 } });
    passTime(61_000);
    await wake(id);
    expect(await read(id)).toMatchObject({
      status: "pending",
      attempt: 2,
      progress: 0,
      attempts: [{ attempt: 1, agentId, error: { code: "LEASE_EXPIRED", retryable: true } }],
    });
    // There is a pause, because whatever silenced one worker may affect the next.
    expect(await claim(agentId)).toEqual([]);
    passTime(PAUSE_MS);
    await wake(id);
    const again = await claimOne(agentId, { worker: "w-2" });
    expect(again).toMatchObject({ taskId: id, attempt: 2, work: {}, files: [] });
    expect((await complete(id, again.lease.token)).status).toBe(200);
    expect((await typesOf(id)).filter((type) => type === "completed")).toHaveLength(1);
  });

  it("a report with an expired lease is rejected and changes nothing", async () => {
    const { agentId, id, lease } = await heldTask();
    await loseLease(id);
    const { lease: present } = await claimOne(agentId);
    const [log, files] = [await eventsOf(id), await fileKeysOf(id)];
    for (const body of [
      { type: "heartbeat" },
      { type: "progress", progress: 99 },
      { type: "blocked", question: "Still there?" },
      { type: "review", ...OUTCOME },
      { type: "completed", ...OUTCOME },
      { type: "failed", error: { message: "x" } },
    ]) {
      const late = await report(id, lease, body);
      expectError(late, 409, "LEASE_LOST");
      expect(late.body.error).toMatchObject({
        retryable: false,
        context: { status: "in_progress" },
      });
    }
    const late = await upload(id, "a.txt", bytesOf("late"), { "Bosun-Lease": lease });
    expectError(late, 409, "LEASE_LOST");
    expect([await eventsOf(id), await fileKeysOf(id)]).toEqual([log, files]);
    expect((await sendHeartbeat(id, present.token)).body.data.stop).toBe(false);
  });

  it("a lease expires at its exact end, even before the alarm", async () => {
    const { id, lease } = await heldTask();
    passTime(60_000);
    expectError(await complete(id, lease), 409, "LEASE_LOST");
    expect((await read(id)).status).toBe("pending");
  });

  it("a task fails after its third expired lease in a row and states the reason", async () => {
    const { agentId, id } = await heldTask();
    await loseLease(id);
    await claimOne(agentId);
    await loseLease(id);
    await claimOne(agentId, { worker: "the last" });
    passTime(61_000);
    await wake(id);
    const task = await read(id);
    expect(task).toMatchObject({ status: "failed", attempt: 3, error: { code: "LEASE_EXPIRED" } });
    expect(task.error.message).toContain("the last sent no report for 60 seconds");
    expect(task.attempts.map(({ error }: { error: { code: string } }) => error.code)).toEqual([
      "LEASE_EXPIRED",
      "LEASE_EXPIRED",
    ]);
    expect((await post(`/agents/tasks/${id}/retry`)).status).toBe(200);
  });
});

describe("a heartbeat", () => {
  it("heartbeats keep a lease during long work and write no events", async () => {
    const { id, lease } = await heldTask();
    const log = await eventsOf(id);
    for (let beats = 0; beats < 12; beats += 1) {
      passTime(20_000);
      const { body } = await sendHeartbeat(id, lease);
      expect(body.data).toMatchObject({ stop: false, lease: { seconds: 60 } });
      // At least half of the lease always remains.
      expect(Date.parse(body.data.lease.expiresAt) - Date.now()).toBeGreaterThanOrEqual(30_000);
    }
    expect(await eventsOf(id)).toEqual(log);
    expect((await read(id)).lease.renewedAt).toBe(new Date().toISOString());
    await wake(id);
    expect((await complete(id, lease)).body.data.status).toBe("completed");
  });

  it("a lease that a heartbeat renewed survives eviction", async () => {
    const { id, lease } = await heldTask();
    passTime(50_000);
    await sendHeartbeat(id, lease);
    await evictAllDurableObjects();
    passTime(50_000);
    await wake(id);
    expect((await sendHeartbeat(id, lease)).body.data).toMatchObject({
      status: "in_progress",
      stop: false,
    });
  });

  it.each<[string, object, string]>([
    ["completed", { type: "completed", ...OUTCOME }, "completed"],
    ["review", { type: "review", ...OUTCOME }, "review"],
    ["blocked", { type: "blocked", question: "?" }, "blocked"],
    ["failed", { type: "failed", error: { message: "x" } }, "failed"],
  ])(
    "after a %s report, a heartbeat returns stop, and a repeat of the report changes nothing",
    async (_, body, status) => {
      const { id, lease } = await heldTask();
      const first = await report(id, lease, { ...body });
      const log = await eventsOf(id);
      const second = await report(id, lease, { ...body });
      expect([second.status, second.body.data]).toEqual([200, first.body.data]);
      expect((await sendHeartbeat(id, lease)).body.data).toEqual({
        taskId: id,
        status,
        stop: true,
      });
      expect(await eventsOf(id)).toEqual(log);
    },
  );
});

describe("the task's limits", () => {
  it("a deadline ends the work even during a lease", async () => {
    const deadline = new Date(Date.now() + 30_000).toISOString();
    const { id, lease } = await heldTask({ deadline });
    passTime(31_000);
    expect((await sendHeartbeat(id, lease)).body.data).toEqual({
      taskId: id,
      status: "failed",
      stop: true,
    });
    expect((await read(id)).error.code).toBe("DEADLINE_EXCEEDED");
    expectError(await complete(id, lease), 409, "LEASE_LOST");
  });

  it("a time budget ends the work even during a lease", async () => {
    const { id, lease } = await heldTask({ budget: { maxDurationSeconds: 10 } });
    passTime(11_000);
    expect((await sendHeartbeat(id, lease)).body.data).toMatchObject({
      status: "failed",
      stop: true,
    });
    expect((await read(id)).error.code).toBe("BUDGET_EXCEEDED");
  });

  it("a change to the task does not affect the worker's lease", async () => {
    const { id, lease } = await heldTask();
    await patch(`/agents/tasks/${id}`, { priority: "urgent", notes: "Hurry." });
    expect((await sendHeartbeat(id, lease)).body.data.stop).toBe(false);
  });
});

describe("a lease's token", () => {
  it("a lease's token is not shown in the task, its events, the list or the feed", async () => {
    const { agentId, id, lease } = await heldTask();
    await loseLease(id);
    const { lease: second } = await claimOne(agentId);
    await report(id, second.token, { type: "blocked", question: "?" });
    await post(`/agents/tasks/${id}/respond`, { response: "x" });
    const { lease: third } = await claimOne(agentId);
    await wake(id);
    const paths = ["", "/events", "?include=context"].map((path) => `/agents/tasks/${id}${path}`);
    paths.push(`/agents/tasks?agentId=${agentId}`);
    paths.push(`/agents/events?from=oldest&limit=100&agentId=${agentId}`);
    for (const path of paths) {
      const { text } = await get(path);
      expect(text).toContain(id);
      for (const token of [lease, second.token, third.token]) expect(text).not.toContain(token);
    }
    const shown = (await eventsOf(id)).filter(
      ({ type }) => type === "started" || type === "resumed",
    );
    expect(shown.map(({ data }) => data.lease)).toEqual([
      { worker: null, seconds: 60 },
      { worker: null, seconds: 60 },
      { worker: null, seconds: 60 },
    ]);
  });

  it.each([
    ["a guess", "lse_00000000-0000-4000-8000-000000000000"],
    ["the token of another task", null],
    ["a very long one", "x".repeat(200)],
  ])("a wrong lease token (%s) is rejected and changes nothing", async (_, guess) => {
    const { agentId, id } = await heldTask();
    await waitingTask(agentId);
    const token = guess ?? (await claimOne(agentId)).lease.token;
    const log = await eventsOf(id);
    expectError(await complete(id, token), 409, "LEASE_LOST");
    expectError(await sendHeartbeat(id, token), 409, "LEASE_LOST");
    expectError(await upload(id, "a", bytesOf("x"), { "Bosun-Lease": token }), 409, "LEASE_LOST");
    expect(await eventsOf(id)).toEqual(log);
    expect(await fileKeysOf(id)).toEqual([]);
  });

  it("a lease token is rejected for a task that no worker holds", async () => {
    const agentId = await workerAgent();
    const id = await waitingTask(agentId);
    expectError(await complete(id, "lse_none"), 409, "LEASE_LOST");
    expect((await read(id)).status).toBe("assigned");
  });
});
