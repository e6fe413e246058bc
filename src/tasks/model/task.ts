import { type AgentTerms, hasQueue } from "../../agents/model/agent.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { SettledStatus } from "../../governance/model/approval-status.ts";
import type { Pause } from "../../agents/model/pause.ts";
import type { TaskDayCost } from "./day-costs.ts";
import type { Lease } from "./lease.ts";

export const TASK_STATUSES = [
  "pending",
  "assigned",
  "in_progress",
  "blocked",
  "review",
  "completed",
  "failed",
  "cancelled",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const PRIORITIES = ["low", "medium", "high", "urgent"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What a blocked task is waiting for. */
export const BLOCK_KINDS = ["input", "approval", "auth", "budget", "dependency"] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

export const REVIEW_DECISIONS = ["approve", "request_changes", "reject"] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

export type TaskErrorCode =
  | "AGENT_ERROR"
  | "TOOL_ERROR"
  | "DEADLINE_EXCEEDED"
  | "LEASE_EXPIRED"
  | "BUDGET_EXCEEDED"
  | "REVIEW_REJECTED"
  | "NO_AGENT_AVAILABLE"
  | "DELIVERABLE_STORE_FAILED"
  | "INTERNAL_ERROR";

/** Why an attempt failed. `retryable`: whether the same work might succeed later. */
export interface TaskError {
  readonly code: TaskErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: JsonObject;
}

/** A task's limits: US dollars, tool calls, and seconds of working time per attempt. */
export interface TaskBudget extends JsonObject {
  maxCost?: number;
  maxToolCalls?: number;
  maxDurationSeconds?: number;
}

/** The labels that a client gave a task: a value for each key. */
export type TaskLabels = Readonly<Record<string, string>>;

/** A file that a task delivered. `size` is in bytes; `key` is its key in the file store. */
export interface Deliverable {
  readonly type: string;
  readonly name: string;
  readonly format: string;
  readonly size: number;
  readonly key: string;
  readonly createdAt: number;
  /** In hex; absent if it was not computed. */
  readonly sha256?: string;
  /** The offset of the file's bytes in its event; absent if they are in the file store, not in the log. */
  readonly heldAt?: number;
}

export interface TaskResult {
  readonly summary: string;
  readonly insights: readonly string[];
  readonly recommendations: readonly string[];
}

/** Each score is between 0 and 100. */
export interface QualityScores {
  readonly score: number;
  readonly accuracy: number;
  readonly completeness: number;
  readonly clarity: number;
}

/** The work that an attempt submits. `quality` is null if the work was not assessed. */
export interface TaskOutcome {
  readonly result: TaskResult;
  readonly quality: QualityScores | null;
  readonly deliverables: readonly Deliverable[];
}

/** One tool call by the task's agent. `cost` is in US dollars. */
export interface ToolCall {
  readonly toolId: string;
  readonly capability: string;
  readonly cost: number;
  readonly durationMs: number;
  readonly ok: boolean;
  readonly problem?: string;
  /** The id of the call's record; absent in events that predate call records. */
  readonly callId?: string;
}

/** The language model usage of a step. `cost` is in US dollars. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
}

/** `agentCost` is the part of `cost` for the agent's price and for costs that workers reported; absent if it is 0. */
export interface TaskSpend {
  readonly cost: number;
  readonly toolCalls: number;
  readonly agentCost?: number;
}

export interface TaskFeedback {
  readonly rating: number;
  readonly feedback?: string;
  readonly issues?: readonly string[];
}

/** A call of the task's agent that requires approval. The whole call and its result are in the approval's object. */
export interface TaskApproval {
  readonly approvalId: string;
  readonly toolId: string;
  readonly capability: string;
  /** SHA-256 of the tool, the capability and the parameters, in hex. */
  readonly sha256: string;
  /** The attempt that made the call. */
  readonly attempt: number;
  readonly status: "pending" | SettledStatus;
  /** What happened to the call; null while it is pending. */
  readonly message: string | null;
  /** The beginning of the result as JSON; null if there is none. */
  readonly result: string | null;
}

/** How a call that requires approval ended. */
export interface ApprovalSettlement {
  readonly approvalId: string;
  readonly status: SettledStatus;
  readonly message: string;
  /** The result as JSON, shortened; null if there is none. */
  readonly result: string | null;
}

/** A failed attempt before the current one. */
export interface PastAttempt {
  readonly attempt: number;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly error: TaskError;
  readonly startedAt: number | null;
  readonly failedAt: number;
}

export interface TaskBlock {
  /** The `seq` of the event that asked the question. */
  readonly seq: number;
  readonly kind: BlockKind;
  readonly question: string;
  readonly since: number;
  /** The approvals that the task waits for; absent for other questions. */
  readonly approvalIds?: readonly string[];
}

/** Why and when an agent's turn failed. */
interface TurnError {
  readonly at: number;
  readonly message: string;
}

/** A turn that follows `failures` failed ones in a row. `at`: when it starts or started. */
interface RetriedTurn {
  readonly failures: number;
  readonly at: number;
}

export interface BlockAnswer {
  readonly question: string;
  readonly response: string | JsonObject | null;
}

/** The agent chosen for a task, and why. */
export interface AgentChoice {
  readonly agentId: string;
  readonly agentName: string;
  readonly reasons: readonly string[];
  readonly candidates: readonly ScoredCandidate[];
}

export interface ScoredCandidate {
  readonly agentId: string;
  readonly score: number;
}

/** The fields that a task has in every status. Only `fold` creates tasks. Times are in milliseconds since 1970. */
export interface TaskBase {
  /** The sequence number of the newest event. */
  readonly seq: number;
  /** The `seq` of the last event that changed the task in lists. It is the version of the directory row. */
  readonly directoryVersion: number;
  /** The size of the progress events after `directoryVersion`; 0 if the task does not count towards a key's limits. */
  readonly bytesSinceDirectoryVersion: number;
  /** The `seq` of the last event that changed what the agent's queue stores. */
  readonly queueVersion: number;
  readonly task: string;
  /** A short name for people; null if the client chose none. */
  readonly title: string | null;
  /** Null if there are none. */
  readonly labels: TaskLabels | null;
  /** The task's id in the client's own system. It need not be unique. */
  readonly externalId: string | null;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly choice: AgentChoice | null;
  /** The agent's settings when the task was assigned. */
  readonly terms: AgentTerms;
  readonly teamId: string | null;
  readonly priority: Priority;
  readonly deadline: number | null;
  readonly deliverableTypes: readonly string[];
  readonly context: JsonObject;
  readonly budget: TaskBudget | null;
  readonly estimatedCompletion: number;
  readonly estimatedDurationMs: number;
  readonly createdBy: string;
  readonly fingerprint: string;
  /** The directory shard that contains the task's row. */
  readonly shard: number;
  /** The context id that an A2A client chose. */
  readonly contextId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly attempt: number;
  readonly attempts: readonly PastAttempt[];
  /** The numbers of the attempts that were not lost through the agent's fault. */
  readonly excusedAttempts: readonly number[];
  /** The number of automatic retries after expired leases since the task was created or last retried by a client. */
  readonly automaticRetries: number;
  /** The agent that the client requested by id. No other agent can be assigned. Null if any agent can be assigned. */
  readonly requestedAgentId: string | null;
  /** The assigned agent or, if there is none, the last one that was assigned. */
  readonly lastAgentId: string | null;
  /** The `seq` of the event that moved the task from another agent to `lastAgentId`; 0 if no other agent had it. */
  readonly assignedSinceSeq: number;
  /**
   * The agent whose queue contained the task when a client gave the task to another agent; null once the task is
   * assigned again.
   */
  readonly leftAgentId: string | null;
  /** How many times in a row the task was taken back from an agent before the agent started it. */
  readonly releaseCount: number;
  /** The earliest time at which the attempt can be assigned; null: immediately. */
  readonly notBefore: number | null;
  readonly excludedAgentIds: readonly string[];
  /**
   * The attempt's last lease. It is valid only while the agent is working; after that, it identifies repeated reports.
   */
  readonly lease: Lease | null;
  /** When the task last entered a status or completed a step. The next step is scheduled from this time. */
  readonly lastStepAt: number;
  readonly startedAt: number | null;
  /** The attempt's working time, excluding the time since `workingSince`. */
  readonly workedMs: number;
  readonly progress: number;
  readonly currentPhase: string | null;
  /** Data that earlier steps of the attempt saved for later steps. */
  readonly work: JsonObject;
  readonly spend: TaskSpend;
  /** The task's spend when it last made progress (see `no-progress.ts`), and the `seq` of that event. */
  readonly spendAtProgress: TaskSpend & { readonly seq: number };
  /** The agents whose price per task is part of the spend. */
  readonly paidAgentIds: readonly string[];
  /** The part of the spend that is not for tool calls, by day and agent, earliest day first. */
  readonly dayCosts: readonly TaskDayCost[];
  /** The language model tokens used in all attempts. */
  readonly tokens: { readonly input: number; readonly output: number };
  /** Files added so far in the attempt. They become part of its outcome. */
  readonly files: readonly Deliverable[];
  /** The total size of the task's files in the file store, including files of earlier rounds and attempts. */
  readonly fileBytes: number;
  readonly answers: readonly BlockAnswer[];
  /** The agent's calls that required approval, in all attempts. */
  readonly approvals: readonly TaskApproval[];
  /** The number of review rounds so far. Each round stores its deliverables under separate keys. */
  readonly round: number;
  readonly reviewComments: readonly string[];
  readonly notes: string | null;
  /** Whether the task waits in the agent's queue because the agent was paused. */
  readonly isHeld: boolean;
  /** Why the agent is paused. Set only in waiting tasks that are read by clients (see `withPause`). */
  readonly pause?: Pause;
}

/** The fields that a task has only in certain statuses. */
interface StatusFields {
  readonly pending: unknown;
  /** The task has an agent that has not started. */
  readonly assigned: unknown;
  readonly in_progress: {
    /** The `seq` of the event that last started the agent's work; 0 while the task waits for a slot. */
    readonly workStartSeq: number;
    /** When the agent last started working; null while the task waits for a slot. */
    readonly workingSince: number | null;
    /** The error of the agent's last failed turn; absent if the agent has made progress since. */
    readonly turnError?: TurnError;
    /** The turn that follows failed ones. Set only in tasks that are read by clients (see `withRetriedTurn`). */
    readonly retriedTurn?: RetriedTurn;
  };
  readonly blocked: { readonly blocked: TaskBlock };
  readonly review: { readonly outcome: TaskOutcome };
  readonly completed: EndFields & {
    readonly outcome: TaskOutcome;
    readonly feedback: TaskFeedback | null;
  };
  readonly failed: EndFields & { readonly error: TaskError };
  readonly cancelled: EndFields & { readonly cancelReason: string | null };
}

interface EndFields {
  readonly endedAt: number;
}

export type Task<Status extends TaskStatus = TaskStatus> = {
  [S in Status]: TaskBase & { readonly status: S } & StatusFields[S];
}[Status];

export function blockOf(task: Task): TaskBlock | null {
  return task.status === "blocked" ? task.blocked : null;
}

export function outcomeOf(task: Task): TaskOutcome | null {
  return task.status === "review" || task.status === "completed" ? task.outcome : null;
}

export function errorOf(task: Task): TaskError | null {
  return task.status === "failed" ? task.error : null;
}

/** Whether this question has already been answered. */
export function hasAnswer({ answers }: Pick<Task, "answers">, question: string): boolean {
  return answers.some((answer) => answer.question === question);
}

export function feedbackOf(task: Task): TaskFeedback | null {
  return task.status === "completed" ? task.feedback : null;
}

/** When the task was completed, failed or cancelled. */
export function endedAtOf(task: Task): number | null {
  return "endedAt" in task ? task.endedAt : null;
}

/** The `seq` of the event that last started the agent's work; 0 while the agent is not working. */
export function workStartSeqOf(task: Task): number {
  return task.status === "in_progress" ? task.workStartSeq : 0;
}

/** Whether the task can continue without a person. */
export function isAwaitingAgent(status: TaskStatus): boolean {
  return status === "pending" || status === "assigned" || status === "in_progress";
}

export function isTerminal(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** The task's position in its agent's queue: waiting for a slot, in a slot, or not in the queue. */
export type TaskSlot = "queued" | "active" | "none";

export function slotOf(task: Task): TaskSlot {
  if (task.status !== "assigned" && task.status !== "in_progress") return "none";
  if (!hasQueue(task.terms)) return "none";
  return isActive(task) ? "active" : "queued";
}

/** Whether the agent is working on the task now; false while the task waits for a person or a slot. */
export function isActive(task: Task): boolean {
  return workStartSeqOf(task) > 0;
}

/** The agent that the client requested, or null. */
export function requestedAgentIdOf(choice: AgentChoice | null): string | null {
  return choice !== null && choice.candidates.length === 0 ? choice.agentId : null;
}

export function agentFields(
  choice: AgentChoice | null,
): Pick<TaskBase, "agentId" | "agentName" | "choice"> {
  return { agentId: choice?.agentId ?? null, agentName: choice?.agentName ?? null, choice };
}
