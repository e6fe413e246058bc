import { describe, expect, it } from "vitest";
import { TASK_STATUSES, type TaskStatus } from "../../../src/tasks/model/task.ts";
import { commandNameOf } from "../../../src/tasks/model/command.ts";
import { allowedActions, findTransitions } from "../../../src/tasks/model/transitions.ts";
import { decide } from "../../../src/tasks/model/decide.ts";
import { taskAfter, COMMANDS, buildCreated, numberEvents, SECOND, T0 } from "./fixtures.ts";
import { applyEvent } from "../../../src/tasks/model/fold.ts";
import {
  commandFor,
  AGENT_KINDS,
  EXPECTED_TRANSITIONS,
  effectiveStatusOf,
  effectiveStatusesOf,
  commandsTo,
  type CommandName,
} from "./transition-table.ts";

const NAMES = namesOf(EXPECTED_TRANSITIONS.unqueued);
const WALK = AGENT_KINDS.flatMap((kind) =>
  NAMES.flatMap((command) =>
    effectiveStatusesOf(kind).map((from) => ({
      kind,
      command,
      from,
      cell: EXPECTED_TRANSITIONS[kind][command][from],
    })),
  ),
);
const MOVES = WALK.flatMap(({ cell, ...pair }) => {
  if (cell === undefined || typeof cell === "string") return [];
  const [to, ...recorded] = cell;
  return [{ ...pair, to, recorded }];
});
const SILENT = WALK.filter(({ cell }) => cell === "nothing");
const LOST = WALK.filter(({ cell }) => cell === "lease_lost");
const ILLEGAL = WALK.filter(({ cell }) => cell === undefined);

/** About half a lease after the last of the preceding commands. */
const NOW = T0 + 32 * SECOND;

describe("each command in each status", () => {
  it.each(MOVES)(
    "$kind: $command changes a task from $from to $to",
    ({ kind, command, from, to, recorded }) => {
      const task = taskAfter(...commandsTo(kind, from));
      expect(effectiveStatusOf(task)).toBe(from);
      const decided = decide(task, commandFor(kind, command), NOW);
      if (!decided.ok) throw new Error(decided.failure.kind);
      expect(decided.value.map(({ type }) => type)).toEqual(recorded);
      const next = numberEvents(decided.value, task.seq, () => NOW).reduce(applyEvent, task);
      expect(effectiveStatusOf(next)).toBe(to);
      expect(next.seq).toBe(task.seq + recorded.length);
    },
  );

  it.each(SILENT)(
    "$kind: $command does not change a task that is $from",
    ({ kind, command, from }) => {
      const task = taskAfter(...commandsTo(kind, from));
      expect(decide(task, commandFor(kind, command), NOW)).toEqual({ ok: true, value: [] });
    },
  );

  it.each(LOST)("$kind: $command is rejected as lease_lost in $from", ({ kind, command, from }) => {
    const task = taskAfter(...commandsTo(kind, from));
    const { status } = task;
    expect(decide(task, commandFor(kind, command), NOW)).toEqual({
      ok: false,
      failure: { kind: "lease_lost", status, allowed: allowedActions(status) },
    });
  });

  it.each(ILLEGAL)("$kind: $command is rejected in $from", ({ kind, command, from }) => {
    const task = taskAfter(...commandsTo(kind, from));
    const { status } = task;
    expect(decide(task, commandFor(kind, command), NOW)).toEqual({
      ok: false,
      failure: {
        kind: command === "rate" ? "task_not_completed" : "invalid_state",
        action: expect.any(String),
        status,
        allowed: allowedActions(status),
      },
    });
  });

  it.each(WALK)("the table says what $command does to a task that is $from ($kind)", (pair) => {
    const { kind, command, from, cell } = pair;
    const transitions = findTransitions(from, commandNameOf(commandFor(kind, command)));
    if (typeof cell !== "object") {
      const isListed = cell === "nothing" || (cell === "lease_lost" && transitions !== null);
      return expect(transitions !== null).toBe(isListed);
    }
    const [to, ...events] = cell;
    const found = (transitions ?? []).map((one) => [one.to === "same" ? from : one.to, one.events]);
    expect(found).toContainEqual([to, events]);
  });

  it("the matrix covers every status and command, so that new ones must be added", () => {
    // With a queue, there is one more effective status: in progress, but waiting to continue.
    const statuses = AGENT_KINDS.length * TASK_STATUSES.length + 2;
    expect(WALK).toHaveLength(statuses * (Object.keys(COMMANDS).length - 1));
  });
});

describe("a deadline", () => {
  const ENDED: ReadonlySet<TaskStatus> = new Set(["completed", "failed", "cancelled"]);

  it.each(AGENT_KINDS.flatMap((kind) => effectiveStatusesOf(kind).map((from) => ({ kind, from }))))(
    "a deadline fails a task that is $from ($kind) on time, unless the task has ended",
    ({ kind, from }) => {
      const [, ...rest] = commandsTo(kind, from);
      const deadline = T0 + 30 * SECOND;
      const task = taskAfter({ type: "create", data: buildCreated({ deadline }) }, ...rest);
      const early = decide(task, COMMANDS.expire, deadline - 1);
      const due = decide(task, COMMANDS.expire, deadline);
      const isEnded = ENDED.has(task.status);
      expect(early).toEqual({ ok: true, value: [] });
      expect(due.ok && due.value.map(({ type }) => type)).toEqual(isEnded ? [] : ["failed"]);
    },
  );
});

describe("create", () => {
  it("create is idempotent with the same body and rejected with a different one", () => {
    const task = taskAfter(COMMANDS.create);
    const later = T0 + SECOND;
    expect(decide(task, COMMANDS.create, later)).toEqual({ ok: true, value: [] });
    const other = buildCreated({ fingerprint: "g" });
    expect(decide(task, { type: "create", data: other }, later)).toEqual({
      ok: false,
      failure: { kind: "idempotency_key_reused" },
    });
  });

  it("only create creates a task, and any other command without a task throws an error", () => {
    for (const command of Object.values(COMMANDS).filter(({ type }) => type !== "create")) {
      expect(() => decide(null, command, T0)).toThrow("A task must exist");
    }
  });
});

it.each<[TaskStatus, string[]]>([
  ["pending", ["cancel", "update"]],
  ["assigned", ["cancel", "update"]],
  ["in_progress", ["cancel", "update"]],
  ["blocked", ["cancel", "update", "respond"]],
  ["review", ["cancel", "update", "review", "deliverables"]],
  ["completed", ["feedback", "deliverables"]],
  ["failed", ["retry", "update"]],
  ["cancelled", []],
])("the allowed actions of a task that is %s are %j", (status, actions) => {
  expect(allowedActions(status)).toEqual(actions);
});

/** Returns the typed keys of a record. */
function namesOf(record: Readonly<Record<CommandName, unknown>>): CommandName[] {
  return Object.keys(record) as CommandName[];
}
