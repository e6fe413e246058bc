import { toFeedEvent } from "../../../src/tasks/model/event-data.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { feedEventSchema } from "../../../src/events/event-schemas.ts";
import { taskEventSchema } from "../../../src/tasks/api/event-schemas.ts";
import { claimedTaskSchema } from "../../../src/tasks/workers/schemas.ts";
import {
  createdTaskSchema,
  listedTaskSchema,
  taskSchema as wholeTask,
} from "../../../src/tasks/api/task-schemas.ts";
import { TASK_EVENT_TYPES, type TaskEvent } from "../../../src/tasks/model/events.ts";
import { applyEvent, fold } from "../../../src/tasks/model/fold.ts";
import type { Viewer } from "../../../src/keys/model/key.ts";
import { TASK_STATUSES, type Task } from "../../../src/tasks/model/task.ts";
import { toDirectoryRow } from "../../../src/tasks/directory/directory.store.ts";
import {
  eventView,
  createdTaskView,
  listedTaskView,
  taskView,
} from "../../../src/tasks/api/view.ts";
import { feedEventView } from "../../../src/events/event-view.ts";
import { claimedTaskView } from "../../../src/tasks/workers/view.ts";
import { arbitraryLog } from "../../tasks/model/properties/task-generator.ts";

const ID = "0f".repeat(32);
const ORIGIN = "https://bosun.test";
const UNBOUND: Viewer = { agentId: null, teamId: null };
const BOUND: Viewer = { agentId: "ada", teamId: null };
/** A fixed seed, so that coverage does not vary between test runs. */
const SAMPLE = { numRuns: 300, seed: 4 };
const LOGS = join(import.meta.dirname, "../../tasks/model/logs");

const LIVES = fc.sample(arbitraryLog, SAMPLE).map(({ log }) => log);
const RECORDED = readdirSync(LOGS).map((name): readonly TaskEvent[] => {
  return JSON.parse(readFileSync(join(LOGS, name), "utf8")).events;
});

/** A value as clients receive it. Digests in the fixtures are too short, so they are lengthened. */
function toClientValue(value: object): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"00ff"', `"${"00ff".repeat(16)}"`));
}

function expectFits(schema: z.ZodType, value: object): void {
  const checked = schema.safeParse(toClientValue(value));
  if (!checked.success) expect({ value, error: checked.error.message }).toBeUndefined();
}

function statesOf(log: readonly TaskEvent[]): { event: TaskEvent; task: Task }[] {
  let task: Task | null = null;
  return log.map((event) => ({ event, task: (task = applyEvent(task, event)) }));
}

describe.each([
  ["random runs", LIVES],
  ["the logs of earlier releases", RECORDED],
])("%s", (_, logs) => {
  it("the logs contain every type of event", () => {
    const types = new Set(logs.flatMap((log) => log.map(({ type }) => type)));
    expect([...types].toSorted()).toEqual([...TASK_EVENT_TYPES].toSorted());
  });

  it("every event matches the OpenAPI document for every key", () => {
    for (const { event, task } of logs.flatMap(statesOf)) {
      for (const viewer of [UNBOUND, BOUND]) {
        expectFits(taskEventSchema, eventView(event, viewer));
        expectFits(feedEventSchema, feedEventView(toFeedEvent(ID, task, event), viewer));
      }
    }
  });

  it("the task matches the OpenAPI document after every event, alone and in lists", () => {
    for (const { task } of logs.flatMap(statesOf)) {
      for (const viewer of [UNBOUND, BOUND]) {
        expectFits(wholeTask, taskView(ORIGIN, ID, task, { viewer, now: task.updatedAt }));
      }
      const row = toDirectoryRow(ID, task, () => 0);
      expectFits(listedTaskSchema, listedTaskView(row, task.updatedAt));
      expectFits(listedTaskSchema, listedTaskView({ ...row, details: null }, task.updatedAt));
      if (task.seq === 1) expectFits(createdTaskSchema, createdTaskView(ORIGIN, ID, task));
    }
  });

  it("a claimed task matches the OpenAPI document", () => {
    const held = logs.flatMap(statesOf).flatMap(({ event, task }) => {
      const isBegun = event.type === "started" || event.type === "resumed";
      return isBegun && task.lease !== null ? [{ taskId: ID, task, lease: task.lease }] : [];
    });
    expect(held.length).toBeGreaterThan(0);
    for (const claimed of held)
      expectFits(claimedTaskSchema, claimedTaskView(ORIGIN, BOUND, claimed));
  });
});

it("the random logs reach every status", () => {
  const statuses = new Set(LIVES.flatMap(statesOf).map(({ task }) => task.status));
  expect([...statuses].toSorted()).toEqual([...TASK_STATUSES].toSorted());
  expect(fold(LIVES[0] ?? [])).not.toBeNull();
});
