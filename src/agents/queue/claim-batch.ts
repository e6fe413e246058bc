import type { LeaseGrant } from "../../tasks/model/lease.ts";
import { CLAIM_BYTES_MAX } from "../limits.ts";
import { CONTEXT_BYTES_MAX } from "../../tasks/limits.ts";
import { jsonSizeOf } from "../../kernel/json.ts";
import type { Task } from "../../tasks/model/task.ts";
import type { SlotOffer } from "../../tasks/task.rpc.ts";
import type { Waiter } from "./wait-queue.ts";
import { createLeaseGrant } from "./task-calls.ts";
import type { ClaimRequest, ClaimedTask } from "./queue.rpc.ts";

export type AcceptedOffer = Extract<SlotOffer, { admitted: true }>;

/** Whom places are given out for. */
export interface OfferRecipient {
  /** How many places to fill at most. */
  readonly tasksMax: number;
  /** The key of the claim; null for the root key, which never ends. */
  readonly keyId: string | null;
  createGrant(): LeaseGrant | null;
  /** Whether to offer one more place while so many tasks are being asked. */
  canTakeMore(openOffers: number): boolean;
  /** What the task that was asked as the `place`th has answered. */
  add(place: number, taskId: string, admitted: AcceptedOffer): void;
}

/** The tasks that a claim gets: no more than one answer carries, but for the first. */
export class ClaimBatch implements OfferRecipient {
  readonly tasksMax: number;
  readonly keyId: string | null;
  readonly #claim: ClaimRequest;
  readonly #waiter: Waiter;
  readonly #tasks: ClaimedTask[] = [];
  #bytes = 0;

  constructor(claim: ClaimRequest, visitor: Waiter) {
    this.tasksMax = claim.tasksMax;
    this.keyId = claim.keyId;
    this.#claim = claim;
    this.#waiter = visitor;
  }

  createGrant(): LeaseGrant {
    return createLeaseGrant(this.#claim);
  }

  canTakeMore(openOffers: number): boolean {
    const expectedBytes = openOffers * CONTEXT_BYTES_MAX;
    return !this.#waiter.isCancelled && this.#bytes + expectedBytes < CLAIM_BYTES_MAX;
  }

  /** A task that works without a lease has started by itself, and is nobody's to claim. */
  add(place: number, taskId: string, { task, lease }: AcceptedOffer): void {
    if (lease === null) return;
    this.#tasks[place] = { taskId, task, lease };
    this.#bytes += largePartsBytes(task);
  }

  /** In the order in which they were asked. */
  listTasks(): readonly ClaimedTask[] {
    // As `filter` leaves out the places of those who did not come.
    return this.#tasks.filter(() => true);
  }
}

/** The parts of a task that can be large. */
function largePartsBytes({ context, work, answers }: Task): number {
  return jsonSizeOf({ context, work, responses: answers.map(({ response }) => response) });
}
