import type { Priority, TaskStatus } from "./task.ts";
import { toListTotal } from "../../kernel/limits.ts";

export interface ListPosition {
  readonly createdAt: number;
  readonly id: string;
}

/** A task in the directory. `seq` is its newest event that is written. Instants in milliseconds since 1970. */
export interface DirectoryRow extends ListPosition {
  readonly seq: number;
  readonly status: TaskStatus;
  readonly task: string;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly teamId: string | null;
  readonly priority: Priority;
  readonly deadline: number | null;
  readonly attempt: number;
  readonly rating: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The key whose limits the task counts towards; null for the root key and tasks from earlier releases. */
  readonly keyId: string | null;
  /** Bytes that the task stores in its object and in files; 0 if it counts towards no key. */
  readonly storedBytes: number;
  /** The context that an A2A client chose. */
  readonly contextId: string | null;
}

/** A row to write. `written` is the stored row, or null if it is unknown. */
export interface DirectoryWrite {
  readonly row: DirectoryRow;
  readonly written: DirectoryRow | null;
}

export interface DirectoryFilter {
  readonly status: TaskStatus | undefined;
  readonly agentId: string | undefined;
  readonly teamId: string | undefined;
  readonly priority: Priority | undefined;
  readonly createdFrom: number | undefined;
  readonly createdTo: number | undefined;
  readonly contextId?: string | undefined;
}

/** A page of `limit` rows, `offset` rows after the start of the list or after the row `after`. */
export interface DirectoryPage {
  readonly limit: number;
  readonly offset: number;
  readonly after: ListPosition | null;
}

/** How many tasks there are, counted up to TOTAL_COUNTED_MAX. */
export interface ListTotal {
  readonly total: number;
  readonly totalExact: boolean;
}

/** The total of several lists without common tasks. */
export function addListTotals(totals: readonly ListTotal[]): ListTotal {
  const sum = totals.reduce((all, { total }) => all + total, 0);
  const { total, totalExact } = toListTotal(sum);
  return { total, totalExact: totalExact && totals.every((one) => one.totalExact) };
}

/** Newest first; tasks of the same millisecond by descending id. */
export function compareNewestFirst(one: ListPosition, other: ListPosition): number {
  if (one.createdAt !== other.createdAt) return other.createdAt - one.createdAt;
  if (one.id === other.id) return 0;
  return one.id < other.id ? 1 : -1;
}

/** The first `count` rows of several lists, each sorted newest first. */
export function mergeNewest<Row extends ListPosition>(
  lists: readonly (readonly Row[])[],
  count: number,
): Row[] {
  // Sorting sorted lists takes hardly more comparisons than merging them.
  return lists.flat().toSorted(compareNewestFirst).slice(0, count);
}
