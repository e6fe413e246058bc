import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expiresAt, waitingMs, workingMs } from "../../../src/tasks/model/schedule.ts";
import type { TaskEvent } from "../../../src/tasks/model/events.ts";
import { applyEvent } from "../../../src/tasks/model/fold.ts";
import { isActive, type Task } from "../../../src/tasks/model/task.ts";
import { decide } from "../../../src/tasks/model/decide.ts";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import { COMMANDS, buildCreated, QUEUED, SECOND, T0 } from "./fixtures.ts";

const LOGS = join(import.meta.dirname, "logs");

/** Returns the task after these commands, each sent the given number of seconds after T0. */
function played(...moves: readonly (readonly [seconds: number, command: TaskCommand])[]): Task {
  let task: Task | null = null;
  for (const [seconds, command] of moves) {
    const at = T0 + seconds * SECOND;
    const decided = decide(task, command, at);
    if (!decided.ok) throw new Error(JSON.stringify(decided.failure));
    for (const event of decided.value) {
      task = applyEvent(task, { ...event, seq: (task?.seq ?? 0) + 1, at } satisfies TaskEvent);
    }
  }
  if (task === null) throw new Error("Nothing was created");
  return task;
}

const create = {
  type: "create",
  data: buildCreated({ budget: { maxDurationSeconds: 100 } }),
} as const;
const block: TaskCommand = {
  type: "block",
  attempt: 1,
  data: { kind: "input", question: "Which year?", calls: [], work: {} },
};
const respond: TaskCommand = { type: "respond", response: "1702" };
const changes: TaskCommand = { type: "review", decision: "request_changes", comment: null };
const assignQueued: TaskCommand = { ...COMMANDS.assign, terms: QUEUED };
const at = (seconds: number): number => T0 + seconds * SECOND;

describe("an agent's working time", () => {
  it("working time and its budget stop while a task is blocked or in review", () => {
    const blocked = played([0, create], [5, COMMANDS.assign], [10, COMMANDS.start], [40, block]);
    expect(expiresAt(blocked)).toBeNull();
    expect([workingMs(blocked, at(9_000)), waitingMs(blocked, at(9_000))]).toEqual([
      30 * SECOND,
      8_960 * SECOND,
    ]);
    const moves = [
      [0, create],
      [5, COMMANDS.assign],
      [10, COMMANDS.start],
      [40, block],
      [1_000, respond],
    ] as const;
    const again = played(...moves);
    expect(expiresAt(again)).toBe(at(1_070));
    const reviewed = played(...moves, [1_020, COMMANDS.submit]);
    expect(expiresAt(reviewed)).toBeNull();
    expect(workingMs(reviewed, at(9_000))).toBe(50 * SECOND);
    const changed = played(...moves, [1_020, COMMANDS.submit], [2_000, changes]);
    expect(expiresAt(changed)).toBe(at(2_050));
    expect(decide(changed, { type: "expire", jitter: 0 }, at(2_049))).toMatchObject({ value: [] });
    expect(decide(changed, { type: "expire", jitter: 0 }, at(2_050))).toMatchObject({
      value: [{ type: "failed", data: { error: { code: "BUDGET_EXCEEDED" } } }],
    });
  });

  it("working time stops while the task waits for a slot in its agent's queue", () => {
    const waiting = played(
      [0, create],
      [5, assignQueued],
      [10, COMMANDS.admit],
      [20, block],
      [50, respond],
    );
    expect(waiting.status).toBe("in_progress");
    expect(expiresAt(waiting)).toBeNull();
    expect(workingMs(waiting, at(500))).toBe(10 * SECOND);
    expect(waitingMs(waiting, at(500))).toBe(480 * SECOND);
    const resumed = played(
      [0, create],
      [5, assignQueued],
      [10, COMMANDS.admit],
      [20, block],
      [50, respond],
      [500, COMMANDS.admit],
    );
    expect(expiresAt(resumed)).toBe(at(590));
  });

  it("working time stops when the task ends, and starts from zero with the next attempt", () => {
    const moves = [
      [0, create],
      [5, COMMANDS.assign],
      [10, COMMANDS.start],
      [40, COMMANDS.fail],
    ] as const;
    const failed = played(...moves);
    expect([workingMs(failed, at(9_000)), waitingMs(failed, at(9_000))]).toEqual([30 * SECOND, 0]);
    const retried = played(...moves, [100, COMMANDS.retry]);
    expect([workingMs(retried, at(9_000)), waitingMs(retried, at(9_000))]).toEqual([0, 0]);
  });

  it("working time is never negative, even if the clock is set back", () => {
    const back = played([0, create], [50, COMMANDS.assign], [50, COMMANDS.start], [40, block]);
    expect([workingMs(back, at(30)), waitingMs(back, at(30))]).toEqual([0, 0]);
  });

  it.each(readdirSync(LOGS).filter((name) => name.endsWith(".json")))(
    "the working time in %s is the time between events during which the agent worked",
    (name) => {
      const { events }: { events: readonly TaskEvent[] } = JSON.parse(
        readFileSync(join(LOGS, name), "utf8"),
      );
      let task: Task | null = null;
      let worked = 0;
      for (const event of events) {
        if (task !== null && isActive(task)) worked += event.at - task.updatedAt;
        if (event.type === "retried") worked = 0;
        task = applyEvent(task, event);
        expect(workingMs(task, event.at)).toBe(worked);
      }
    },
  );
});
