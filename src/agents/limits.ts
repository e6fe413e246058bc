import { KEY_LAST_USED_INTERVAL_MS } from "../keys/limits.ts";
import { KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/**
 * How often a queue checks the keys of its leases. A lease normally ends within 10 s after its key expires or is
 * revoked.
 */
export const LEASE_KEY_CHECK_MS = 5 * SECOND_MS;

/** How long an isolate caches agents for assigning and starting tasks. */
export const AGENT_CACHE_MS = SECOND_MS;

/** The maximum number of entries in each of an isolate's agent caches. */
export const AGENT_CACHE_ENTRIES_MAX = 200;

/**
 * How often the queue of a paused agent checks whether the agent is still paused. Normally, the request that resumes the
 * agent tells the queue.
 */
export const PAUSE_CHECK_MS = MINUTE_MS;

/** The maximum number of queues that a request to pause or resume all agents updates. Each update is a subrequest. */
export const PAUSED_QUEUES_MAX = 400;

/** The maximum of each limit of the no-progress breaker. */
export const FAILED_ATTEMPTS_LIMIT_MAX = 100;
export const CALLS_LIMIT_MAX = 1_000_000;
export const COST_LIMIT_MAX = 1_000_000;

/** The number of an agent's latest tasks among which the no-progress breaker searches for a success. */
export const SUCCESSES_SEARCHED_MAX = 200;

/** The maximum number of candidates for one task. */
export const CANDIDATES_MAX = 500;

/** How long an assignment waits for agent loads from another directory shard. */
export const AGENT_LOADS_TIMEOUT_MS = SECOND_MS;

/** A waiting task's urgency increases by one after each interval of this length (see `urgencyOf`). */
export const QUEUE_AGE_LEVEL_MS = 10 * MINUTE_MS;

/**
 * Maximum concurrent calls to tasks in one run. Cloudflare allows six connections to wait for a response at the same
 * time.
 */
export const OFFERS_AT_ONCE_MAX = 6;

/**
 * Maximum tasks that one run starts, releases, or asks to end a lease. Each call to a task is a subrequest. The next
 * alarm handles the rest.
 */
export const OFFERS_PER_RUN_MAX = 50;

/** Tasks normally respond to an offer within milliseconds. A slow task must not hold up the others. */
export const OFFER_TIMEOUT_MS = 5 * SECOND_MS;

/** The backoff after a task first fails to respond. Each further failure doubles it. */
export const OFFER_BACKOFF_MIN_MS = SECOND_MS;

export const OFFER_BACKOFF_MAX_MS = MINUTE_MS;

/** The highest value allowed for an agent's `maxConcurrentTasks`. */
export const CONCURRENT_TASKS_MAX = 10_000;

/** The maximum number of tasks in one claim. */
export const CLAIM_TASKS_MAX = 100;

/** Maximum length of a model's instructions. Every turn sends them, so longer ones would crowd out the task. */
export const INSTRUCTIONS_CHARACTERS_MAX = 20_000;

export const MODEL_TURNS_DEFAULT = 20;

/** The maximum number of extra headers for a model's endpoint; gateways typically need three or four. */
export const MODEL_HEADERS_MAX = 20;

/** Each turn resends the entire conversation, so each turn costs more than the one before. */
export const MODEL_TURNS_MAX = 100;

export const MODEL_OUTPUT_TOKENS_DEFAULT = 4_096;

/** More than any current model can produce in one turn. */
export const MODEL_OUTPUT_TOKENS_MAX = 1_000_000;

/** The most expensive models cost a few hundred dollars per million tokens. */
export const TOKEN_PRICE_MAX = 1_000_000;

/** The maximum price of an agent, per task or per minute. Higher prices are probably mistakes. */
export const AGENT_PRICE_MAX = 1_000_000;

/** Maximum number of agents in a team. Queries for a key bound to the team include the ids of all members. */
export const TEAM_AGENTS_MAX = 1_000;

/** If reading an agent's queue takes longer than this, the response omits the queue. */
export const QUEUE_READ_TIMEOUT_MS = SECOND_MS;

/** If D1 does not say within this time whether a waiting task's agent is still paused, the pause is not shown. */
export const PAUSE_READ_TIMEOUT_MS = SECOND_MS;

/**
 * Maximum total size of the tasks in one claim. RPC carries up to 32 MiB, and a Worker holds several copies of a
 * response.
 */
export const CLAIM_BYTES_MAX = 8 * KIB * KIB;

/**
 * A worker agent is online if it was seen within this time. A key's use is recorded at most every ten minutes, so a
 * shorter time would show agents as offline that are not.
 */
export const WORKER_ONLINE_MS = KEY_LAST_USED_INTERVAL_MS + MINUTE_MS;

/** The maximum number of workers that a queue remembers, unless they are waiting for tasks. */
export const WORKERS_REMEMBERED_MAX = 1_000;

/** The maximum number of workers that an agent shows, and of tasks that each worker shows. */
export const WORKERS_SHOWN_MAX = 100;
