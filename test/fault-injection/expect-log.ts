import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { getDatabase } from "../../src/platform/d1/client.ts";
import { directoryTable } from "../../src/platform/d1/schema.ts";
import type { TaskEvent } from "../../src/tasks/model/events.ts";
import { fold } from "../../src/tasks/model/fold.ts";
import { isTerminal, type Task, type TaskStatus } from "../../src/tasks/model/task.ts";
import { toDirectoryRow } from "../../src/tasks/directory/directory.store.ts";
import { EventLog } from "../../src/tasks/runtime/event-log.store.ts";
import { EMPTY_LOG, stateAfter, type LogState } from "../../scripts/proof/check/transitions.ts";
import { objectOf } from "../support/task-state.ts";

/** A task as stored by its object. */
export interface Stored {
  readonly log: readonly TaskEvent[];
  readonly task: Task;
  readonly alarmAt: number | null;
}

export async function readStoredTask(taskId: string): Promise<Stored> {
  const { log, alarmAt } = await runInDurableObject(objectOf(taskId), async (_, { storage }) => ({
    log: [...new EventLog(storage).read()].map(({ event }) => event),
    alarmAt: await storage.getAlarm(),
  }));
  const task = fold(log);
  if (task === null) throw new Error(`Task ${taskId} has no log`);
  return { log, task, alarmAt };
}

/**
 * Asserts that a log is a valid sequence of events without gaps, starting with the task's creation,
 * and that progress never decreases within an attempt.
 */
export function expectLegal(log: readonly TaskEvent[]): void {
  let state: LogState = EMPTY_LOG;
  let progress = 0;
  for (const [index, event] of log.entries()) {
    expect(event.seq).toBe(index + 1);
    const next = stateAfter(event, state);
    if (next === undefined)
      expect.fail(`Event ${event.seq}: ${event.type} is not allowed in status ${state.status}`);
    state = next;
    if (event.type === "retried") progress = 0;
    if (event.type !== "progressed" || event.data.outside === true) continue;
    expect(event.data.progress).toBeGreaterThanOrEqual(progress);
    progress = event.data.progress;
  }
  expect(fold(log)?.status).toBe(state.status);
}

/** Asserts that the directory has exactly one row for a task, and that the row matches the task. */
async function expectListed(taskId: string, task: Task): Promise<void> {
  const rows = await getDatabase(env.DB)
    .select()
    .from(directoryTable)
    .where(eq(directoryTable.id, taskId));
  expect(rows).toEqual([toDirectoryRow(taskId, task, () => 0)]);
}

/**
 * Asserts that a task has ended with a valid log, that the directory is up to date, and that no
 * work is pending.
 */
export async function expectEnded(taskId: string, status: TaskStatus): Promise<Stored> {
  const stored = await readStoredTask(taskId);
  expectLegal(stored.log);
  expect(stored.task.status).toBe(status);
  expect(isTerminal(status)).toBe(true);
  expect(stored.log.filter(({ type }) => type === status)).toHaveLength(1);
  await expectListed(taskId, stored.task);
  expect(stored.alarmAt).toBeNull();
  return stored;
}
