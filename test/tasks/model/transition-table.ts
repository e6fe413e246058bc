import type { TaskEventType } from "../../../src/tasks/model/events.ts";
import { slotOf, type Task, type TaskStatus } from "../../../src/tasks/model/task.ts";
import {
  COMMANDS,
  GRANT,
  QUEUED_COMMANDS_TO,
  COMMANDS_TO,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";

/**
 * A task's status. A task in progress that is waiting for a slot or a worker is `queued` instead of
 * `in_progress`.
 */
export type EffectiveStatus = TaskStatus | "queued";
export const AGENT_KINDS = ["unqueued", "queued", "worker"] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];
export type CommandName = Exclude<keyof typeof COMMANDS, "create">;

/**
 * A command's resulting status and events. `nothing` means accepted without effect, and
 * `lease_lost` means rejected with that failure. In a status that a row omits, the command is
 * rejected as illegal.
 */
type Cell = "nothing" | "lease_lost" | readonly [to: EffectiveStatus, ...recorded: TaskEventType[]];
type Row = Partial<Record<EffectiveStatus, Cell>>;

const LIVE = ["pending", "assigned", "in_progress", "queued", "blocked", "review"] as const;
const ENDED = ["completed", "failed", "cancelled"] as const;

/** The rows that are the same for all kinds of agents. */
const COMMON = {
  assign: { pending: ["assigned", "assigned"] },
  decline: { assigned: ["pending", "declined"] },
  endLease: { in_progress: "nothing", queued: "nothing" },
  hold: { in_progress: ["queued", "declined"], queued: "nothing" },
  progress: {
    in_progress: ["in_progress", "progressed"],
    queued: ["queued", "progressed"],
  },
  block: atWork("blocked", "blocked"),
  requestApproval: { in_progress: ["in_progress", "call_stored"] },
  // The task does not know the approval.
  settleApproval: from(LIVE, "nothing"),
  spend: staying("progressed"),
  submit: atWork("review", "submitted"),
  complete: atWork("completed", "completed"),
  approve: { review: ["completed", "approved", "completed"] },
  reject: { review: ["failed", "failed"] },
  fail: from(LIVE, ["failed", "failed"]),
  cancel: from(LIVE, ["cancelled", "cancelled"]),
  retry: { failed: ["pending", "retried"] },
  update: { ...staying("updated"), failed: ["failed", "updated"] },
  rate: { completed: ["completed", "rated"] },
  expire: from([...LIVE, ...ENDED], "nothing"),
} satisfies Partial<Record<CommandName, Row>>;

const NEVER_HELD = from([...LIVE, ...ENDED], "lease_lost");
const NO_REPORTS = {
  reportHeartbeat: NEVER_HELD,
  reportProgress: NEVER_HELD,
  reportBlocked: NEVER_HELD,
  reportReview: NEVER_HELD,
  reportCompleted: NEVER_HELD,
  reportFailed: NEVER_HELD,
  reportReleased: NEVER_HELD,
  reportFile: NEVER_HELD,
} satisfies Partial<Record<CommandName, Row>>;

/**
 * Only the queue grants slots and leases, both at the start and when work continues after an answer
 * or a review.
 */
const FROM_QUEUE = {
  start: { assigned: "nothing" },
  admit: {
    assigned: ["in_progress", "started"],
    in_progress: "nothing",
    queued: ["in_progress", "resumed"],
  },
  release: {
    assigned: ["pending", "declined"],
    in_progress: "nothing",
    queued: ["pending", "retried"],
  },
  respond: { blocked: ["queued", "responded"] },
  requestChanges: { review: ["queued", "changes_requested"] },
} satisfies Partial<Record<CommandName, Row>>;

/** The transition table from the design, written by hand. */
export const EXPECTED_TRANSITIONS: Readonly<Record<AgentKind, Readonly<Record<CommandName, Row>>>> =
  {
    unqueued: {
      ...COMMON,
      ...NO_REPORTS,
      start: { assigned: ["in_progress", "started"] },
      admit: { assigned: "nothing", in_progress: "nothing" },
      release: { assigned: "nothing", in_progress: "nothing" },
      respond: { blocked: ["in_progress", "responded"] },
      requestChanges: { review: ["in_progress", "changes_requested"] },
    },
    queued: { ...COMMON, ...NO_REPORTS, ...FROM_QUEUE },
    worker: {
      ...COMMON,
      ...FROM_QUEUE,
      endLease: { in_progress: ["pending", "retried"], queued: "nothing" },
      // Once the work has ended, the response to a heartbeat tells the worker to stop.
      reportHeartbeat: {
        ...NEVER_HELD,
        ...from(["in_progress", "blocked", "review", ...ENDED], "nothing"),
      },
      reportProgress: { ...NEVER_HELD, in_progress: ["in_progress", "progressed"] },
      reportFile: { ...NEVER_HELD, in_progress: ["in_progress", "progressed"] },
      // A worker may repeat a report whose response was lost.
      reportBlocked: { ...NEVER_HELD, in_progress: ["blocked", "blocked"], blocked: "nothing" },
      reportReview: { ...NEVER_HELD, in_progress: ["review", "submitted"], review: "nothing" },
      reportCompleted: {
        ...NEVER_HELD,
        in_progress: ["completed", "completed"],
        review: "nothing",
        completed: "nothing",
      },
      reportFailed: { ...NEVER_HELD, in_progress: ["failed", "failed"], failed: "nothing" },
      reportReleased: { ...NEVER_HELD, in_progress: ["queued", "declined"] },
    },
  };

/** Builds a command. The kind of agent affects only its grant. */
export function commandFor(
  kind: AgentKind,
  name: CommandName,
): Exclude<TaskCommand, { type: "create" }> {
  const needsGrant = name === "admit" && kind === "worker";
  return needsGrant ? { ...COMMANDS.admit, grant: GRANT } : COMMANDS[name];
}

/**
 * Returns the shortest sequence of commands that leads to an effective status. Only tasks of agents
 * with a queue can be queued.
 */
export function commandsTo(kind: AgentKind, status: EffectiveStatus): readonly TaskCommand[] {
  const ways = { unqueued: COMMANDS_TO, queued: QUEUED_COMMANDS_TO, worker: WORKER_COMMANDS_TO }[
    kind
  ];
  return status === "queued" ? [...ways.blocked, COMMANDS.respond] : ways[status];
}

export function effectiveStatusesOf(kind: AgentKind): EffectiveStatus[] {
  const all: readonly EffectiveStatus[] = [...LIVE, ...ENDED];
  return all.filter((status) => kind !== "unqueued" || status !== "queued");
}

export function effectiveStatusOf(task: Task): EffectiveStatus {
  return task.status === "in_progress" && slotOf(task) === "queued" ? "queued" : task.status;
}

function from(statuses: readonly EffectiveStatus[], cell: Cell): Row {
  return Object.fromEntries(statuses.map((status) => [status, cell]));
}

function atWork(to: EffectiveStatus, recorded: TaskEventType): Row {
  return from(["in_progress", "queued"], [to, recorded]);
}

function staying(recorded: TaskEventType): Row {
  return Object.fromEntries(LIVE.map((status) => [status, [status, recorded]]));
}
