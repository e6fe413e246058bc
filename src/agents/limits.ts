import { KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** How often a queue checks the keys of its leases, so that leases end within 10 s of their key. */
export const LEASE_KEY_CHECK_MS = 5 * SECOND_MS;

/** Tasks are given to agents, and begun by them, by what an isolate saw of the agents this lately. */
export const AGENT_CACHE_MS = SECOND_MS;

/** Agents and teams that an isolate remembers at once. */
export const AGENT_CACHE_ENTRIES_MAX = 200;

/** Agents weighed for one task. */
export const CANDIDATES_MAX = 500;

/** Who takes a new task is decided without the loads that a further shard of the directory does not tell by then. */
export const AGENT_LOADS_TIMEOUT_MS = SECOND_MS;

/** A waiting task rises by one priority for each of these: see `levelOf`. */
export const QUEUE_AGE_LEVEL_MS = 10 * MINUTE_MS;

/** Tasks that a queue offers a place at once; the platform lets six connections wait together. */
export const OFFERS_AT_ONCE_MAX = 6;

/** Offers that one call or alarm makes; the platform counts each as a subrequest. An alarm makes the rest. */
export const OFFERS_PER_RUN_MAX = 50;

/** A task answers an offer in milliseconds; one that is out of reach must not hold up the others. */
export const OFFER_TIMEOUT_MS = 5 * SECOND_MS;

/** How long a queue leaves a task alone that did not answer; doubles each time. */
export const OFFER_BACKOFF_MIN_MS = SECOND_MS;

export const OFFER_BACKOFF_MAX_MS = MINUTE_MS;

/** Tasks that an agent may work on at once. */
export const CONCURRENT_TASKS_MAX = 10_000;

/** Tasks that one claim can take. */
export const CLAIM_TASKS_MAX = 100;

/** What a model is told beside its task, in every turn; longer ones crowd the task out. */
export const INSTRUCTIONS_CHARACTERS_MAX = 20_000;

export const MODEL_TURNS_DEFAULT = 20;

/** Extra headers for a model's endpoint; gateways need three or four. */
export const MODEL_HEADERS_MAX = 20;

/** A turn sends the whole conversation again, so that more of them cost ever more and bring ever less. */
export const MODEL_TURNS_MAX = 100;

export const MODEL_OUTPUT_TOKENS_DEFAULT = 4_096;

/** Above what any model writes in one turn today. */
export const MODEL_OUTPUT_TOKENS_MAX = 1_000_000;

/** The dearest models take a few hundred dollars for a million tokens. */
export const TOKEN_PRICE_MAX = 1_000_000;

/** A team-bound key brings the ids of all of them into every query. */
export const TEAM_AGENTS_MAX = 1_000;

/** A look at an agent shows it without its queue when that takes longer. */
export const QUEUE_READ_TIMEOUT_MS = SECOND_MS;

/** A claim takes no further tasks past this: RPC carries 32 MiB, and a Worker holds an answer several times. */
export const CLAIM_BYTES_MAX = 8 * KIB * KIB;
