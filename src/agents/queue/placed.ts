import type { QueueEntry } from "../../domain/queue.ts";
import type { QueueTerms } from "./port.ts";

/** A task in the queue, with the queue's generation in which it entered. */
export interface Placed extends QueueEntry {
  readonly generation: number;
  /** The key it was last claimed with; null while it waits, and for the root key, which never ends. */
  readonly keyId: string | null;
}

/** What a queue keeps beside its entries. */
export interface QueueRecord {
  readonly agentId: string;
  readonly terms: QueueTerms;
  /** Whether the agent takes work. */
  readonly isOpen: boolean;
  /** Rises whenever those who wait are to go back, so that it holds of them even after a crash. */
  readonly generation: number;
}

/** Where a queue lies while its object is out of memory. Each `put` and `remove` is a row written. */
export interface QueueStore {
  entries(): Iterable<Placed>;
  put(entry: Placed): void;
  remove(taskId: string): void;
  record(): QueueRecord | null;
  keep(record: QueueRecord): void;
}

/**
 * What a task answered to an offer; `lost` where no answer came. `seq` is the task's last event, so
 * that what it said before and after the offer can be told apart.
 */
export type OfferAnswer =
  | { readonly kind: "admitted"; readonly seq: number; readonly keyId: string | null }
  | { readonly kind: "refused"; readonly isWorking: boolean }
  | { readonly kind: "lost" };
