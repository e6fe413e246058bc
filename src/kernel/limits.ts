import { KIB, MINUTE_MS } from "./units.ts";

/**
 * The maximum nesting depth; the body itself is level 1. Deeper JSON has no practical use, and RPC fails at thousands
 * of levels.
 */
export const JSON_DEPTH_MAX = 32;

/** The maximum number of problems in a response. More would not help the client. */
export const PROBLEMS_REPORTED_MAX = 20;

/** A field name can be almost as long as the body, so a problem shows only the beginning of its path. */
export const PROBLEM_PATH_CHARACTERS_MAX = 200;

/** Many proxies reject longer URLs. */
export const URL_BYTES_MAX = 8 * KIB;

export const ID_CHARACTERS_MAX = 128;

export const NAME_CHARACTERS_MAX = 200;

export const SEARCH_CHARACTERS_MAX = 200;

/** The maximum length of several lists, such as a task's files, an agent's skills and a grant's capabilities. */
export const LIST_ITEMS_MAX = 50;

export const PAGE_LIMIT_DEFAULT = 50;

export const PAGE_LIMIT_MAX = 100;

/** A query with an offset reads every row that it skips. Tasks beyond this offset can be listed only with a cursor. */
export const PAGE_OFFSET_MAX = 10_000;

/** Totals are counted only up to this number, because counting a million rows would cost more than reading the page. */
export const TOTAL_COUNTED_MAX = 10_000;

/** The total of a list. Counting stops at TOTAL_COUNTED_MAX + 1; such a count means that the total is not exact. */
export function toListTotal(counted: number): { total: number; totalExact: boolean } {
  return {
    total: Math.min(counted, TOTAL_COUNTED_MAX),
    totalExact: counted <= TOTAL_COUNTED_MAX,
  };
}

/** The maximum duration of a stream. Its client then reconnects, which checks the key again. */
export const STREAM_LIFE_MS = 15 * MINUTE_MS;

/** The maximum length of a description. Language models read all of it. */
export const DESCRIPTION_CHARACTERS_MAX = 2_000;
