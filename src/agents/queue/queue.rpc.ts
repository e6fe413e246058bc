import type { AgentTerms } from "../model/agent.ts";
import type { QueueEntry } from "../model/queue-entry.ts";
import type { Lease } from "../../tasks/model/lease.ts";
import type { Task } from "../../tasks/model/task.ts";
import { withRequestId } from "../../platform/request-id.ts";

/** How an agent's queue assigns tasks. */
export interface QueueTerms {
  /** The number of slots; null for any number. */
  readonly limit: number | null;
  /** Whether tasks wait to be claimed by workers; if not, the queue starts them itself. */
  readonly isPulled: boolean;
}

export function queueTermsOf({ executor, maxConcurrentTasks }: AgentTerms): QueueTerms {
  return { limit: maxConcurrentTasks, isPulled: executor === "worker" };
}

/** A worker's request for tasks. */
export interface ClaimRequest {
  /** Identifies the claim for `cancelClaim`. */
  readonly id: string;
  /** The worker's own name, for people to read. */
  readonly worker: string | null;
  /** The key of the claim; its leases end with it. Null for the root key, which never ends. */
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

/** The number of waiting tasks and of tasks in slots; `limit` is null for any number. */
export interface QueueCounts {
  readonly waiting: number;
  readonly running: number;
  readonly limit: number | null;
}

/** The tasks that determine which task an agent's call counts under, and whether it is rejected. */
export interface CallerTasks {
  /** At most 100 tasks that workers claimed with the caller's key or with a key that is not recorded. */
  readonly claimed: readonly string[];
  /** The first page of the tasks that are over their budgets; some entries may be outdated. */
  readonly overBudget: readonly string[];
}

/** A task that is not over its budget, as of the event `seq` of its log. */
export interface OverBudgetRemoval {
  readonly taskId: string;
  readonly seq: number;
}

/**
 * An agent's queue. The tasks' own logs are the source of truth; the queue orders the tasks. All calls are
 * idempotent, so the caller repeats a call that throws. An object may not know its name, so `agentId` is passed.
 */
export interface QueueRpc {
  /** The task waits for a slot, or its entry changed; a held slot is offered again. `terms` apply until `configure`. */
  enqueue(agentId: string, entry: Omit<QueueEntry, "isRunning">, terms: QueueTerms): Promise<void>;
  /** A task no longer needs a slot, as of the event `seq` of its log. `isOverBudget`: its budget stopped it. */
  remove(taskId: string, seq: number, isOverBudget?: boolean): Promise<void>;
  /** Leases waiting tasks, most urgent first; waits if there are none. Null if the agent allows no claims. */
  claim(claim: ClaimRequest): Promise<readonly ClaimedTask[] | null>;
  /** The client of a claim disconnected: the claim gets no further task. Its leases expire. */
  cancelClaim(claimId: string): Promise<void>;
  /** Sets the terms of the agent. If it takes no more work, waiting tasks become pending. */
  configure(agentId: string, terms: QueueTerms, isOpen: boolean): Promise<void>;
  readCounts(): Promise<QueueCounts>;
  listCallerTasks(keyId: string): Promise<CallerTasks>;
  /** Removes tasks that are no longer over their budgets, and returns the first page of the remaining ones. */
  removeOverBudget(outdated: readonly OverBudgetRemoval[]): Promise<readonly string[]>;
}

export function queueStub(queues: Env["QUEUES"], agentId: string): QueueRpc {
  return withRequestId<QueueRpc>(queues.get(queues.idFromName(agentId)));
}
