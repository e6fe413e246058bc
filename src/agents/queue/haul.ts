import type { LeaseGrant } from "../../domain/lease.ts";
import { CLAIM_BYTES_MAX, CONTEXT_BYTES_MAX } from "../../domain/limits.ts";
import { jsonBytes } from "../../domain/size.ts";
import type { Task } from "../../domain/task.ts";
import type { Admission } from "../../tasks/port.ts";
import type { Visitor } from "./line.ts";
import { grantOf } from "./offer.ts";
import type { Claim, ClaimedTask } from "./port.ts";

export type Admitted = Extract<Admission, { admitted: true }>;

/** Whom places are given out for. */
export interface Taker {
  /** How many places to fill at most. */
  readonly wanted: number;
  /** The key of the claim; null for the root key, which never ends. */
  readonly keyId: string | null;
  grant(): LeaseGrant | null;
  /** Whether to offer one more place while so many tasks are being asked. */
  takesMore(asking: number): boolean;
  /** What the task that was asked as the `place`th has answered. */
  take(place: number, taskId: string, admitted: Admitted): void;
}

/** The tasks that a claim gets: no more than one answer carries, but for the first. */
export class Haul implements Taker {
  readonly wanted: number;
  readonly keyId: string | null;
  readonly #claim: Claim;
  readonly #visitor: Visitor;
  readonly #tasks: ClaimedTask[] = [];
  #bytes = 0;

  constructor(claim: Claim, visitor: Visitor) {
    this.wanted = claim.tasksMax;
    this.keyId = claim.keyId;
    this.#claim = claim;
    this.#visitor = visitor;
  }

  grant(): LeaseGrant {
    return grantOf(this.#claim);
  }

  takesMore(asking: number): boolean {
    const bytesAwaited = asking * CONTEXT_BYTES_MAX;
    return !this.#visitor.hasGivenUp && this.#bytes + bytesAwaited < CLAIM_BYTES_MAX;
  }

  /** A task that works without a lease has started by itself, and is nobody's to claim. */
  take(place: number, taskId: string, { task, lease }: Admitted): void {
    if (lease === null) return;
    this.#tasks[place] = { taskId, task, lease };
    this.#bytes += bytesOf(task);
  }

  /** In the order in which they were asked. */
  tasks(): readonly ClaimedTask[] {
    // As `filter` leaves out the places of those who did not come.
    return this.#tasks.filter(() => true);
  }
}

/** The parts of a task that can be large. */
function bytesOf({ context, work, answers }: Task): number {
  return jsonBytes({ context, work, responses: answers.map(({ response }) => response) });
}
