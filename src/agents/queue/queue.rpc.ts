import type { AgentTerms } from "../model/agent.ts";
import type { QueueEntry } from "../model/queue-entry.ts";
import type { Lease } from "../../tasks/model/lease.ts";
import type { Task } from "../../tasks/model/task.ts";
import { toRpc } from "../../platform/request-id.ts";

/** How an agent's queue gives work out. */
export interface QueueTerms {
  /** Places; null: any number. */
  readonly limit: number | null;
  /** Whether tasks wait to be claimed by workers; if not, the queue starts them itself. */
  readonly isPulled: boolean;
}

/** What an agent's queue must know of its terms. */
export function queueTermsOf({ executor, maxConcurrentTasks }: AgentTerms): QueueTerms {
  return { limit: maxConcurrentTasks, isPulled: executor === "worker" };
}

/** What a worker asks for. */
export interface ClaimRequest {
  /** By which `giveUp` names it; never used twice. */
  readonly id: string;
  /** What the worker calls itself, for people to read. */
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

/** How many tasks wait, and how many hold one of the places; `limit` null: any number. */
export interface QueueCounts {
  readonly waiting: number;
  readonly running: number;
  readonly limit: number | null;
}

/** The tasks that determine which task an agent's call counts under, and whether it is rejected. */
export interface CallerTasks {
  /** At most 100 tasks that workers claimed with the caller's key or with a key that is not recorded. */
  readonly claimed: readonly string[];
  /** The first page of the tasks that their budgets stopped; some entries may be outdated. */
  readonly overBudget: readonly string[];
}

/** A task that is not stopped by its budget, as of the event `seq` of its log. */
export interface StaleBudgetStop {
  readonly taskId: string;
  readonly seq: number;
}

/**
 * What an agent's queue does, as its callers see it. The tasks' own logs are the truth; it orders them.
 * A call that throws is to be made again: what it began may be half done, and doing it twice is harmless.
 */
export interface QueueRpc {
  /**
   * A task waits for a place, or what it waits with has changed. One that holds a place already, as
   * the queue knows, is asked anew and keeps it. The terms count until `configure` tells others.
   */
  enqueue(entry: Omit<QueueEntry, "isRunning">, terms: QueueTerms): Promise<void>;
  /** A task no longer needs a place, as of the event `seq` of its log. `isOverBudget`: its budget stopped it. */
  remove(taskId: string, seq: number, isOverBudget?: boolean): Promise<void>;
  /**
   * Leases for waiting tasks, the most urgent first; waits for the first when there is none. Null: as
   * the queue was told, its agent takes no work, or none that is claimed.
   */
  claim(claim: ClaimRequest): Promise<readonly ClaimedTask[] | null>;
  /** A claim's client is gone: it gets no further task. Leases that it has already run out by themselves. */
  cancelClaim(claimId: string): Promise<void>;
  /** The agent's terms have changed, or it takes no more work: waiting tasks go back to pending. */
  configure(terms: QueueTerms, isOpen: boolean): Promise<void>;
  readCounts(): Promise<QueueCounts>;
  listCallerTasks(keyId: string): Promise<CallerTasks>;
  /** Removes tasks that are no longer stopped by their budgets, and returns the first page of the remaining ones. */
  removeBudgetStops(outdated: readonly StaleBudgetStop[]): Promise<readonly string[]>;
}

/** As the object hears it: an object cannot rely on knowing the name that it was found by. */
export type QueueObjectRpc = Pick<
  QueueRpc,
  "remove" | "claim" | "cancelClaim" | "readCounts" | "listCallerTasks" | "removeBudgetStops"
> & {
  enqueue(agentId: string, entry: Omit<QueueEntry, "isRunning">, terms: QueueTerms): Promise<void>;
  configure(agentId: string, terms: QueueTerms, isOpen: boolean): Promise<void>;
};

/** The queue of an agent. */
export function queueStub(queues: Env["QUEUES"], agentId: string): QueueRpc {
  const port = toRpc<QueueObjectRpc>(queues.get(queues.idFromName(agentId)));
  return {
    enqueue: (entry, terms) => port.enqueue(agentId, entry, terms),
    remove: (taskId, seq, isOverBudget = false) => port.remove(taskId, seq, isOverBudget),
    claim: (claim) => port.claim(claim),
    cancelClaim: (claimId) => port.cancelClaim(claimId),
    configure: (terms, isOpen) => port.configure(agentId, terms, isOpen),
    readCounts: () => port.readCounts(),
    listCallerTasks: (keyId) => port.listCallerTasks(keyId),
    removeBudgetStops: (outdated) => port.removeBudgetStops(outdated),
  };
}
