/** Every limit of the service, each with its unit in the name and its reason beside it. */

const KIB = 1024;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The largest request body. A task's context lives in one SQLite row, which holds at most 2 MB. */
export const BODY_BYTES_MAX = KIB * KIB;
/** How much of a body that is too large is read and thrown away before the answer. */
export const BODY_DRAINED_BYTES_MAX = 8 * BODY_BYTES_MAX;
/** A budget is a few numbers; what else clients keep in it must not crowd the task's row. */
export const BUDGET_BYTES_MAX = 64 * KIB;
/** A task's context, or an answer to it, as it is stored, which PATCH, retry and numbers written out (1e20) can make larger. */
export const CONTEXT_BYTES_MAX = BODY_BYTES_MAX;
/** Deeper JSON has no honest use, and recursion over RPC breaks in the thousands. The body itself is depth 1. */
export const BODY_DEPTH_MAX = 32;
/** Problems of one request that are told; more would not help anybody mend the input. */
export const PROBLEMS_TOLD_MAX = 20;
/** A field's name can be as long as the body; a problem tells its beginning. */
export const PROBLEM_PATH_CHARACTERS_MAX = 200;
/** Longer URLs are refused by proxies on the way, so nobody can rely on them. */
export const URL_BYTES_MAX = 8 * KIB;

export const ID_CHARACTERS_MAX = 128;
export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255;
export const NAME_CHARACTERS_MAX = 200;
export const SEARCH_CHARACTERS_MAX = 200;
export const TASK_CHARACTERS_MAX = 4_000;
export const NOTES_CHARACTERS_MAX = 10_000;
/** Reasons, comments and written feedback. */
export const REMARK_CHARACTERS_MAX = 5_000;
/** Deliverable types of a task, issues of a feedback, capabilities of a grant. */
export const LIST_ITEMS_MAX = 50;

/** A page of a log ends early past this, far below the 32 MiB that an RPC carries. */
export const EVENTS_PAGE_CHARACTERS_MAX = 4 * KIB * KIB;

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 100;
/** Further in, a cursor costs the same as the first page; an offset reads all it skips. */
export const PAGE_OFFSET_MAX = 10_000;
/** Totals are counted up to here; counting a million rows for each page would cost more than the page. */
export const TOTAL_COUNTED_MAX = 10_000;

export const DEADLINE_YEARS_MAX = 5;
/** As long as the furthest deadline. */
export const BUDGET_SECONDS_MAX = 5 * 366 * 24 * 60 * 60;
/** A hundred years; the platform sets no alarm beyond the year 2189. */
export const RETENTION_DAYS_MAX = 36_525;
/** A context larger than this is left out of GET unless asked for with `include=context`. */
export const CONTEXT_SHOWN_BYTES_MAX = 64 * KIB;
/** Notes pile up by PATCH; the whole must stay far below a row's 2 MB. */
export const NOTES_TOTAL_CHARACTERS_MAX = 100_000;

/** A revoked key can live on this long in an isolate that has just seen it. */
export const KEY_CACHE_MS = 10 * SECOND_MS;
/** Keys and failed look-ups an isolate remembers at once. */
export const KEY_CACHE_ENTRIES_MAX = 1_000;

/** How long a signed download link works. */
export const DOWNLOAD_LINK_MS = 60 * MINUTE_MS;

/** A request waits this long for its directory row; after that the alarm brings it. */
export const PROJECTION_WAIT_MS = SECOND_MS;
/** How soon the alarm looks after a directory row that may be behind; promise 6 allows 60 s. */
export const PROJECTION_RETRY_MS = 10 * SECOND_MS;

/** A task without a fitting agent looks again after as long as it has waited, within these bounds. */
export const ASSIGNMENT_RETRY_MIN_MS = SECOND_MS;
export const ASSIGNMENT_RETRY_MAX_MS = MINUTE_MS;
/** Agents weighed for one task. */
export const CANDIDATES_MAX = 500;

/** Work that meets faults of the platform is tried again this long, then the attempt fails. */
export const FAULT_PATIENCE_MS = 15 * MINUTE_MS;
export const FAULT_BACKOFF_MIN_MS = SECOND_MS;
export const FAULT_BACKOFF_MAX_MS = MINUTE_MS;
/** A step that has not come back by then counts as a fault; the built-in agents take a second at most. */
export const STEP_TIMEOUT_MS = 30 * SECOND_MS;
/** The platform drops an alarm for good after its sixth retry. */
export const ALARM_RETRIES_MAX = 3;

/** The longest pause before a step of a built-in agent. */
export const STEP_INTERVAL_MAX_MS = DAY_MS;
export const RETENTION_DAY_MS = DAY_MS;

