import { describe, expect, it } from "vitest";
import type { EventType } from "../../src/domain/events.ts";
import { TASK_STATUSES, type TaskStatus } from "../../src/domain/task.ts";
import { allowedActions, LEGAL_FROM } from "../../src/domain/commands.ts";
import { decide } from "../../src/domain/transitions.ts";
import { after, COMMANDS, createdWith, placed, SECOND, T0, WAY_TO } from "./play.ts";
import { apply } from "../../src/domain/fold.ts";

type CommandName = Exclude<keyof typeof COMMANDS, "create">;
type Row = Partial<Record<TaskStatus, TaskStatus>>;

const EVERY_LIVE = (to: TaskStatus): Row => ({
  pending: to,
  assigned: to,
  in_progress: to,
  blocked: to,
  review: to,
});
const STAY: Row = {
  pending: "pending",
  assigned: "assigned",
  in_progress: "in_progress",
  blocked: "blocked",
  review: "review",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
};

/** The transition table of the design, written out by hand: from where each command leads where. */
const LEADS: Readonly<Record<CommandName, Row>> = {
  assign: { pending: "assigned" },
  start: { assigned: "in_progress" },
  decline: { assigned: "pending" },
  progress: { in_progress: "in_progress" },
  block: { in_progress: "blocked" },
  spend: {
    pending: "pending",
    assigned: "assigned",
    in_progress: "in_progress",
    blocked: "blocked",
    review: "review",
  },
  respond: { blocked: "in_progress" },
  submit: { in_progress: "review" },
  complete: { in_progress: "completed" },
  approve: { review: "completed" },
  requestChanges: { review: "in_progress" },
  reject: { review: "failed" },
  fail: EVERY_LIVE("failed"),
  cancel: EVERY_LIVE("cancelled"),
  retry: { failed: "pending" },
  update: {
    pending: "pending",
    assigned: "assigned",
    in_progress: "in_progress",
    blocked: "blocked",
    review: "review",
    failed: "failed",
  },
  rate: { completed: "completed" },
  tick: STAY,
};

const RECORDS: Readonly<Record<CommandName, readonly EventType[]>> = {
  assign: ["assigned"],
  start: ["started"],
  decline: ["declined"],
  progress: ["progressed"],
  block: ["blocked"],
  spend: ["progressed"],
  respond: ["responded"],
  submit: ["submitted"],
  complete: ["completed"],
  approve: ["approved", "completed"],
  requestChanges: ["changes_requested"],
  reject: ["failed"],
  fail: ["failed"],
  cancel: ["cancelled"],
  retry: ["retried"],
  update: ["updated"],
  rate: ["rated"],
  tick: [],
};

const PAIRS = namesOf(LEADS).flatMap((command) =>
  TASK_STATUSES.map((from) => ({ command, from, to: LEADS[command][from] })),
);
const LEGAL = PAIRS.flatMap(({ command, from, to }) =>
  to === undefined ? [] : [{ command, from, to }],
);
const ILLEGAL = PAIRS.filter(({ to }) => to === undefined);

describe("every status with every command", () => {
  it.each(LEGAL)("$command takes $from to $to", ({ command, from, to }) => {
    const task = after(...WAY_TO[from]);
    const now = T0 + 60 * SECOND;
    const decided = decide(task, COMMANDS[command], now);
    if (!decided.ok) throw new Error(decided.failure.kind);
    expect(decided.value.map(({ type }) => type)).toEqual(RECORDS[command]);
    const next = placed(decided.value, task.seq, () => now).reduce(apply, task);
    expect(next.status).toBe(to);
    expect(next.seq).toBe(task.seq + RECORDS[command].length);
  });

  it.each(ILLEGAL)("$command is refused of $from", ({ command, from }) => {
    const decided = decide(after(...WAY_TO[from]), COMMANDS[command], T0 + 60 * SECOND);
    expect(decided).toEqual({
      ok: false,
      failure: {
        kind: command === "rate" ? "task_not_completed" : "invalid_state",
        action: expect.any(String),
        status: from,
        allowed: allowedActions(from),
      },
    });
  });

  it("walks all of both, so that a new status or command must be entered here", () => {
    expect(PAIRS).toHaveLength(TASK_STATUSES.length * (Object.keys(COMMANDS).length - 1));
    const here = new Map<string, Set<TaskStatus>>();
    for (const { command, from } of LEGAL) {
      const { type } = COMMANDS[command];
      here.set(type, (here.get(type) ?? new Set()).add(from));
    }
    const table = Object.entries(LEGAL_FROM).filter(([type]) => type !== "create");
    expect(here).toEqual(new Map(table.map(([type, statuses]) => [type, new Set(statuses)])));
  });
});

describe("time", () => {
  it.each(TASK_STATUSES)("a deadline that passes while the task is %s", (from) => {
    const [, ...rest] = WAY_TO[from];
    const deadline = T0 + 30 * SECOND;
    const task = after({ type: "create", data: createdWith({ deadline }) }, ...rest);
    const early = decide(task, { type: "tick" }, deadline - 1);
    const due = decide(task, { type: "tick" }, deadline);
    const ended = from === "completed" || from === "failed" || from === "cancelled";
    expect(early).toEqual({ ok: true, value: [] });
    expect(due.ok && due.value.map(({ type }) => type)).toEqual(ended ? [] : ["failed"]);
  });
});

describe("create", () => {
  it("happens once: again with the same body changes nothing, with another is refused", () => {
    const task = after(COMMANDS.create);
    const later = T0 + SECOND;
    expect(decide(task, COMMANDS.create, later)).toEqual({ ok: true, value: [] });
    const other = createdWith({ fingerprint: "g" });
    expect(decide(task, { type: "create", data: other }, later)).toEqual({
      ok: false,
      failure: { kind: "idempotency_key_reused" },
    });
  });

  it("comes first: no other command makes a task", () => {
    for (const command of Object.values(COMMANDS).filter(({ type }) => type !== "create")) {
      expect(() => decide(null, command, T0)).toThrow("must be created");
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
])("a 409 on a task that is %s names what is allowed: %j", (status, actions) => {
  expect(allowedActions(status)).toEqual(actions);
});

/** The keys of a record that is written out in full. */
function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(record) as Name[];
}
