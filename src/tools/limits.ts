import { DAY_MS, KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** How long a call to another system may take, retries and redirects included. */
export const TOOL_TIMEOUT_DEFAULT_MS = 10 * SECOND_MS;

export const TOOL_TIMEOUT_MAX_MS = 30 * SECOND_MS;

/** The largest answer of another system, counted after it is unpacked, so that a gzip bomb ends here too. */
export const TOOL_RESPONSE_BYTES_MAX = KIB * KIB;

/** Results larger than this are stored as a file and answered with a preview. */
export const RESULT_INLINE_BYTES_MAX = 128 * KIB;

/** The beginning of an oversized result that is shown. */
export const RESULT_PREVIEW_CHARACTERS_MAX = 4 * KIB;

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
export const BREAKER_OPEN_MIN_MS = 10 * SECOND_MS;

export const BREAKER_OPEN_MAX_MS = 5 * MINUTE_MS;

/** Agents that a tool's meter tracks individually; with the last calls they form one row of at most 2 MB. */
export const METER_AGENTS_MAX = 200;

/** A call that has not ended by then never will: twice the longest timeout, and some. */
export const CALL_LOST_AFTER_MS = 2 * MINUTE_MS;

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
export const MCP_SESSION_CLOSE_TIMEOUT_MS = SECOND_MS;

/** Pages of an MCP server's list of tools; servers give 50 tools a page or more. */
export const MCP_PAGES_MAX = 200;

/** A safe request that met a passing fault is sent twice more; who is still ill then needs rest. */
export const HTTP_TRIES_MAX = 3;

/** The longest pause before the second try; it doubles before the third. */
export const RETRY_BACKOFF_MS = 400;

/** How much of what a system said with its "no" is told; problem documents are shorter. */
export const UPSTREAM_ERROR_BYTES_MAX = 2 * KIB;

/** Values of one form or bracketed parameter; the library that writes them takes no hundred thousands. */
export const FORM_VALUES_MAX = 10_000;

/** Values that a JSONPath may select from one answer. */
export const SELECTED_VALUES_MAX = 10_000;

/** A URL or identifier that describes an OAuth client. */
export const OAUTH_CLIENT_TEXT_CHARACTERS_MAX = 2 * KIB;

/** An access token is renewed this long before it expires, so that it lives through a call and skewed clocks. */
export const TOKEN_RENEWAL_MARGIN_MS = MINUTE_MS;

/** A token that says it lives longer is taken to live this long: dates have an end. */
export const TOKEN_LIFETIME_MAX_MS = 366 * DAY_MS;

/** What a token endpoint answers: a few tokens of a few KiB each. */
export const TOKEN_RESPONSE_BYTES_MAX = 64 * KIB;

/** How long a person may take over consent, from `connect` to `callback`. */
export const CONNECT_WINDOW_MS = 10 * MINUTE_MS;

/** A credential that changes under a renewal is read anew this often; each change is a person's or another renewal's. */
export const RENEWAL_ATTEMPTS_MAX = 3;

/** What the parameters of one import may take of a Worker's 128 MB, by a rough measure; GitHub's and Stripe's take 4 MB each. */
export const IMPORT_PARAMETERS_BYTES_MAX = 16 * KIB * KIB;
