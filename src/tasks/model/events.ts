import type { AgentTerms } from "../../agents/model/agent.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Authored } from "./author.ts";
import type { LeaseGrant } from "./lease.ts";
import type {
  ApprovalSettlement,
  BlockKind,
  TaskApproval,
  TaskBudget,
  TaskLabels,
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
 * `declined`: the agent declined the task and is excluded from it. `taken_back`: the task was removed from the agent's
 * queue, but the agent can be assigned to it again. `returned`: a worker returned the task, or the agent is paused; the
 * attempt continues, and the task waits in the agent's queue.
 */
export type DeclineCause = "declined" | "taken_back" | "returned";

/**
 * `step`: the agent or its worker made progress. `file`: a worker added a file. `usage`: a tool call or model usage was
 * charged outside the agent's steps. `failed_try`: the agent's turn failed and will be retried.
 */
export type ProgressCause = "step" | "file" | "usage" | "failed_try";

/**
 * `requested`: a client retried a failed task. `lease_expired`, `key_ended`: the worker lost the task, but the agent
 * keeps it. `agent_changed`: the agent can no longer do the task. The task is assigned again and starts over.
 */
export type RetryCause = "requested" | "lease_expired" | "key_ended" | "agent_changed";

/** The agent starts or resumes work. `lease`: set if a worker holds the task. */
interface Opening {
  readonly agentId: string;
  readonly lease?: LeaseGrant;
}

/** The tool calls and model usage of a step. `cost`: what a worker reported, in US dollars; absent if nothing. */
interface Paid {
  readonly calls: readonly ToolCall[];
  readonly use?: ModelUsage;
  readonly cost?: number;
}

/** The data of each event type. */
export interface TaskEventData {
  readonly created: Authored & {
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
    /** The directory shard that contains the task's row; absent for shard 0. */
    readonly shard?: number;
    /** The context id that an A2A client chose. */
    readonly contextId?: string;
    readonly title?: string;
    readonly labels?: TaskLabels;
    readonly externalId?: string;
  };
  /** `terms` is absent in logs written by releases that had only built-in agents. */
  readonly assigned: AgentChoice & { readonly terms?: AgentTerms };
  readonly declined: {
    /**
     * Like the `cause` of `progressed` and `retried`, absent in logs written by earlier releases. See `declineCauseOf`.
     */
    readonly cause?: DeclineCause;
    readonly agentId: string;
    readonly reason: string;
    /** Set unless the cause is `declined`. */
    readonly excludes?: false;
    /** Set if the cause is `returned`. */
    readonly released?: true;
    /** Set if the task waits because the agent is paused. */
    readonly paused?: true;
    /** Data that the worker saved for the next worker. */
    readonly work?: JsonObject;
    /** What the worker reported, as in `Paid`. */
    readonly cost?: number;
  };
  readonly started: Opening;
  /** The agent continues, for example after an answer, because the task now has a slot or a worker. */
  readonly resumed: Opening;
  readonly progressed: Paid & {
    readonly cause?: ProgressCause;
    readonly progress: number;
    readonly phase: string;
    readonly work: JsonObject;
    /** Set if the cause is `usage` or `failed_try`. */
    readonly outside?: true;
    /** Set if `progress` is only an estimate, as for models, which therefore does not show that the work advances. */
    readonly estimated?: true;
    /** Why the turn failed. */
    readonly error?: TaskError;
    /** The added file. It replaces any file with the same name. */
    readonly file?: Deliverable;
  };
  readonly blocked: Paid & {
    readonly kind: BlockKind;
    readonly question: string;
    /** Data saved before the agent stopped, so the agent does not repeat its work. */
    readonly work: JsonObject;
    /** The approvals that the task waits for; absent for other questions. */
    readonly approvalIds?: readonly string[];
  };
  readonly call_stored: Pick<TaskApproval, "approvalId" | "toolId" | "capability" | "sha256">;
  readonly call_settled: Omit<ApprovalSettlement, "result"> & { readonly result?: string };
  /** `null`: the block ended without an answer. */
  readonly responded: Authored & { readonly response: string | JsonObject | null };
  readonly submitted: TaskOutcome & Paid;
  readonly approved: Authored & { readonly comment: string | null };
  readonly changes_requested: Authored & { readonly comment: string | null };
  readonly completed: TaskOutcome & Paid;
  /** `by`: set if a reviewer rejected the work. */
  readonly failed: Authored & { readonly error: TaskError } & Paid;
  readonly cancelled: Authored & { readonly reason: string | null };
  readonly retried: Authored & {
    readonly cause?: RetryCause;
    readonly attempt: number;
    readonly reassign: boolean;
    readonly choice: AgentChoice | null;
    readonly context: JsonObject | null;
    /** Set unless the cause is `requested`. `error`: why the previous attempt was lost. */
    readonly automatic?: { readonly error: TaskError; readonly notBefore: number };
  };
  readonly updated: Authored & {
    readonly priority?: Priority;
    readonly deadline?: number;
    readonly context?: JsonObject;
    readonly notes?: string;
    /** Null removes the title or the external id. */
    readonly title?: string | null;
    readonly externalId?: string | null;
    /** Replaces all labels, requested kinds of file or limits. */
    readonly labels?: TaskLabels;
    readonly deliverables?: readonly string[];
    readonly budget?: TaskBudget;
    /** The agent to which a client gave the task before it started. An assigned task becomes pending. */
    readonly choice?: AgentChoice;
  };
  readonly rated: Authored & TaskFeedback;
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
  call_stored: true,
  call_settled: true,
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

/** The prefix of event types in webhook messages, as in `task.completed`. */
export const TASK_EVENT_PREFIX = "task.";

/** An event that does not have a `seq` or a time yet. */
export type NewTaskEvent<Type extends TaskEventType = TaskEventType> = {
  [T in Type]: { readonly type: T; readonly data: TaskEventData[T] };
}[Type];

/** An event in a task's log. `seq` counts from 1 without gaps; `at` is in milliseconds since 1970. */
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
