import type { CommandName } from "./command.ts";
import type { TaskEventType } from "./events.ts";
import { isActive, type Task, type TaskStatus } from "./task.ts";

/**
 * The states in the transition table: the public statuses, and `queued` for a task that is in progress but waiting for
 * a slot in the agent's queue.
 */
export type TaskState = TaskStatus | "queued";

/** The actions that clients can take on a task. All of them are commands except `deliverables`, which only reads. */
const TASK_ACTIONS = [
  "cancel",
  "retry",
  "update",
  "respond",
  "review",
  "feedback",
  "deliverables",
] as const;
export type TaskAction = (typeof TASK_ACTIONS)[number];

/**
 * One possible effect of a command. If a check in `requires` fails, the command fails with the first such failure. The
 * first transition whose guards (`when`) all hold is applied. If there is none, nothing changes.
 */
interface TransitionShape {
  readonly requires?: readonly string[];
  readonly when?: readonly string[];
  readonly to: TaskState | "same";
  readonly events: readonly TaskEventType[];
  /** The client action that corresponds to the command. */
  readonly action?: TaskAction;
}

type TransitionShapes = Partial<Record<CommandName, readonly TransitionShape[]>>;

const UNCHANGED = [{ to: "same", events: [] }] as const;

/** An update of a task that has started or failed. */
const UPDATE_STARTED = [
  {
    requires: ["keepsAgent", "validUpdate"],
    when: ["changesTask"],
    to: "same",
    events: ["updated"],
    action: "update",
  },
] as const satisfies readonly TransitionShape[];

/** An update of a task that has not started, whose agent can therefore change. */
const UPDATE_UNSTARTED = {
  requires: ["validUpdate"],
  when: ["changesTask"],
  to: "same",
  events: ["updated"],
  action: "update",
} as const satisfies TransitionShape;

/** The transitions shared by all states except completed, failed and cancelled. */
const LIVE = {
  spend: [{ to: "same", events: ["progressed"] }],
  update: UPDATE_STARTED,
  cancel: [{ to: "cancelled", events: ["cancelled"], action: "cancel" }],
  settleApproval: [{ when: ["isPendingApproval"], to: "same", events: ["call_settled"] }],
  fail: [{ when: ["isCurrentAttempt"], to: "failed", events: ["failed"] }],
  expire: [{ when: ["isExpired"], to: "failed", events: ["failed"] }],
} as const satisfies TransitionShapes;

/**
 * The transitions of a task in progress, with or without a slot. Work that began before the slot was lost still counts.
 */
const IN_PROGRESS = {
  ...LIVE,
  progress: [{ when: ["isCurrentAttempt"], to: "same", events: ["progressed"] }],
  block: [
    // The calls were settled before the agent stopped to wait for them.
    {
      when: ["isCurrentAttempt", "awaitsSettledApprovals"],
      to: "same",
      events: ["progressed"],
    },
    { when: ["isCurrentAttempt"], to: "blocked", events: ["blocked"] },
  ],
  submit: [{ when: ["isCurrentAttempt"], to: "review", events: ["submitted"] }],
  complete: [
    { when: ["isCurrentAttempt", "requiresReview"], to: "review", events: ["submitted"] },
    { when: ["isCurrentAttempt"], to: "completed", events: ["completed"] },
  ],
} as const satisfies TransitionShapes;

/** For workers that repeat a report because they did not receive the response. */
const REPEATED_REPORT = [{ requires: ["repeatedReport"], to: "same", events: [] }] as const;

/**
 * What each command does in each state. A command that is not listed for a state is illegal there. `create` is not
 * listed, because it creates the task. On an existing task, it only compares the requests.
 */
