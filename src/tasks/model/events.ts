import type { AgentTerms } from "../../agents/model/agent.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { LeaseGrant } from "./lease.ts";
import type {
  BlockKind,
  TaskBudget,
  AgentChoice,
  Deliverable,
  TaskFeedback,
  ModelUsage,
  TaskOutcome,
  Priority,
  TaskError,
  ToolCall,
} from "./task.ts";

/**
 * `declined`: the agent declined the task and cannot get it again. `taken_back`: removed from the agent's queue; the
 * agent can get it again. `returned`: by a worker; the attempt continues, and the task waits in the agent's queue.
 */
export type DeclineCause = "declined" | "taken_back" | "returned";

/**
 * `step`: the agent or its worker made progress. `file`: a worker added a file. `usage`: a tool call or a model was
 * paid outside the agent's steps. `failed_try`: a try of the agent's turn failed and is repeated.
 */
export type ProgressCause = "step" | "file" | "usage" | "failed_try";

/**
 * `requested`: a client retried a failed task. `lease_expired`, `key_ended`: the worker lost the task, which stays with
 * its agent. `agent_changed`: the agent can no longer do the task, and another agent starts over.
 */
export type RetryCause = "requested" | "lease_expired" | "key_ended" | "agent_changed";

/** The agent starts to work; `lease` if a worker holds the task. */
interface Opening {
  readonly agentId: string;
  readonly lease?: LeaseGrant;
}

/** The usage of a step. */
interface Paid {
  readonly calls: readonly ToolCall[];
  readonly use?: ModelUsage;
}

/** The data of each type of event. */
export interface TaskEventData {
  readonly created: {
    readonly task: string;
    readonly teamId: string | null;
    readonly choice: AgentChoice | null;
    readonly priority: Priority;
    readonly deadline: number | null;
    readonly deliverables: readonly string[];
    readonly context: JsonObject;
    readonly budget: TaskBudget | null;
    readonly estimatedCompletion: number;
    readonly estimatedDurationMs: number;
    readonly createdBy: string;
    readonly fingerprint: string;
    /** The shard of the directory that contains the task; absent for shard 0. */
    readonly shard?: number;
    /** The context that an A2A client chose. */
    readonly contextId?: string;
  };
  /** `terms` are absent in logs of releases that had only built-in agents. */
  readonly assigned: AgentChoice & { readonly terms?: AgentTerms };
  readonly declined: {
    /** Absent in logs of earlier releases, as in `progressed` and `retried`; see `declineCauseOf`. */
    readonly cause?: DeclineCause;
    readonly agentId: string;
    readonly reason: string;
    /** Set unless the cause is `declined`. */
    readonly excludes?: false;
    /** Set if the cause is `returned`. */
    readonly released?: true;
    /** Work that the worker saved for the next worker. */
    readonly work?: JsonObject;
  };
  readonly started: Opening;
  /** The agent continues after an answer, with a slot or a worker. */
  readonly resumed: Opening;
  readonly progressed: {
    readonly cause?: ProgressCause;
    readonly progress: number;
    readonly phase: string;
    readonly calls: readonly ToolCall[];
    readonly work: JsonObject;
    /** Set if the cause is `usage` or `failed_try`. */
    readonly outside?: true;
    /** The error of a failed try. */
    readonly error?: TaskError;
    readonly use?: ModelUsage;
    /** A file that was added; it replaces a file of the same name. */
    readonly file?: Deliverable;
  };
  readonly blocked: {
    readonly kind: BlockKind;
    readonly question: string;
    readonly calls: readonly ToolCall[];
    /** Work done before the agent stopped, so that it is not repeated. */
    readonly work: JsonObject;
    readonly use?: ModelUsage;
  };
  /** `null`: the block ended without an answer. */
  readonly responded: { readonly response: string | JsonObject | null };
  readonly submitted: TaskOutcome & Paid;
  readonly approved: { readonly comment: string | null };
  readonly changes_requested: { readonly comment: string | null };
  readonly completed: TaskOutcome & Paid;
  readonly failed: { readonly error: TaskError } & Paid;
  readonly cancelled: { readonly reason: string | null };
  readonly retried: {
    readonly cause?: RetryCause;
    readonly attempt: number;
    readonly reassign: boolean;
    readonly choice: AgentChoice | null;
    readonly context: JsonObject | null;
    /** Set unless the cause is `requested`: why the previous attempt was lost. */
    readonly automatic?: { readonly error: TaskError; readonly notBefore: number };
  };
  readonly updated: {
    readonly priority?: Priority;
    readonly deadline?: number;
    readonly context?: JsonObject;
    readonly notes?: string;
  };
  readonly rated: TaskFeedback;
}

export type TaskEventType = keyof TaskEventData;

const TYPES = {
  created: true,
  assigned: true,
  declined: true,
  started: true,
  resumed: true,
  progressed: true,
  blocked: true,
  responded: true,
  submitted: true,
  approved: true,
  changes_requested: true,
  completed: true,
  failed: true,
  cancelled: true,
  retried: true,
  updated: true,
  rated: true,
} as const satisfies Record<TaskEventType, true>;

export const TASK_EVENT_TYPES = Object.keys(TYPES) as readonly TaskEventType[];

/** The prefix of an event's type in webhook messages: `task.completed`. */
export const TASK_EVENT_PREFIX = "task.";

/** An event before the log numbers it. */
export type NewTaskEvent<Type extends TaskEventType = TaskEventType> = {
  [T in Type]: { readonly type: T; readonly data: TaskEventData[T] };
}[Type];

/** An event of a task's log: `seq` counts from 1 without gaps, `at` in milliseconds since 1970. */
export type TaskEvent = NewTaskEvent & { readonly seq: number; readonly at: number };

export type TaskEventOf<Type extends TaskEventType> = Extract<TaskEvent, { readonly type: Type }>;

export function declineCauseOf({
  cause,
  excludes,
  released,
}: TaskEventData["declined"]): DeclineCause {
  if (cause !== undefined) return cause;
  if (released === true) return "returned";
  return excludes === false ? "taken_back" : "declined";
}

export function progressCauseOf({
  cause,
  file,
  outside,
  error,
}: TaskEventData["progressed"]): ProgressCause {
  if (cause !== undefined) return cause;
  if (outside === true) return error === undefined ? "usage" : "failed_try";
  return file === undefined ? "step" : "file";
}

export function retryCauseOf({ cause, automatic, choice }: TaskEventData["retried"]): RetryCause {
  if (cause !== undefined) return cause;
  if (automatic === undefined) return "requested";
  if (automatic.error.code === "LEASE_EXPIRED") return "lease_expired";
  return choice === null ? "agent_changed" : "key_ended";
}
