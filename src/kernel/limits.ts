import { KIB, MINUTE_MS } from "./units.ts";

/** Deeper JSON has no real use, and RPC fails at thousands of levels. The body itself is level 1. */
export const JSON_DEPTH_MAX = 32;

/** Problems reported per request; more would not help. */
export const PROBLEMS_REPORTED_MAX = 20;

/** A field's name can be as long as the body; a problem shows its beginning. */
export const PROBLEM_PATH_CHARACTERS_MAX = 200;

/** Proxies reject longer URLs. */
export const URL_BYTES_MAX = 8 * KIB;

export const ID_CHARACTERS_MAX = 128;

export const NAME_CHARACTERS_MAX = 200;

export const SEARCH_CHARACTERS_MAX = 200;

/** Deliverable types of a task, issues of a feedback, capabilities of a grant. */
export const LIST_ITEMS_MAX = 50;

export const PAGE_LIMIT_DEFAULT = 50;

export const PAGE_LIMIT_MAX = 100;

/** A query with an offset reads every row that it skips. Later pages need a cursor. */
export const PAGE_OFFSET_MAX = 10_000;

/** Totals are counted up to this; counting a million rows would cost more than the page. */
export const TOTAL_COUNTED_MAX = 10_000;

/** The total of a list, of which up to one more than TOTAL_COUNTED_MAX were counted. */
export function toListTotal(counted: number): { total: number; totalExact: boolean } {
  return {
    total: Math.min(counted, TOTAL_COUNTED_MAX),
    totalExact: counted <= TOTAL_COUNTED_MAX,
  };
}

/** A stream ends after this, and its client reconnects with its key, which may have been revoked. */
export const STREAM_LIFE_MS = 15 * MINUTE_MS;

/** The part of a description that an import keeps; language models read all of it. */
export const DESCRIPTION_CHARACTERS_MAX = 2_000;
