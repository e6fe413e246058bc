import type { AgentTerms } from "../../agents/model/agent.ts";
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

/** Why a task waits for somebody. */
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

/** Why an attempt failed. `retryable` says whether the same work may succeed another time. */
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

/** A file that a task delivered. `size` in bytes; `key` is where its bytes lie in the store. */
export interface Deliverable {
  readonly type: string;
  readonly name: string;
  readonly format: string;
  readonly size: number;
  readonly key: string;
  readonly createdAt: number;
  /** In hex; absent where nobody has computed it. */
  readonly sha256?: string;
  /** Its bytes lie in the task's log, and none under `key`: they begin here in what its event holds. */
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

/** What an attempt hands over when it finishes or asks for review; `quality` null where nobody judged it. */
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

/** What a step has used of a language model. `cost` in US dollars. */
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

/** An attempt that failed before the present one. */
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

/** The agent picked for a task, and why. */
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

/**
 * A task as its log tells it; made by `fold` alone. Instants are milliseconds since 1970.
 * `work` is what the agent's earlier steps of this attempt left for the later ones.
 */
export interface Task {
  readonly seq: number;
  /** The last event that changed what lists show of the task: the version of its directory row. */
  readonly directoryVersion: number;
  /** Bytes of the progress events after `listedSeq`; 0 for a task that counts towards no key. */
  readonly bytesSinceDirectoryVersion: number;
  readonly status: TaskStatus;
  readonly task: string;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly choice: AgentChoice | null;
  /** What holds between the task and its agent, as of its assignment. */
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
  /** The shard of the directory that its row lies in. */
  readonly shard: number;
  readonly createdAt: number;
  readonly attempt: number;
  readonly attempts: readonly PastAttempt[];
  /** Attempts in a row that began by themselves, after a lost lease. */
  readonly automaticRetries: number;
  /** The agent that people have named for it, who alone may have it; null: whoever fits best. */
  readonly requestedAgentId: string | null;
  /** The agent that has the task, or the last one that had it. */
  readonly lastAgentId: string | null;
  /** The event that moved the task from another agent to `lastAgentId`; 0 if no other agent had it. */
  readonly assignedSinceSeq: number;
  /** How often in a row it was taken back from an agent before that began. */
  readonly releaseCount: number;
  /** Before this it is not assigned; null: at once. */
  readonly notBefore: number | null;
  readonly excludedAgentIds: readonly string[];
  /** The event that last set the agent to work, 0 when it is not at work. */
  readonly workStartSeq: number;
  /** The event that last changed what the agent's queue should know. */
  readonly queueVersion: number;
  /** The worker's last hold on this attempt; it counts only while the agent is at work. */
  readonly lease: Lease | null;
  /** When the present status was reached or work was last done: what the next step is timed from. */
  readonly lastStepAt: number;
  readonly startedAt: number | null;
  /** How long the agent worked in this attempt before `workingSince`, in milliseconds. */
  readonly workedMs: number;
  /** Since when the agent has been working; null while it is not. */
  readonly workingSince: number | null;
  /** When the task reached completed, failed or cancelled. */
  readonly endedAt: number | null;
  readonly updatedAt: number;
  readonly progress: number;
  readonly currentPhase: string | null;
  readonly work: JsonObject;
  readonly spend: TaskSpend;
  /** Tokens of language models, over all attempts. */
  readonly tokens: { readonly input: number; readonly output: number };
  /** Files handed in on the way, which the outcome will hold. */
  readonly files: readonly Deliverable[];
  /** Bytes of all its files in the file store, including files of earlier rounds and attempts. */
  readonly fileBytes: number;
  readonly blocked: TaskBlock | null;
  readonly answers: readonly BlockAnswer[];
  /** Rounds of review so far; each writes its deliverables beside, not over, the earlier ones. */
  readonly round: number;
  readonly reviewComments: readonly string[];
  readonly outcome: TaskOutcome | null;
  readonly error: TaskError | null;
  readonly cancelReason: string | null;
  readonly notes: string | null;
  readonly feedback: TaskFeedback | null;
}

/** Whether a task needs no person to continue: it waits for its agent, or the agent works on it. */
export function isAwaitingAgent(status: TaskStatus): boolean {
  return status === "pending" || status === "assigned" || status === "in_progress";
}

export function isTerminal(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
