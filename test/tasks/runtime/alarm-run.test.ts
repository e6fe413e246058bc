import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { EventFeed } from "../../../src/events/feed.object.ts";
import { ToolMeter } from "../../../src/tools/metering/tool-meter.object.ts";
import { patch, post } from "../../support/client.ts";
import { divert } from "../../support/divert.ts";
import { create, passTime, read, stopClock, wake } from "../../support/tasks.ts";
import { alarmAt, eventsOf, rowOf, typesOf } from "../../support/task-state.ts";
import { workerAgent } from "../workers/fixtures.ts";
import { STATEMENT_PROTOTYPE } from "../../support/database-prototypes.ts";
import { muteWarnings } from "../../support/mute-warnings.ts";

// In this file, steps without pauses share an alarm run for this long.
const RUN_MS = 250;
const SECOND_MS = 1_000;
const BODY = {
  context: { text: "The harbour of Bergen was rebuilt in 1702, after a fire." },
  deliverables: ["summary"],
};

beforeAll(stopClock);

/** Runs `interrupt` once during an alarm run, before a step's first tool call. */
function interruptOnce(interrupt: () => Promise<void>): void {
  let isFirst = true;
  divert(ToolMeter.prototype, "admit", async (real) => {
    const interrupts = isFirst;
    isFirst = false;
    if (interrupts) await interrupt();
    return real();
  });
}

async function completedTypes(): Promise<string[]> {
  const id = await create(BODY);
  await wake(id);
  return typesOf(id);
}

it("one alarm run does all due steps and calls the feed once, and the feed writes the directory row", async () => {
  const answers: unknown[] = [];
  divert(EventFeed.prototype, "publish", async (real) => {
    const answer = await real();
    answers.push(answer);
    return answer;
  });
  const id = await create(BODY);
  let writesByTask = 0;
  divert(STATEMENT_PROTOTYPE, "run", (real) => {
    writesByTask += 1;
    return real();
  });
  await wake(id);
  expect(await read(id)).toMatchObject({ status: "completed" });
  expect(await rowOf(id)).toMatchObject({ status: "completed" });
  expect(await alarmAt(id)).toBeNull();
  expect(answers).toEqual([{ isRowStored: true, isFollowed: false }]);
  expect(writesByTask).toBe(0);
});

it("a run that leaves its task to a worker sends the directory row to the feed and does not write it", async () => {
  const sent: unknown[] = [];
  divert(EventFeed.prototype, "publish", (real, _events, _isFirstSend, write) => {
    sent.push(write);
    return real();
  });
  const id = await create({ agentId: await workerAgent() });
  let writesByTask = 0;
  divert(STATEMENT_PROTOTYPE, "run", (real) => {
    writesByTask += 1;
    return real();
  });
  await wake(id);
  expect(sent).toMatchObject([{ row: { id, status: "assigned" } }]);
  expect(await rowOf(id)).toMatchObject({ status: "assigned" });
  expect(writesByTask).toBe(0);
});

it.each([
  ["fails", () => Promise.reject(new Error("Network connection lost."))],
  ["writes no row", async () => false],
  ["is from an earlier release and returns undefined", async () => undefined],
])("if the feed %s, the task writes the directory row in the same run", async (_, answer) => {
  muteWarnings();
  divert(EventFeed.prototype, "publish", answer);
  const id = await create(BODY);
  await wake(id);
  expect(await rowOf(id)).toMatchObject({ status: "completed" });
});

it("outside an alarm run, a task writes the row of a request itself and does not send it to the feed", async () => {
  const writes: unknown[] = [];
  divert(EventFeed.prototype, "publish", (real, _events, _isFirstSend, write) => {
    writes.push(write);
    return real();
  });
  const id = await create(BODY);
  expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
  expect(await rowOf(id)).toMatchObject({ status: "cancelled" });
  await vi.waitFor(() => expect(writes).toEqual([null]));
});

it("if a client cancels a task during a run, its row shows this before the feed responds", async () => {
  const { promise: response, resolve: respond } = Promise.withResolvers<boolean>();
  divert(EventFeed.prototype, "publish", () => response);
  let id = "";
  let status: unknown = null;
  interruptOnce(async () => {
    expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
    status = (await rowOf(id))?.["status"];
    respond(false);
  });
  id = await create(BODY);
  await wake(id);
  expect(status).toBe("cancelled");
});

