import { KIB, MINUTE_MS } from "./units.ts";

/** Deeper JSON has no honest use, and recursion over RPC breaks in the thousands. The body itself is depth 1. */
export const JSON_DEPTH_MAX = 32;

/** Problems of one request that are told; more would not help anybody mend the input. */
export const PROBLEMS_REPORTED_MAX = 20;

/** A field's name can be as long as the body; a problem tells its beginning. */
export const PROBLEM_PATH_CHARACTERS_MAX = 200;

/** Longer URLs are refused by proxies on the way, so nobody can rely on them. */
export const URL_BYTES_MAX = 8 * KIB;

export const ID_CHARACTERS_MAX = 128;

export const NAME_CHARACTERS_MAX = 200;

export const SEARCH_CHARACTERS_MAX = 200;

/** Deliverable types of a task, issues of a feedback, capabilities of a grant. */
export const LIST_ITEMS_MAX = 50;

export const PAGE_LIMIT_DEFAULT = 50;

export const PAGE_LIMIT_MAX = 100;

/** Further in, a cursor costs the same as the first page; an offset reads all it skips. */
export const PAGE_OFFSET_MAX = 10_000;

/** Totals are counted up to here; counting a million rows for each page would cost more than the page. */
export const TOTAL_COUNTED_MAX = 10_000;

/** A stream ends after this and its client comes back with its key, which may have been revoked. */
export const STREAM_LIFE_MS = 15 * MINUTE_MS;

/** What an import takes over of a description; models read every word of it. */
export const DESCRIPTION_CHARACTERS_MAX = 2_000;
