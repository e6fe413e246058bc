import type { LeaseGrant } from "../../tasks/model/lease.ts";
import { CLAIM_BYTES_MAX } from "../limits.ts";
import { CONTEXT_BYTES_MAX } from "../../tasks/limits.ts";
import { jsonSizeOf } from "../../kernel/json.ts";
import type { Task } from "../../tasks/model/task.ts";
import type { AdmissionResult } from "../../tasks/task.rpc.ts";
import type { Waiter } from "./wait-queue.ts";
import type { ClaimRequest, ClaimedTask } from "./queue.rpc.ts";

export type AcceptedOffer = Extract<AdmissionResult, { admitted: true }>;

export interface OfferRecipient {
  /** The maximum number of slots to fill. */
  readonly tasksMax: number;
  /** The claim's key; null for the root key, which never expires, and if there is no claim. */
  readonly keyId: string | null;
  /** The name of the claim's worker; null if the worker has no name or there is no claim. */
  readonly worker: string | null;
  createGrant(): LeaseGrant | null;
  /** Whether to offer another slot while `openOffers` offers are open. */
  canTakeMore(openOffers: number): boolean;
  /** Adds an admitted task; `position` is the index of its offer. */
  add(position: number, taskId: string, admitted: AcceptedOffer): void;
}

/** Collects the tasks of a claim: the first one, then more as long as they fit into one response. */
export class ClaimBatch implements OfferRecipient {
  readonly tasksMax: number;
  readonly keyId: string | null;
  readonly worker: string | null;
  readonly #claim: ClaimRequest;
  readonly #waiter: Waiter;
  readonly #tasks: ClaimedTask[] = [];
  #bytes = 0;

  constructor(claim: ClaimRequest, waiter: Waiter) {
    this.tasksMax = claim.tasksMax;
    this.keyId = claim.keyId;
    this.worker = claim.worker;
    this.#claim = claim;
    this.#waiter = waiter;
  }

  /** Creates a lease grant, whose token cannot be guessed. */
  createGrant(): LeaseGrant {
    const { worker, keyId, leaseSeconds } = this.#claim;
    const grant = { token: `lse_${crypto.randomUUID()}`, worker, seconds: leaseSeconds };
    return keyId === null ? grant : { ...grant, keyId };
  }

  canTakeMore(openOffers: number): boolean {
    const expectedBytes = openOffers * CONTEXT_BYTES_MAX;
    return !this.#waiter.isCancelled && this.#bytes + expectedBytes < CLAIM_BYTES_MAX;
  }

  /** A task that was admitted without a lease runs on its own and cannot be claimed. */
  add(position: number, taskId: string, { task, lease }: AcceptedOffer): void {
    if (lease === null) return;
    this.#tasks[position] = { taskId, task, lease };
    this.#bytes += largePartsBytes(task);
  }

  /** The tasks in the order of their offers. */
  listTasks(): readonly ClaimedTask[] {
    // `filter` skips empty array elements.
    return this.#tasks.filter(() => true);
  }
}

/** The size of the parts of a task that can be large. */
function largePartsBytes({ context, work, answers }: Task): number {
  return jsonSizeOf({ context, work, responses: answers.map(({ response }) => response) });
}
