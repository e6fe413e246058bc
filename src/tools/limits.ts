import { DAY_MS, KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** The time limit of a call to another system, with retries and redirects. */
export const TOOL_TIMEOUT_DEFAULT_MS = 10 * SECOND_MS;
export const TOOL_TIMEOUT_MAX_MS = 30 * SECOND_MS;
/** The largest response of another system, counted after decompression, so that a gzip bomb is cut off. */
export const TOOL_RESPONSE_BYTES_MAX = KIB * KIB;

/** Larger results are stored as a file and returned as a preview. */
export const RESULT_INLINE_BYTES_MAX = 128 * KIB;
/** The length of the preview of an oversized result. */
export const RESULT_PREVIEW_CHARACTERS_MAX = 4 * KIB;

/** The maximum size of an API document. GitHub's, the largest in wide use, has 13 MB. */
export const IMPORT_BYTES_MAX = 16 * KIB * KIB;
/** The time limit for fetching such a document or listing the tools of an MCP server. */
export const IMPORT_TIMEOUT_MS = 30 * SECOND_MS;

/** Servers of one tool; each name is resolved at registration. */
export const ORIGINS_MAX = 20;
/** GitHub's API has about 1,200 operations. */
export const CAPABILITIES_MAX = 3_000;
/** Parameters of one capability; Stripe's largest operation has about ninety. */
export const PARAMETERS_MAX = 200;
/** All parameters of one capability as JSON; those of Stripe's largest operation take a fifth of it. */
export const PARAMETERS_BYTES_MAX = 256 * KIB;
/** A page of capabilities ends early at this size; a Worker has several copies of a response in memory. */
export const CAPABILITIES_PAGE_CHARACTERS_MAX = 2 * KIB * KIB;

/** Consecutive failures after which the circuit breaker opens. */
export const BREAKER_FAILURES_MAX = 5;
/** How long the breaker stays open at first; each failed probe doubles it. */
export const BREAKER_OPEN_MIN_MS = 10 * SECOND_MS;
export const BREAKER_OPEN_MAX_MS = 5 * MINUTE_MS;

/** Agents that a tool's meter tracks individually; with the last calls they form one row of at most 2 MB. */
export const METER_AGENTS_MAX = 200;
/** After this time a call counts as lost: twice the longest timeout, and a margin. */
export const CALL_LOST_AFTER_MS = 2 * MINUTE_MS;
/** Recent calls that the meter of a tool lists. */
export const RECENT_CALLS_MAX = 100;
/** Agents listed individually in one day's usage of a tool; a day is one value of at most 2 MB. */
export const USAGE_AGENTS_MAX = 1_000;
/** Days of a usage report. */
export const USAGE_DAYS_MAX = 366;
export const USAGE_DAYS_DEFAULT = 30;

/** HTTP requests of one MCP session; a call needs five. */
export const MCP_REQUESTS_MAX = 50;
/** How long a call waits for the MCP server to close the session. */
export const MCP_SESSION_CLOSE_TIMEOUT_MS = SECOND_MS;
/** Pages of an MCP server's list of tools; servers return 50 tools a page or more. */
export const MCP_PAGES_MAX = 200;

/** Attempts of a safe request that fails transiently. */
export const HTTP_TRIES_MAX = 3;
/** The length of a system's error text that is shown; problem documents are shorter. */
export const UPSTREAM_ERROR_BYTES_MAX = 2 * KIB;
/** Values of one form or bracketed parameter; the encoding library fails on hundreds of thousands. */
export const FORM_VALUES_MAX = 10_000;
/** Values that a JSONPath can select from a response. */
export const SELECTED_VALUES_MAX = 10_000;

/** A URL or identifier that describes an OAuth client. */
export const OAUTH_CLIENT_TEXT_CHARACTERS_MAX = 2 * KIB;
/** An access token is renewed this long before it expires, so that it stays valid during a call. */
export const TOKEN_RENEWAL_MARGIN_MS = MINUTE_MS;
/** The longest lifetime of a token; a longer one is shortened, because dates have a maximum. */
export const TOKEN_LIFETIME_MAX_MS = 366 * DAY_MS;
/** The response of a token endpoint: a few tokens of a few KiB each. */
export const TOKEN_RESPONSE_BYTES_MAX = 64 * KIB;
/** How long a person has for consent, from `connect` to `callback`. */
export const CONNECT_WINDOW_MS = 10 * MINUTE_MS;
/** Attempts to renew a credential that changes at the same time. */
export const RENEWAL_ATTEMPTS_MAX = 3;
/** The estimated memory for the parameters of one import; GitHub's and Stripe's need 4 MB each, Kubernetes' 20 MB. */
export const IMPORT_PARAMETERS_BYTES_MAX = 24 * KIB * KIB;
