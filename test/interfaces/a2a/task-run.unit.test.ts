import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { TaskEvent } from "../../../src/tasks/model/events.ts";
import { fold } from "../../../src/tasks/model/fold.ts";
import {
  type A2aTaskView,
  foldEventsIntoViews,
  formatA2aTaskId,
  parseA2aTaskId,
} from "../../../src/interfaces/a2a/task-run.ts";
import { a2aStateOf, isTerminalState } from "../../../src/interfaces/a2a/task-state.ts";
import { buildA2aTask } from "../../../src/interfaces/a2a/view.ts";
import { arbitraryLog as played } from "../../tasks/model/properties/task-generator.ts";

const TASK_ID = "a".repeat(64);
/** A fixed seed, so that coverage does not vary between test runs. */
const SAMPLE = { numRuns: 400, seed: 4 };

function runsOf(events: readonly TaskEvent[]): A2aTaskView[] {
  const views: A2aTaskView[] = [];
  foldEventsIntoViews(TASK_ID, views, events);
  return views;
}

// Links to files contain their expiry time, so the clock is stopped.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  return () => vi.useRealTimers();
});

function viewOf(life: A2aTaskView) {
  return buildA2aTask({ env: { SIGNING_KEY: "k" }, origin: "https://bosun.test" }, life, null);
}

/** Counts the retries that follow a failure. */
function retriesAfterFailure(log: readonly TaskEvent[]): number {
  return log.filter(
    (event, index) => event.type === "retried" && fold(log.slice(0, index))?.status === "failed",
  ).length;
}

const FOLDER = join(import.meta.dirname, "../../tasks/model/logs");
const RECORDED: (readonly [string, TaskEvent[]])[] = readdirSync(FOLDER).map((name) => [
  name,
  JSON.parse(readFileSync(join(FOLDER, name), "utf8")).events,
]);

/** Asserts what must hold for every log, after each of its events. */
function expectValidViews(log: readonly TaskEvent[]): void {
  const ended = new Map<number, unknown>();
  for (const [index] of log.entries()) {
    const events = log.slice(0, index + 1);
    const views = runsOf(events);
    const last = views.at(-1);
    // Runs are numbered consecutively, and the last one is the current task.
    expect(views.map(({ run }) => run)).toEqual(views.map((_, place) => place + 1));
    expect(last?.task).toEqual(fold(events));
    expect(views.length).toBe(1 + retriesAfterFailure(events));
    for (const one of views) {
      const before = ended.get(one.run);
      // The view of an ended run never changes.
      if (before !== undefined) expect(viewOf(one)).toEqual(before);
      else if (isTerminalState(a2aStateOf(one.task))) ended.set(one.run, viewOf(one));
      // Every run except the last has failed.
      if (one !== last) expect(a2aStateOf(one.task)).toBe(4);
    }
  }
}

describe("the runs of a task as A2A tasks", () => {
  it.each(RECORDED)("an ended run in the log %s never changes", (_name, log) => {
    expectValidViews(log);
  });

  it("an ended run in a random log never changes", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(played, ({ log }) => expectValidViews(log)),
      SAMPLE,
    );
  });

  it("the random logs contain more than ten retries after failures and more than ten others", () => {
    const logs = fc.sample(played, SAMPLE).map(({ log }) => log);
    const retries = logs.flatMap((log) => log.filter(({ type }) => type === "retried"));
    const asked = logs.reduce((sum, log) => sum + retriesAfterFailure(log), 0);
    expect(asked).toBeGreaterThan(10);
    expect(retries.length - asked).toBeGreaterThan(10);
  });
});

describe("the id of a run", () => {
  it.each([
    [1, TASK_ID],
    [2, `${TASK_ID}-2`],
    [10, `${TASK_ID}-10`],
    [101, `${TASK_ID}-101`],
  ])("run %d of a task has its own id, which is parsed back to the same run", (life, id) => {
    expect(formatA2aTaskId({ taskId: TASK_ID, run: life })).toBe(id);
    expect(parseA2aTaskId(id)).toEqual({ taskId: TASK_ID, run: life });
  });

  it.each([
    "",
    "nonsense",
    TASK_ID.toUpperCase(),
    `${TASK_ID}-1`,
    `${TASK_ID}-0`,
    `${TASK_ID}-02`,
    `${TASK_ID}-`,
    `${TASK_ID}-99999`,
    ` ${TASK_ID}`,
    `${TASK_ID}\n`,
    `${TASK_ID}b`,
  ])("the id %j is not parsed as the id of a run", (id) => {
    expect(parseA2aTaskId(id)).toBeNull();
  });
});
