import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { feedEvent, taskEvent } from "../../../src/doors/openapi/schemas/event.ts";
import { claimedTask } from "../../../src/doors/openapi/schemas/lease.ts";
import {
  createdTask,
  listedTask,
  task as wholeTask,
} from "../../../src/doors/openapi/schemas/task.ts";
import { EVENT_TYPES, type TaskEvent } from "../../../src/domain/events.ts";
import { apply, fold } from "../../../src/domain/fold.ts";
import type { Viewer } from "../../../src/domain/key.ts";
import { TASK_STATUSES, type Task } from "../../../src/domain/task.ts";
import { rowOf } from "../../../src/tasks/directory.ts";
import { eventView, feedEventOf, feedEventView } from "../../../src/tasks/event-view.ts";
import { createdView, listView, taskView } from "../../../src/tasks/view.ts";
import { claimedView } from "../../../src/tasks/worker/view.ts";
import { life } from "../../domain/arbitrary.ts";

const ID = "0f".repeat(32);
const ORIGIN = "https://bosun.test";
const UNBOUND: Viewer = { agentId: null, teamId: null };
const BOUND: Viewer = { agentId: "ada", teamId: null };
/** Always the same lives, as whether they are enough must not depend on chance. */
const SAMPLE = { numRuns: 300, seed: 4 };
const LOGS = join(import.meta.dirname, "../../domain/logs");

const LIVES = fc.sample(life, SAMPLE).map(({ log }) => log);
const RECORDED = readdirSync(LOGS).map((name): readonly TaskEvent[] => {
  return JSON.parse(readFileSync(join(LOGS, name), "utf8")).events;
});

/** A value as clients get it; the played files' digests are shorter than real ones. */
function onTheWire(value: object): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"00ff"', `"${"00ff".repeat(16)}"`));
}

function expectFits(schema: z.ZodType, value: object): void {
  const checked = schema.safeParse(onTheWire(value));
  if (!checked.success) expect({ value, error: checked.error.message }).toBeUndefined();
}

function statesOf(log: readonly TaskEvent[]): { event: TaskEvent; task: Task }[] {
  let task: Task | null = null;
  return log.map((event) => ({ event, task: (task = apply(task, event)) }));
}

describe.each([
  ["random lives", LIVES],
  ["the logs of earlier releases", RECORDED],
])("%s", (_, logs) => {
  it("hold every type of event, or what follows would prove little", () => {
    const types = new Set(logs.flatMap((log) => log.map(({ type }) => type)));
    expect([...types].toSorted()).toEqual([...EVENT_TYPES].toSorted());
  });

  it("are told event by event as the document says, to every key", () => {
    for (const { event, task } of logs.flatMap(statesOf)) {
      for (const viewer of [UNBOUND, BOUND]) {
        expectFits(taskEvent, eventView(event, viewer));
        expectFits(feedEvent, feedEventView(feedEventOf(ID, task, event), viewer));
      }
    }
  });

  it("are shown as the document says after every event, whole and in lists", () => {
    for (const { task } of logs.flatMap(statesOf)) {
      for (const viewer of [UNBOUND, BOUND]) {
        expectFits(wholeTask, taskView(ORIGIN, ID, task, { viewer, now: task.updatedAt }));
      }
      expectFits(listedTask, listView(rowOf(ID, task, 0)));
      if (task.seq === 1) expectFits(createdTask, createdView(ORIGIN, ID, task));
    }
  });

  it("are handed to a worker as the document says", () => {
    const held = logs.flatMap(statesOf).flatMap(({ event, task }) => {
      const isBegun = event.type === "started" || event.type === "resumed";
      return isBegun && task.lease !== null ? [{ taskId: ID, task, lease: task.lease }] : [];
    });
    expect(held.length).toBeGreaterThan(0);
    for (const claimed of held) expectFits(claimedTask, claimedView(ORIGIN, BOUND, claimed));
  });
});

it("random lives come to every status, for what is shown of each", () => {
  const statuses = new Set(LIVES.flatMap(statesOf).map(({ task }) => task.status));
  expect([...statuses].toSorted()).toEqual([...TASK_STATUSES].toSorted());
  expect(fold(LIVES[0] ?? [])).not.toBeNull();
});
