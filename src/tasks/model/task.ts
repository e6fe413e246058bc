import { type AgentTerms, hasQueue } from "../../agents/model/agent.ts";
import type { JsonObject } from "../../kernel/json.ts";
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

/** What a blocked task waits for. */
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

/** Why an attempt failed. `retryable`: the same work may succeed later. */
export interface TaskError {
  readonly code: TaskErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: JsonObject;
}

/** Limits of a task: US dollars, tool calls, and seconds of working time per attempt. */
export interface TaskBudget extends JsonObject {
  maxCost?: number;
  maxToolCalls?: number;
  maxDurationSeconds?: number;
}

/** A file that a task delivered. `size` in bytes; `key` is its key in the file store. */
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

/** Each 0 to 100. */
export interface QualityScores {
  readonly score: number;
  readonly accuracy: number;
  readonly completeness: number;
  readonly clarity: number;
}

/** The work that an attempt submits. `quality` is null if it was not assessed. */
export interface TaskOutcome {
  readonly result: TaskResult;
  readonly quality: QualityScores | null;
  readonly deliverables: readonly Deliverable[];
}

/** One call of a tool by the task's agent. `cost` in US dollars. */
export interface ToolCall {
  readonly toolId: string;
  readonly capability: string;
  readonly cost: number;
  readonly durationMs: number;
  readonly ok: boolean;
  readonly problem?: string;
}

/** The language model usage of a step. `cost` is in US dollars. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
}

export interface TaskSpend {
  readonly cost: number;
  readonly toolCalls: number;
}

export interface TaskFeedback {
  readonly rating: number;
  readonly feedback?: string;
  readonly issues?: readonly string[];
}

/** An earlier attempt, which failed. */
export interface PastAttempt {
  readonly attempt: number;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly error: TaskError;
  readonly startedAt: number | null;
  readonly failedAt: number;
}

export interface TaskBlock {
  readonly kind: BlockKind;
  readonly question: string;
  readonly since: number;
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

/** The fields of a task in every status. Only `fold` creates tasks. Instants are milliseconds since 1970. */
export interface TaskBase {
  /** The sequence number of the newest event. */
  readonly seq: number;
  /** The last event that changed what lists show: the version of the directory row. */
  readonly directoryVersion: number;
  /** Bytes of the progress events after `directoryVersion`; 0 for a task that counts towards no key. */
  readonly bytesSinceDirectoryVersion: number;
  /** The last event that changed what the agent's queue stores. */
  readonly queueVersion: number;
  readonly task: string;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly choice: AgentChoice | null;
  /** The terms of the agent, as of the assignment. */
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
  /** The shard of the directory that contains the task's row. */
  readonly shard: number;
  /** The context that an A2A client chose. */
  readonly contextId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly attempt: number;
  readonly attempts: readonly PastAttempt[];
  /** Consecutive attempts that started automatically after a lost lease. */
  readonly automaticRetries: number;
  /** The agent that a client requested by id, the only one that may get the task; null: any agent. */
  readonly requestedAgentId: string | null;
  /** The agent that has the task, or the last one that had it. */
  readonly lastAgentId: string | null;
  /** The event that moved the task from another agent to `lastAgentId`; 0 if no other agent had it. */
  readonly assignedSinceSeq: number;
  /** How often in a row the task was taken back from an agent that had not started it. */
  readonly releaseCount: number;
  /** The attempt is not assigned before this instant; null: immediately. */
  readonly notBefore: number | null;
  readonly excludedAgentIds: readonly string[];
  /** The last lease of the attempt. Valid only while the agent works; a repeated report is matched to it later. */
  readonly lease: Lease | null;
  /** When the task reached its status or did its last step: the next step is scheduled from here. */
  readonly lastStepAt: number;
  readonly startedAt: number | null;
  /** Working time of the attempt, without the time since `workingSince`. */
  readonly workedMs: number;
  readonly progress: number;
  readonly currentPhase: string | null;
  /** Data that earlier steps of the attempt saved for later ones. */
  readonly work: JsonObject;
  readonly spend: TaskSpend;
  /** Tokens of language models, in all attempts. */
  readonly tokens: { readonly input: number; readonly output: number };
  /** Files that the attempt has added so far, for its outcome. */
  readonly files: readonly Deliverable[];
  /** Bytes of all files in the file store, including files of earlier rounds and attempts. */
  readonly fileBytes: number;
  readonly answers: readonly BlockAnswer[];
  /** Rounds of review so far; each stores its deliverables under separate keys. */
  readonly round: number;
  readonly reviewComments: readonly string[];
  readonly notes: string | null;
}

/** The fields that a task has only in one status. */
interface StatusFields {
  readonly pending: unknown;
  /** The task has an agent that has not started. */
  readonly assigned: unknown;
  readonly in_progress: {
    /** The event that last started the agent's work; 0 while the task waits for a slot. */
    readonly workStartSeq: number;
    /** Since when the agent has been working; null while the task waits for a slot. */
    readonly workingSince: number | null;
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

/** Whether people have answered this question of the task. */
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

/** The event that last started the agent's work; 0 while the agent does not work. */
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

/** The task's place in its agent's queue: it has a slot, waits for one, or is not in the queue. */
export type TaskSlot = "queued" | "active" | "none";

export function slotOf(task: Task): TaskSlot {
  if (task.status !== "assigned" && task.status !== "in_progress") return "none";
  if (!hasQueue(task.terms)) return "none";
  return isActive(task) ? "active" : "queued";
}

/** Whether the agent works on the task now: it does not while it waits for a person or a slot. */
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
