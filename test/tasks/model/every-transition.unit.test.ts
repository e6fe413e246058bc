import { describe, expect, it } from "vitest";
import {
  commandNameOf,
  type CommandName,
  type TaskCommand,
} from "../../../src/tasks/model/command.ts";
import { decide } from "../../../src/tasks/model/decide.ts";
import { applyEvent } from "../../../src/tasks/model/fold.ts";
import type { Task } from "../../../src/tasks/model/task.ts";
import {
  findTransitions,
  stateOf,
  type TaskState,
  type Transition,
  TRANSITIONS,
} from "../../../src/tasks/model/transitions.ts";
import {
  BOB,
  taskAfter,
  COMMANDS,
  buildCreated,
  GRANT,
  numberEvents,
  QUEUED_COMMANDS_TO,
  SECOND,
  T0,
  COMMANDS_TO,
  WORKER,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";
import {
  commandFor,
  type CommandName as PlayName,
  AGENT_KINDS,
  EXPECTED_TRANSITIONS,
  effectiveStatusesOf,
  commandsTo,
} from "./transition-table.ts";

/** A command sent to a task in a given state. */
interface Scenario {
  readonly task: Task;
  readonly command: Exclude<TaskCommand, { type: "create" }>;
  readonly now: number;
}

const NOW = T0 + 32 * SECOND;
const LATE = T0 + 3_600 * SECOND;
const DUE: TaskCommand = { type: "create", data: buildCreated({ deadline: T0 + 60 * SECOND }) };
const REVIEWED = { requireReview: true };

/** A block that waits for the approval of COMMANDS.requestApproval. */
const AWAIT: TaskCommand = {
  ...COMMANDS.block,
  data: { ...COMMANDS.block.data, kind: "approval", approvalIds: ["approval"] },
};

const ALL_NAMES = Object.keys(EXPECTED_TRANSITIONS.unqueued) as PlayName[];
/** Each command in each state, in its simplest form. */
const PLAIN: readonly Scenario[] = AGENT_KINDS.flatMap((kind) =>
  effectiveStatusesOf(kind).flatMap((status) => {
    const task = taskAfter(...commandsTo(kind, status));
    return ALL_NAMES.flatMap((name) => scenario(task, commandFor(kind, name)));
  }),
);
/** Scenarios that need more than the simplest command. */
const OTHERS: readonly Scenario[] = [
  ...AGENT_KINDS.flatMap((kind) =>
    effectiveStatusesOf(kind).flatMap((status) => {
      const [, ...rest] = commandsTo(kind, status);
      return scenario(taskAfter(DUE, ...rest), COMMANDS.expire, LATE);
    }),
  ),
  ...scenario(taskAfter(...WORKER_COMMANDS_TO.in_progress), COMMANDS.expire, LATE),
  ...scenario(
    { ...taskAfter(...WORKER_COMMANDS_TO.in_progress), automaticRetries: 2 },
    COMMANDS.expire,
    LATE,
  ),
  ...uncovered(),
  ...scenario(taskAfter(...WORKER_COMMANDS_TO.assigned), COMMANDS.admit),
  ...scenario(taskAfter(...QUEUED_COMMANDS_TO.blocked, COMMANDS.respond), {
    ...COMMANDS.admit,
    grant: GRANT,
  }),
  ...[COMMANDS_TO.in_progress, [...QUEUED_COMMANDS_TO.blocked, COMMANDS.respond]].flatMap(
    ([, ...rest]) => scenario(taskAfter(reviewed(), ...rest), COMMANDS.complete),
  ),
  ...scenario(
    taskAfter(reviewed(), ...WORKER_COMMANDS_TO.in_progress.slice(1)),
    COMMANDS.reportCompleted,
  ),
  ...scenario(taskAfter(...COMMANDS_TO.failed), { ...COMMANDS.retry, notes: "Again." }),
  ...scenario(taskAfter(...COMMANDS_TO.assigned), { type: "update", change: {}, choice: BOB }),
  ...settlements(),
  ...scenario(
    taskAfter(...WORKER_COMMANDS_TO.in_progress, COMMANDS.reportReleased),
    COMMANDS.reportReleased,
  ),
  ...scenario(
    taskAfter(...WORKER_COMMANDS_TO.in_progress, COMMANDS.hold),
    COMMANDS.reportHeartbeat,
    T0 + 4 * SECOND,
  ),
];

/** The budget does not cover the worker's price, before and after people have refused to raise it. */
function uncovered(): Scenario[] {
  const terms = { ...WORKER, price: { perTask: 2, perMinute: 0 } };
  const admit = { ...COMMANDS.admit, grant: GRANT };
  const begun = [
    { ...COMMANDS.create, data: buildCreated({ budget: { maxCost: 1 } }) },
    { ...COMMANDS.assign, terms },
    admit,
  ];
  const refused = [...begun, COMMANDS.expire, COMMANDS.respond, admit];
  return [begun, refused].flatMap((commands) => scenario(taskAfter(...commands), COMMANDS.expire));
}

/** The approval of a call is settled in each state, or before the agent waits for it. */
function settlements(): Scenario[] {
  return AGENT_KINDS.flatMap((kind) => {
    const working = [...commandsTo(kind, "in_progress"), COMMANDS.requestApproval];
    const { settleApproval } = COMMANDS;
    const asking = taskAfter(...working);
    const reviewing = taskAfter(...working, COMMANDS.submit);
    const restarted = taskAfter(...working, COMMANDS.fail, COMMANDS.retry);
    const assigned = taskAfter(
      ...working,
      COMMANDS.fail,
      COMMANDS.retry,
      ...commandsTo(kind, "assigned").slice(1),
    );
    const queued = taskAfter(...working, COMMANDS.block, COMMANDS.respond);
    const others = [asking, reviewing, restarted, assigned, queued, taskAfter(...working, AWAIT)];
    const settled = taskAfter(...working, settleApproval);
    const second = {
      ...COMMANDS.requestApproval,
      data: { ...COMMANDS.requestApproval.data, approvalId: "second" },
    };
    const both = {
      ...COMMANDS.block,
      data: { ...COMMANDS.block.data, approvalIds: ["approval", "second"] },
    };
    return [
      ...others.flatMap((task) => scenario(task, settleApproval)),
      ...scenario(taskAfter(...working, second, both), settleApproval),
      ...scenario(settled, AWAIT),
      ...scenario(taskAfter(...working, settleApproval, COMMANDS.block, COMMANDS.respond), AWAIT),
    ];
  });
}

function scenario(task: Task, command: TaskCommand, now = NOW): Scenario[] {
  return command.type === "create" ? [] : [{ task, command, now }];
}

function reviewed(): TaskCommand {
  return { type: "create", data: buildCreated({ context: REVIEWED }) };
}

/**
 * Describes a transition's effect, for example "review review.approve: completed, approved
 * completed".
 */
function effectOf(
  state: TaskState,
  name: CommandName,
  { to, events }: Pick<Transition, "to" | "events">,
): string {
  return `${state} ${name}: ${to === "same" ? state : to}, ${events.join(" ")}`;
}

function effectsIn(state: TaskState, name: CommandName): string[] {
  return (findTransitions(state, name) ?? []).map((one) => effectOf(state, name, one));
}

/** Describes a scenario's effect. The list is empty if the command fails or no transition applies. */
function effects({ task, command, now }: Scenario): string[] {
  const [state, name] = [stateOf(task), commandNameOf(command)];
  const decided = decide(task, command, now);
  if (!decided.ok) return [];
  const events = decided.value.map(({ type }) => type);
  const next = numberEvents(decided.value, task.seq, () => now).reduce(applyEvent, task);
  const effect = effectOf(state, name, { to: stateOf(next), events });
  if (events.length > 0) expect(effectsIn(state, name)).toContain(effect);
  return effectsIn(state, name).includes(effect) ? [effect] : [];
}

describe("the transition table", () => {
  it("the transition table lists every effect of every command in every state, and no other effect", () => {
    const seen = new Set([...PLAIN, ...OTHERS].flatMap(effects));
    const listed = (Object.keys(TRANSITIONS) as TaskState[]).flatMap((state) =>
      (Object.keys(TRANSITIONS[state]) as CommandName[]).flatMap((name) => effectsIn(state, name)),
    );
    expect([...seen].toSorted()).toEqual([...new Set(listed)].toSorted());
  });
});
