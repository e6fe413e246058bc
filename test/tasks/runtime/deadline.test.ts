import { beforeAll, describe, expect, it } from "vitest";
import { get, patch, post } from "../../support/client.ts";
import {
  create,
  passTime,
  read,
  stopClock,
  taskIn,
  untilStatus,
  wake,
} from "../../support/tasks.ts";
import { alarmAt, eventsOf, rowOf } from "../../support/task-state.ts";

beforeAll(stopClock);

const MINUTE = 60_000;
const inMinutes = (minutes: number): string =>
  new Date(Date.now() + minutes * MINUTE).toISOString();

const LIVE = ["pending", "in_progress", "blocked", "review"] as const;

describe.each(LIVE)("a deadline when the task is %s", (status) => {
  it("a deadline takes effect through the alarm alone, and the directory row shows it", async () => {
    const deadline = inMinutes(10);
    const id = await taskIn(status, { deadline });
    passTime(10 * MINUTE);
    expect(await rowOf(id)).toMatchObject({ status });
    expect(await wake(id)).toBe(true);
    expect(await rowOf(id)).toMatchObject({ status: "failed", ended_at: Date.now() });
    expect(await read(id)).toMatchObject({
      status: "failed",
      error: {
        code: "DEADLINE_EXCEEDED",
        message: expect.stringContaining(deadline),
        retryable: true,
        attempt: 1,
        at: deadline,
      },
    });
  });

  it.each(["", "/events", "/deliverables"])(
    "GET /agents/tasks/:id%s applies a passed deadline even before the alarm",
    async (path) => {
      const id = await taskIn(status, { deadline: inMinutes(10) });
      passTime(10 * MINUTE);
      const answer = await get(`/agents/tasks/${id}${path}`);
      expect(answer.text).toMatch(/"(status|type)":"failed"/);
      const failed = (await eventsOf(id)).filter(({ type }) => type === "failed");
      expect(failed).toHaveLength(1);
      await wake(id);
      expect((await eventsOf(id)).filter(({ type }) => type === "failed")).toHaveLength(1);
    },
  );

  it("a deadline has no effect one millisecond before it", async () => {
    const id = await taskIn(status, { deadline: inMinutes(10) });
    passTime(10 * MINUTE - 1);
    expect((await read(id)).status).toBe(status);
  });
});

/** Without requests, only the deadline's alarm can make a task in one of these statuses fail. */
describe.each(["blocked", "review"] as const)("the alarm of a task that is %s", (status) => {
  it("the alarm is set exactly for the deadline, and moves with it", async () => {
    const id = await taskIn(status, { deadline: inMinutes(10) });
    await wake(id);
    expect(await alarmAt(id)).toBe(Date.now() + 10 * MINUTE);
    // The change first sets an earlier alarm, which publishes the change to the feed.
    for (const minutes of [5, 0.1, 20]) {
      const deadline = inMinutes(minutes);
      await patch(`/agents/tasks/${id}`, { deadline });
      expect((await alarmAt(id)) ?? Infinity).toBeLessThanOrEqual(Date.parse(deadline));
      await wake(id);
      expect(await alarmAt(id)).toBe(Date.parse(deadline));
    }
  });
});

describe("a request after the deadline", () => {
  it.each([
    ["cancel", "cancel", {}],
    ["respond", "respond", { response: "1702" }],
  ])(
    "a request to %s after the deadline gets a 409 with the status failed",
    async (_, verb, body) => {
      const id = await taskIn("blocked", { deadline: inMinutes(10) });
      passTime(10 * MINUTE);
      const answer = await post(`/agents/tasks/${id}/${verb}`, body);
      expect(answer.status).toBe(409);
      expect(answer.body.error.context.status).toBe("failed");
      expect((await read(id)).error.code).toBe("DEADLINE_EXCEEDED");
    },
  );
});

describe("a deadline changed by PATCH", () => {
  it("a deadline that becomes earlier takes effect at its new time", async () => {
    const id = await taskIn("blocked", { deadline: inMinutes(60) });
    const deadline = inMinutes(5);
    expect((await patch(`/agents/tasks/${id}`, { deadline })).body.data.deadline).toBe(deadline);
    passTime(5 * MINUTE);
    expect(await wake(id)).toBe(true);
    expect(await rowOf(id)).toMatchObject({ status: "failed" });
  });

  it("a deadline that becomes later lets the task continue until the new time", async () => {
    const id = await taskIn("blocked", { deadline: inMinutes(5) });
    await patch(`/agents/tasks/${id}`, { deadline: inMinutes(60) });
    passTime(5 * MINUTE);
    await wake(id);
    expect((await read(id)).status).toBe("blocked");
    passTime(55 * MINUTE);
    expect(await wake(id)).toBe(true);
    expect(await rowOf(id)).toMatchObject({ status: "failed" });
  });

  it("a deadline added by PATCH takes effect", async () => {
    const id = await taskIn("review");
    await patch(`/agents/tasks/${id}`, { deadline: inMinutes(5) });
    passTime(5 * MINUTE);
    expect(await wake(id)).toBe(true);
    expect(await rowOf(id)).toMatchObject({ status: "failed" });
  });
});

it("a task that completed before its deadline does not change when the deadline passes", async () => {
  const id = await taskIn("completed", { deadline: inMinutes(5) });
  const log = await eventsOf(id);
  passTime(10 * MINUTE);
  await wake(id);
  expect((await read(id)).status).toBe("completed");
  expect(await eventsOf(id)).toEqual(log);
});

describe("a time budget", () => {
  it("the time budget is used only while the agent works, and the attempt fails when it is used up", async () => {
    const id = await create({
      context: { text: "One.", askFirst: "Which year?" },
      budget: { maxDurationSeconds: 90 },
    });
    passTime(10 * MINUTE);
    await untilStatus(id, "blocked");
    passTime(24 * 60 * MINUTE);
    expect(await read(id)).toMatchObject({
      status: "blocked",
      timeline: { workingTime: "0ms", waitingTime: "1d" },
    });
    expect((await post(`/agents/tasks/${id}/respond`, { response: "1702" })).status).toBe(200);
    passTime(89_999);
    expect((await read(id)).status).toBe("in_progress");
    passTime(1);
    expect(await wake(id)).toBe(true);
    expect(await rowOf(id)).toMatchObject({ status: "failed" });
    expect((await read(id)).timeline).toMatchObject({ workingTime: "1m 30s", waitingTime: "1d" });
    expect((await read(id)).error).toMatchObject({
      code: "BUDGET_EXCEEDED",
      message: expect.stringContaining("90 seconds"),
    });
  });

  it("the time budget starts again with each attempt", async () => {
    const id = await taskIn("failed", { budget: { maxDurationSeconds: 90 } });
    passTime(10 * MINUTE);
    await post(`/agents/tasks/${id}/retry`);
    await untilStatus(id, "in_progress");
    expect((await read(id)).timeline).toMatchObject({ workingTime: "0ms", waitingTime: "0ms" });
    passTime(89_999);
    expect((await read(id)).status).toBe("in_progress");
    passTime(1);
    expect((await read(id)).error.code).toBe("BUDGET_EXCEEDED");
  });
});
