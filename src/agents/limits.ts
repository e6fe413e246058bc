import { KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** How often a queue checks the keys of its leases, so that leases end within 10 s of their key. */
export const LEASE_KEY_CHECK_MS = 5 * SECOND_MS;

/** How long an isolate caches agents for assignments and starts of tasks. */
export const AGENT_CACHE_MS = SECOND_MS;

/** Agents and teams in the cache of an isolate. */
export const AGENT_CACHE_ENTRIES_MAX = 200;

/** Candidates for one task. */
export const CANDIDATES_MAX = 500;

/** How long an assignment waits for the agent loads of another directory shard. */
export const AGENT_LOADS_TIMEOUT_MS = SECOND_MS;

/** After each interval of this length, the urgency of a waiting task increases by one: see `urgencyOf`. */
export const QUEUE_AGE_LEVEL_MS = 10 * MINUTE_MS;

/** Concurrent offers of a queue; the platform allows six waiting connections. */
export const OFFERS_AT_ONCE_MAX = 6;

/** Offers of one call or alarm; each is a subrequest. The next alarm makes the rest. */
export const OFFERS_PER_RUN_MAX = 50;

/** A task normally responds to an offer within milliseconds. One that does not must not delay others. */
export const OFFER_TIMEOUT_MS = 5 * SECOND_MS;

/** The first backoff after a task did not answer; it doubles each time. */
export const OFFER_BACKOFF_MIN_MS = SECOND_MS;

export const OFFER_BACKOFF_MAX_MS = MINUTE_MS;

/** The highest value of an agent's `maxConcurrentTasks`. */
export const CONCURRENT_TASKS_MAX = 10_000;

/** Tasks of one claim. */
export const CLAIM_TASKS_MAX = 100;

/** The length of a model's instructions. Each turn sends them, and longer ones would crowd out the task. */
export const INSTRUCTIONS_CHARACTERS_MAX = 20_000;

export const MODEL_TURNS_DEFAULT = 20;

/** Extra headers for a model's endpoint; gateways need three or four. */
export const MODEL_HEADERS_MAX = 20;

/** Each turn sends the whole conversation again, so further turns cost more and help less. */
export const MODEL_TURNS_MAX = 100;

export const MODEL_OUTPUT_TOKENS_DEFAULT = 4_096;

/** More than any current model writes in one turn. */
export const MODEL_OUTPUT_TOKENS_MAX = 1_000_000;

/** The most expensive models cost a few hundred dollars per million tokens. */
export const TOKEN_PRICE_MAX = 1_000_000;

/** The members of a team. Each query with a key bound to the team contains all their ids. */
export const TEAM_AGENTS_MAX = 1_000;

/** A response about an agent omits its queue if reading it takes longer. */
export const QUEUE_READ_TIMEOUT_MS = SECOND_MS;

/** The total size of the tasks of one claim: RPC carries 32 MiB, and a Worker has several copies of a response. */
export const CLAIM_BYTES_MAX = 8 * KIB * KIB;