export const TRANSITIONS = {
  pending: {
    ...LIVE,
    assign: [{ when: ["fitsChoice"], to: "assigned", events: ["assigned"] }],
    update: [UPDATE_UNSTARTED],
  },
  assigned: {
    ...LIVE,
    update: [
      {
        requires: ["validUpdate"],
        when: ["changesAgent"],
        to: "pending",
        events: ["updated"],
        action: "update",
      },
      UPDATE_UNSTARTED,
    ],
    // Tasks in a queue are started with "admit". Started directly, a worker's task would have no lease.
    start: [{ when: ["hasNoQueue"], to: "in_progress", events: ["started"] }],
    decline: [{ to: "pending", events: ["declined"] }],
    admit: [
      { when: ["isQueuedFor", "fitsExecutor"], to: "in_progress", events: ["started"] },
      { when: ["isQueuedFor"], to: "pending", events: ["declined"] },
    ],
    release: [{ when: ["isQueuedFor"], to: "pending", events: ["declined"] }],
  },
  in_progress: {
    ...IN_PROGRESS,
    expire: [
      ...LIVE.expire,
      { when: ["isCostUncovered", "isRaiseRefused"], to: "failed", events: ["failed"] },
      { when: ["isCostUncovered"], to: "blocked", events: ["blocked"] },
      { when: ["isLeaseExpired", "hasLeaseRetries"], to: "pending", events: ["retried"] },
      { when: ["isLeaseExpired"], to: "failed", events: ["failed"] },
    ],
    admit: UNCHANGED,
    release: UNCHANGED,
    requestApproval: [
      {
        when: ["isCurrentAttempt", "isNewApproval"],
        to: "same",
        events: ["call_stored"],
      },
    ],
    endLease: [{ when: ["isLeasedWithKey"], to: "pending", events: ["retried"] }],
    // The attempt continues when the agent is resumed.
    hold: [{ when: ["isCurrentAttempt"], to: "queued", events: ["declined"] }],
    "report.heartbeat": [{ requires: ["validLease"], to: "same", events: [] }],
    "report.progress": [
      {
        requires: ["validLease", "validProgress", "validWork"],
        to: "same",
        events: ["progressed"],
      },
    ],
    "report.file": [{ requires: ["validLease", "validFile"], to: "same", events: ["progressed"] }],
    "report.blocked": [
      { requires: ["validLease", "validWork"], to: "blocked", events: ["blocked"] },
    ],
    "report.review": [{ requires: ["validLease"], to: "review", events: ["submitted"] }],
    "report.completed": [
      { requires: ["validLease"], when: ["requiresReview"], to: "review", events: ["submitted"] },
      { requires: ["validLease"], to: "completed", events: ["completed"] },
    ],
    "report.failed": [{ requires: ["validLease"], to: "failed", events: ["failed"] }],
    "report.released": [
      { requires: ["validLease", "validWork"], to: "queued", events: ["declined"] },
    ],
  },
  queued: {
    ...IN_PROGRESS,
    admit: [
      { when: ["isQueuedFor", "fitsExecutor"], to: "in_progress", events: ["resumed"] },
      { when: ["isQueuedFor"], to: "pending", events: ["retried"] },
    ],
    release: [{ when: ["isQueuedFor"], to: "pending", events: ["retried"] }],
    endLease: UNCHANGED,
    hold: UNCHANGED,
    "report.heartbeat": REPEATED_REPORT,
    "report.released": REPEATED_REPORT,
  },
  blocked: {
    ...LIVE,
    respond: [
      {
        requires: ["isQuestion", "validResponse"],
        when: ["hasNoQueue"],
        to: "in_progress",
        events: ["responded"],
        action: "respond",
      },
      {
        requires: ["isQuestion", "validResponse"],
        to: "queued",
        events: ["responded"],
        action: "respond",
      },
    ],
    settleApproval: [
      {
        when: ["isPendingApproval", "isLastAwaited", "hasNoQueue"],
        to: "in_progress",
        events: ["call_settled"],
      },
      {
        when: ["isPendingApproval", "isLastAwaited"],
        to: "queued",
        events: ["call_settled"],
      },
      { when: ["isPendingApproval"], to: "same", events: ["call_settled"] },
    ],
    "report.heartbeat": REPEATED_REPORT,
    "report.blocked": REPEATED_REPORT,
  },
  review: {
    ...LIVE,
    "review.approve": [{ to: "completed", events: ["approved", "completed"], action: "review" }],
    "review.request_changes": [
      {
        when: ["hasNoQueue"],
        to: "in_progress",
        events: ["changes_requested"],
        action: "review",
      },
      { to: "queued", events: ["changes_requested"], action: "review" },
    ],
    "review.reject": [{ to: "failed", events: ["failed"], action: "review" }],
    "report.heartbeat": REPEATED_REPORT,
    "report.review": REPEATED_REPORT,
    "report.completed": REPEATED_REPORT,
  },
  completed: {
    rate: [{ to: "same", events: ["rated"], action: "feedback" }],
    expire: UNCHANGED,
    "report.heartbeat": REPEATED_REPORT,
    "report.completed": REPEATED_REPORT,
  },
  failed: {
    retry: [
      {
        requires: ["validRetry"],
        when: ["hasNotes"],
        to: "pending",
        events: ["updated", "retried"],
        action: "retry",
      },
      { requires: ["validRetry"], to: "pending", events: ["retried"], action: "retry" },
    ],
    update: UPDATE_STARTED,
    expire: UNCHANGED,
    "report.heartbeat": REPEATED_REPORT,
    "report.failed": REPEATED_REPORT,
  },
  cancelled: {
    expire: UNCHANGED,
    "report.heartbeat": REPEATED_REPORT,
  },
} as const satisfies Record<TaskState, TransitionShapes>;

type Table = typeof TRANSITIONS;
/** The transitions of one command, in all states. */
type TransitionsOf<Name extends CommandName> = {
  [State in TaskState]: Name extends keyof Table[State]
    ? Table[State][Name] extends readonly (infer Each)[]
      ? Each
      : never
    : never;
}[TaskState];
type NamesIn<Each, Field extends "requires" | "when"> =
  Each extends Record<Field, readonly (infer Name extends string)[]> ? Name : never;

export type ChecksOf<Name extends CommandName> = NamesIn<TransitionsOf<Name>, "requires">;
export type GuardsOf<Name extends CommandName> = NamesIn<TransitionsOf<Name>, "when">;
export type EventsOf<Name extends CommandName> = TransitionsOf<Name>["events"][number];
export type CheckName = ChecksOf<CommandName>;
export type GuardName = GuardsOf<CommandName>;

export interface Transition extends TransitionShape {
  readonly requires?: readonly CheckName[];
  readonly when?: readonly GuardName[];
}

/** The transitions of a command in a state, in order; null if the command is illegal in that state. */
export function findTransitions(state: TaskState, name: CommandName): readonly Transition[] | null {
  const transitions: Partial<Record<CommandName, readonly Transition[]>> = TRANSITIONS[state];
  return transitions[name] ?? null;
}

export function stateOf(task: Task): TaskState {
  return task.status === "in_progress" && !isActive(task) ? "queued" : task.status;
}

/** The actions that clients can take on a task with this status. */
export function allowedActions(status: TaskStatus): TaskAction[] {
  const transitions: readonly (readonly Transition[])[] = Object.values(TRANSITIONS[status]);
  const actions = new Set(transitions.flat().map(({ action }) => action));
  if (status === "review" || status === "completed") actions.add("deliverables");
  return TASK_ACTIONS.filter((action) => actions.has(action));
}