it("after a failed call to the feed, a run does not overwrite the row of a client's change with an older one", async () => {
  muteWarnings();
  const [called, failed, released] = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const restoreFeed = divert(EventFeed.prototype, "publish", async (real) => {
    await real();
    called?.resolve();
    await failed?.promise;
    throw new Error("Network connection lost.");
  });
  let isHeld = false;
  divert(STATEMENT_PROTOTYPE, "run", async (real) => {
    const result = await real();
    if (isHeld) await released?.promise;
    return result;
  });
  const id = await create({ ...BODY, context: { ...BODY.context, requireReview: true } });
  const running = wake(id);
  await called?.promise;
  // The feed has written the row with status `review`. The response to the next write is held back.
  isHeld = true;
  const review = { decision: "request_changes", comment: "Shorter." };
  const reviewing = post(`/agents/tasks/${id}/review`, review);
  await vi.waitFor(async () => expect(await rowOf(id)).toMatchObject({ status: "in_progress" }));
  isHeld = false;
  restoreFeed();
  failed?.resolve();
  await running;
  released?.resolve();
  expect((await reviewing).status).toBe(200);
  await wake(id);
  expect(await rowOf(id)).toMatchObject({ status: "review" });
});

it("a step that fails in the middle of a run keeps the steps before it, and the next alarm continues", async () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => error.mockRestore());
  const types = await completedTypes();
  interruptOnce(() => Promise.reject(new Error("Network connection lost.")));
  const id = await create(BODY);
  await wake(id);
  const before = await typesOf(id);
  expect(before).toContain("progressed");
  expect(before).toEqual(types.slice(0, before.length));
  expect(await rowOf(id)).toMatchObject({ status: "in_progress" });
  expect(await alarmAt(id)).toBe(Date.now() + SECOND_MS);
  passTime(SECOND_MS);
  await wake(id);
  expect(await typesOf(id)).toEqual(types);
});

it("a run ends when its time is up, and the next alarm continues at once", async () => {
  const types = await completedTypes();
  interruptOnce(async () => passTime(RUN_MS));
  const id = await create(BODY);
  await wake(id);
  expect(await read(id)).toMatchObject({ status: "in_progress" });
  expect(await alarmAt(id)).toBe(Date.now());
  await wake(id);
  expect(await typesOf(id)).toEqual(types);
});

it("requests in the middle of a run set no alarm, because it would replace the retry of the run", async () => {
  let id = "";
  let alarm: number | null = 0;
  interruptOnce(async () => {
    await read(id);
    const notes = { notes: "Shorter." };
    expect((await patch(`/agents/tasks/${id}`, notes)).status).toBe(200);
    alarm = await alarmAt(id);
  });
  id = await create(BODY);
  await wake(id);
  expect(alarm).toBeNull();
  expect(await read(id)).toMatchObject({ status: "completed" });
});

it("a deadline that passes in the middle of a run fails the task, and the calls of its step are charged", async () => {
  interruptOnce(async () => passTime(SECOND_MS));
  const deadline = new Date(Date.now() + SECOND_MS).toISOString();
  const id = await create({ ...BODY, deadline });
  await wake(id);
  expect(await read(id)).toMatchObject({
    status: "failed",
    error: { code: "DEADLINE_EXCEEDED" },
  });
  const [usage, failed] = (await eventsOf(id)).slice(-2);
  expect([usage?.type, failed?.type]).toEqual(["progressed", "failed"]);
  const capabilities = ["readability", "keywords", "summarise"];
  expect(usage?.data.calls).toMatchObject(capabilities.map((capability) => ({ capability })));
  expect(await rowOf(id)).toMatchObject({ status: "failed" });
  expect(await alarmAt(id)).toBeNull();
});

it("a step that fails because its task was cancelled logs no error and sets no alarm", async () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => error.mockRestore());
  let id = "";
  interruptOnce(async () => {
    expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
    throw new Error("Network connection lost.");
  });
  id = await create(BODY);
  await wake(id);
  expect((await typesOf(id)).at(-1)).toBe("cancelled");
  expect(error.mock.calls.filter(([line]) => line.event === "task_work_failed")).toEqual([]);
  expect(await alarmAt(id)).toBeNull();
});

it("a task that is cancelled in the middle of a run takes no more steps", async () => {
  let id = "";
  let seqAtCancel = 0;
  interruptOnce(async () => {
    const cancelled = await post(`/agents/tasks/${id}/cancel`);
    expect(cancelled.status).toBe(200);
    seqAtCancel = (await typesOf(id)).length;
  });
  id = await create(BODY);
  await wake(id);
  const types = await typesOf(id);
  expect(types[seqAtCancel - 1]).toBe("cancelled");
  expect(types).toHaveLength(seqAtCancel);
  expect(await read(id)).toMatchObject({ status: "cancelled" });
  expect(await rowOf(id)).toMatchObject({ status: "cancelled" });
  expect(await alarmAt(id)).toBeNull();
});
