import type { Priority, TaskStatus } from "./task.ts";
import { toListTotal } from "../../kernel/limits.ts";

export interface ListPosition {
  readonly createdAt: number;
  readonly id: string;
}

/** The orders of a task list. A list without one is newest first. */
export const TITLE_SORTS = ["title", "-title"] as const;
/** `title`: by title, A to Z. `-title`: Z to A. */
export type TitleSort = (typeof TITLE_SORTS)[number];

/** A position in a task list. `titleKey`: the key that a list in the order of titles sorts by; absent in other lists. */
export interface SortedPosition extends ListPosition {
  readonly titleKey?: string;
}

/**
 * A task in the directory. `seq` is that of the last event that the row reflects. Times are in milliseconds since 1970.
 */
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
  /**
   * The id of the key whose limits the task counts towards; null for the root key's tasks and for tasks from earlier
   * releases.
   */
  readonly keyId: string | null;
  /** The bytes that the task's object and files occupy; 0 if the task does not count towards a key's limits. */
  readonly storedBytes: number;
  /** The context id that an A2A client chose. */
  readonly contextId: string | null;
  /** The task's ListedDetails as JSON; null in rows from earlier releases. */
  readonly details: string | null;
  readonly title: string | null;
  /** The labels as JSON; null if there are none. */
  readonly labels: string | null;
  readonly externalId: string | null;
}

/** A row to write. `written`: the currently stored row; null if unknown. */
export interface DirectoryWrite {
  readonly row: DirectoryRow;
  readonly written: DirectoryRow | null;
}

export interface DirectoryFilter {
  /** Any of these. Not empty. */
  readonly status: readonly TaskStatus[] | undefined;
  readonly agentId: string | undefined;
  readonly teamId: string | undefined;
  readonly priority: Priority | undefined;
  readonly createdFrom: number | undefined;
  readonly createdTo: number | undefined;
  readonly contextId?: string | undefined;
  readonly externalId?: string | undefined;
  /** Part of the title or, if there is none, of the task's text. A to Z match a to z. */
  readonly search?: string | undefined;
  /** All of these, as pairs of key and value. */
  readonly labels?: readonly (readonly [key: string, value: string])[] | undefined;
}

/** A page of `limit` rows. `offset` counts from the row `after` or, if it is null, from the start of the list. */
export interface DirectoryPage {
  readonly limit: number;
  readonly offset: number;
  readonly after: SortedPosition | null;
  /** Absent: newest first. */
  readonly sort?: TitleSort | undefined;
}

/** The number of matching tasks, counted up to TOTAL_COUNTED_MAX. */
export interface ListTotal {
  readonly total: number;
  readonly totalExact: boolean;
}

/** Adds the totals of lists that have no tasks in common. */
export function addListTotals(totals: readonly ListTotal[]): ListTotal {
  const sum = totals.reduce((all, { total }) => all + total, 0);
  const { total, totalExact } = toListTotal(sum);
  return { total, totalExact: totalExact && totals.every((one) => one.totalExact) };
}

/**
 * Compares two positions for sorting newest first. Tasks created in the same millisecond are sorted by descending id.
 */
export function compareNewestFirst(one: ListPosition, other: ListPosition): number {
  if (one.createdAt !== other.createdAt) return other.createdAt - one.createdAt;
  if (one.id === other.id) return 0;
  return one.id < other.id ? 1 : -1;
}

/** Compares two positions in a list. Tasks with the same title are sorted newest first. */
function comparePositions(
  one: SortedPosition,
  other: SortedPosition,
  sort: TitleSort | undefined,
): number {
  if (sort === undefined) return compareNewestFirst(one, other);
  const byTitle = compareCodePoints(one.titleKey ?? "", other.titleKey ?? "");
  if (byTitle === 0) return compareNewestFirst(one, other);
  return sort === "title" ? byTitle : -byTitle;
}

/** Merges lists that have this order, and returns the first `count` rows. */
export function mergeRows<Row extends SortedPosition>(
  lists: readonly (readonly Row[])[],
  count: number,
  sort?: TitleSort,
): Row[] {
  // Sorting the concatenated lists takes hardly more comparisons than merging them.
  return lists
    .flat()
    .toSorted((one, other) => comparePositions(one, other, sort))
    .slice(0, count);
}

/** Compares strings by code point, as SQLite does. JavaScript compares UTF-16 code units. */
function compareCodePoints(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  for (let at = 0; at < end; at += 1) {
    const difference = rankOf(one.charCodeAt(at)) - rankOf(other.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** Ranks surrogates, which are the halves of the highest code points, above all other code units. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10_000 : unit;
}
