import { DAY_MS, KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** Databases of the directory. Each list asks them all, and the platform lets six of them answer a request at a time. */
export const DIRECTORY_SHARDS_MAX = 16;

/** Browsers follow twenty; an API that needs more than five is lost. */
export const REDIRECTS_MAX = 5;

/** What another system says of its own failure, as far as it is passed on as a reason. */
export const UPSTREAM_REASON_CHARACTERS_MAX = 500;

/** JSON of another system: recursion and RPC carry this many levels with ease, and no honest API needs them. */
export const UPSTREAM_JSON_DEPTH_MAX = 100;

/** How long an object waits for D1, or for another object, where others wait behind it. */
export const STORE_TIMEOUT_MS = 5 * SECOND_MS;

/** One question to the DNS resolver. Public ones answer in tens of milliseconds; a call has 10 s for everything. */
export const RESOLVER_TIMEOUT_MS = 3 * SECOND_MS;

/** Room for hundreds of addresses, little enough for a full cache of them. */
export const RESOLVER_RESPONSE_BYTES_MAX = 16 * KIB;

/** Names change behind short lifetimes to slip past a check, and behind long ones they go stale. */
export const DNS_CACHE_MIN_MS = 30 * SECOND_MS;

export const DNS_CACHE_MAX_MS = 5 * MINUTE_MS;

/** Names of hosts that an isolate remembers at once. */
export const DNS_CACHE_ENTRIES_MAX = 1_000;

/** How long an idempotency key is kept with its answer; clients retry for minutes, batch jobs overnight. */
export const IDEMPOTENCY_RETENTION_MS = DAY_MS;

/** A request that has not ended by then never will: four times the longest that any may wait for others. */
export const IDEMPOTENCY_LOCK_MAX_MS = 2 * MINUTE_MS;

/** One row of a kept answer; the platform's rows end at 2 MB. */
export const IDEMPOTENCY_ROW_CHARACTERS_MAX = KIB * KIB;