/** How long a call to another system may take, retries and redirects included. */
export const TOOL_TIMEOUT_DEFAULT_MS = 10 * SECOND_MS;
export const TOOL_TIMEOUT_MAX_MS = 30 * SECOND_MS;
/** The largest answer of another system, counted after it is unpacked, so that a gzip bomb ends here too. */
export const TOOL_RESPONSE_BYTES_MAX = KIB * KIB;
/** Results larger than this are stored as a file and answered with a preview. */
export const RESULT_INLINE_BYTES_MAX = 128 * KIB;
/** The beginning of an oversized result that is shown. */
export const RESULT_PREVIEW_CHARACTERS_MAX = 4 * KIB;
/** Browsers follow twenty; an API that needs more than five is lost. */
export const REDIRECTS_MAX = 5;
/** A document that describes an API. GitHub's, the largest in wide use, has 13 MB. */
export const IMPORT_BYTES_MAX = 16 * KIB * KIB;
/** Fetching such a document or listing an MCP server's tools. */
export const IMPORT_TIMEOUT_MS = 30 * SECOND_MS;
/** Servers that one tool goes to; each name is resolved before anything is stored. */
export const ORIGINS_MAX = 20;
/** GitHub's API has about 1,200 operations. */
export const CAPABILITIES_MAX = 3_000;
/** Parameters of one capability; Stripe's largest operation has about ninety. */
export const PARAMETERS_MAX = 200;
/** All parameters of one capability as JSON; those of Stripe's largest operation take a fifth of it. */
export const PARAMETERS_BYTES_MAX = 256 * KIB;
/** A page of capabilities ends early past this; a Worker holds an answer several times. */
export const CAPABILITIES_PAGE_CHARACTERS_MAX = 2 * KIB * KIB;

/** Failures in a row after which the system behind a tool is left alone. */
export const BREAKER_FAILURES_MAX = 5;
/** How long it rests at first; doubles with each probe that fails. */
export const BREAKER_REST_MIN_MS = 10 * SECOND_MS;
export const BREAKER_REST_MAX_MS = 5 * MINUTE_MS;
/** A call that has not ended by then never will: twice the longest timeout, and some. */
export const LOST_CALL_MS = 2 * MINUTE_MS;
/** The last calls that a tool's meter remembers one by one. */
export const RECENT_CALLS_MAX = 100;
/** Agents that a tool's usage tells apart in one day: they lie in one value, of at most 2 MB. */
export const USAGE_AGENTS_MAX = 1_000;
/** Days that a usage report can look back. */
export const USAGE_DAYS_MAX = 366;
export const USAGE_DAYS_DEFAULT = 30;

/** HTTP requests of one conversation with an MCP server; a call takes five, more are the server's questions. */
export const MCP_REQUESTS_MAX = 50;
/** How long a call waits for the MCP server to take leave, which nobody profits from but the server. */
export const MCP_FAREWELL_MS = SECOND_MS;
/** Pages of an MCP server's list of tools; servers give 50 tools a page or more. */
export const MCP_PAGES_MAX = 200;
/** What another system says of its own failure, as far as it is passed on as a reason. */
export const UPSTREAM_REASON_CHARACTERS_MAX = 500;
/** What an import takes over of a description; models read every word of it. */
export const DESCRIPTION_CHARACTERS_MAX = 2_000;
/** A safe request that met a passing fault is sent twice more; who is still ill then needs rest. */
export const HTTP_TRIES_MAX = 3;
/** The longest pause before the second try; it doubles before the third. */
export const RETRY_BACKOFF_MS = 400;
/** How much of what a system said with its "no" is told; problem documents are shorter. */
export const REJECTION_BYTES_MAX = 2 * KIB;
/** JSON of another system: recursion and RPC carry this many levels with ease, and no honest API needs them. */
export const ANSWER_DEPTH_MAX = 100;
/** Values of one form or bracketed parameter; the library that writes them takes no hundred thousands. */
export const FORM_VALUES_MAX = 10_000;
/** Values that a JSONPath may select from one answer. */
export const SELECTED_VALUES_MAX = 10_000;

/** A secret of a tool. The longest in use are JWTs and cookies, which end at 4 KiB; a token takes two of them. */
export const SECRET_CHARACTERS_MAX = 8 * KIB;
/** A URL or identifier that describes an OAuth client. */
export const CLIENT_TEXT_CHARACTERS_MAX = 2 * KIB;
/** An access token is renewed this long before it expires, so that it lives through a call and skewed clocks. */
export const TOKEN_RENEWAL_MARGIN_MS = MINUTE_MS;
/** A token that says it lives longer is taken to live this long: dates have an end. */
export const TOKEN_LIFETIME_MAX_MS = 366 * DAY_MS;
/** What a token endpoint answers: a few tokens of a few KiB each. */
export const TOKEN_RESPONSE_BYTES_MAX = 64 * KIB;
/** How long a person may take over consent, from `connect` to `callback`. */
export const CONNECT_WINDOW_MS = 10 * MINUTE_MS;
/** A credential that changes under a renewal is read anew this often; each change is a person's or another renewal's. */
export const RENEWAL_ROUNDS_MAX = 3;

/** One question to the DNS resolver. Public ones answer in tens of milliseconds; a call has 10 s for everything. */
export const RESOLVER_TIMEOUT_MS = 3 * SECOND_MS;
/** Room for hundreds of addresses, little enough for a full cache of them. */
export const RESOLVER_ANSWER_BYTES_MAX = 16 * KIB;
/** Names change behind short lifetimes to slip past a check, and behind long ones they go stale. */
export const NAME_CACHE_MIN_MS = 30 * SECOND_MS;
export const NAME_CACHE_MAX_MS = 5 * MINUTE_MS;
/** Names of hosts that an isolate remembers at once. */
export const NAME_CACHE_ENTRIES_MAX = 1_000;
/** What the parameters of one import may take of a Worker's 128 MB, by a rough measure; GitHub's and Stripe's take 4 MB each. */
export const IMPORT_WEIGHT_BYTES_MAX = 16 * KIB * KIB;
