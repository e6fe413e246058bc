import type { AgentTerms } from "../model/agent.ts";
import type { QueueEntry } from "../model/queue-entry.ts";
import type { Lease } from "../../tasks/model/lease.ts";
import type { Task } from "../../tasks/model/task.ts";
import { withRequestId } from "../../platform/request-id.ts";

/** How an agent's queue assigns tasks. */
export interface QueueTerms {
  /** The number of slots; null for unlimited. */
  readonly limit: number | null;
  /** Whether tasks wait for workers to claim them. If not, the queue starts them itself. */
  readonly isPulled: boolean;
  /** Set if the agent is paused, so that its tasks wait. In a task's own terms: set if the agent was paused. */
  readonly isPaused?: boolean;
}

export function queueTermsOf({ executor, maxConcurrentTasks }: AgentTerms): QueueTerms {
  return { limit: maxConcurrentTasks, isPulled: executor === "worker" };
}

/** A worker's request for tasks. */
export interface ClaimRequest {
  /** Identifies the claim for `cancelClaim`. */
  readonly id: string;
  /** A human-readable name chosen by the worker. */
  readonly worker: string | null;
  /**
   * The claim's key. If it expires or is revoked, the claim's leases end. Null for the root key, which never expires.
   */
  readonly keyId: string | null;
  readonly tasksMax: number;
  readonly leaseSeconds: number;
  /** How long to wait for the first task, in milliseconds. */
  readonly waitMs: number;
}

export interface ClaimedTask {
  readonly taskId: string;
  readonly task: Task;
  readonly lease: Lease;
}

/** How many tasks are waiting and how many are in slots. `limit` is null for unlimited. */
export interface QueueCounts {
  readonly waiting: number;
  readonly running: number;
  readonly limit: number | null;
  /** The agent's workers, if its tasks wait for claims; absent in a queue that runs an earlier release. */
  readonly workers?: readonly WorkerState[];
}

/** A worker as its agent's queue knows it. */
export interface WorkerState {
  /** Its name; null if it has none, or in rows from earlier releases. */
  readonly worker: string | null;
  /** The key that it claims with; null for the root key, or if the key has ended. */
  readonly keyId: string | null;
  /** The time of its last claim, in milliseconds since 1970; null if the queue was reloaded since then. */
  readonly lastSeenAt: number | null;
  /** Whether a claim is waiting for a task now. */
  readonly isWaiting: boolean;
  /** The tasks that it holds. */
  readonly taskIds: readonly string[];
}

/** Tasks that determine which task an agent's tool call is attributed to and whether the call is rejected. */
export interface CallerTasks {
  /** At most 100 tasks claimed with the caller's key or with an unrecorded key. */
  readonly claimed: readonly string[];
  /** The first page of tasks that are over budget; some entries may be outdated. */
  readonly overBudget: readonly string[];
}

/** A task that is within its budget as of log event `seq`. */
export interface OverBudgetRemoval {
  readonly taskId: string;
  readonly seq: number;
}

/**
 * An agent's queue. It only orders tasks; the source of truth is each task's own log. All calls except `claim` are
 * idempotent, so the caller can repeat one that throws. `agentId` is passed because an object may not know its name.
 */
export interface QueueRpc {
  /**
   * Adds or updates a task that waits for a slot. If the queue starts tasks itself and the task already holds a slot,
   * that slot is offered to it again. `terms` apply until `configure` is called.
   */
  enqueue(agentId: string, entry: Omit<QueueEntry, "isRunning">, terms: QueueTerms): Promise<void>;
  /**
   * Removes a task that no longer needs a slot as of log event `seq`. `isOverBudget` is true if the task stopped
   * because it used up its budget.
   */
  remove(taskId: string, seq: number, isOverBudget?: boolean): Promise<void>;
  /** Leases waiting tasks, most urgent first, or waits if there are none. Null if the agent does not allow claims. */
  claim(claim: ClaimRequest): Promise<readonly ClaimedTask[] | null>;
  /** Ends a claim whose client disconnected. The claim receives no more tasks, and its leases expire. */
  cancelClaim(claimId: string): Promise<void>;
  /** Updates the agent's settings. If `isOpen` is false, waiting tasks return to `pending`. */
  configure(agentId: string, terms: QueueTerms, isOpen: boolean): Promise<void>;
  readCounts(): Promise<QueueCounts>;
  listCallerTasks(keyId: string): Promise<CallerTasks>;
  /** Removes tasks that are no longer over budget and returns the first page of the remaining ones. */
  removeOverBudget(outdated: readonly OverBudgetRemoval[]): Promise<readonly string[]>;
}

export function queueStub(queues: Env["QUEUES"], agentId: string): QueueRpc {
  return withRequestId<QueueRpc>(queues.get(queues.idFromName(agentId)));
}
