import { DAY_MS, KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** The default time limit for a call to another system, including retries and redirects. */
export const TOOL_TIMEOUT_DEFAULT_MS = 10 * SECOND_MS;
export const TOOL_TIMEOUT_MAX_MS = 30 * SECOND_MS;
/** The maximum size of another system's response, measured after decompression so that a gzip bomb is cut off. */
export const TOOL_RESPONSE_BYTES_MAX = KIB * KIB;

/** Larger results are stored as a file and returned as a preview. */
export const RESULT_INLINE_BYTES_MAX = 128 * KIB;
/** The length of the preview of an oversized result. */
export const RESULT_PREVIEW_CHARACTERS_MAX = 4 * KIB;

/** The maximum number of agents whose grants one request can select. Their ids fit in a URL. */
export const GRANT_AGENTS_MAX = 100;

/** The maximum size of an API document. The largest in wide use, GitHub's, is 13 MB. */
export const IMPORT_BYTES_MAX = 16 * KIB * KIB;
/** The time limit for fetching an API document or listing an MCP server's tools. */
export const IMPORT_TIMEOUT_MS = 30 * SECOND_MS;

/** The maximum number of origins per tool. Each host name is resolved at registration. */
export const ORIGINS_MAX = 20;
/** The maximum number of capabilities per tool. GitHub's API has about 1,200 operations. */
export const CAPABILITIES_MAX = 3_000;
/** The maximum number of parameters per capability. Stripe's largest operation has about ninety. */
export const PARAMETERS_MAX = 200;
/**
 * The maximum size of a capability's parameters as JSON. Those of Stripe's largest operation take up a fifth of this.
 */
export const PARAMETERS_BYTES_MAX = 256 * KIB;
/** A page of capabilities ends early at this size, because a Worker holds several copies of a response in memory. */
export const CAPABILITIES_PAGE_CHARACTERS_MAX = 2 * KIB * KIB;

/** The number of consecutive failures after which the circuit breaker opens. */
export const BREAKER_FAILURES_MAX = 5;
/** How long the breaker first stays open. Each failed probe doubles the time. */
export const BREAKER_OPEN_MIN_MS = 10 * SECOND_MS;
export const BREAKER_OPEN_MAX_MS = 5 * MINUTE_MS;

/**
 * The maximum number of agents that a tool's meter tracks individually. They are stored with the last calls and the
 * day's usage as one value of at most 2 MB.
 */
export const METER_AGENTS_MAX = 200;
/** How long until a call counts as lost: twice the longest timeout, plus a margin. */
export const CALL_LOST_AFTER_MS = 2 * MINUTE_MS;
/** The number of recent calls that a tool's meter keeps. */
export const RECENT_CALLS_MAX = 100;
/**
 * The maximum number of entries, each for one agent and team, in one day's usage of a tool. The usage is one value of
 * at most 2 MB.
 */
export const USAGE_AGENTS_MAX = 1_000;

/** After this many entries of a day, further keys are counted together, so that entries remain for agents. */
export const USAGE_KEYED_MAX = 750;

/** After this many entries of a day, further sets of labels are counted together. */
export const USAGE_LABELLED_MAX = 500;

/** Labels that are longer as JSON are counted together. A day's usage is stored in one row of at most 2 MB. */
export const USAGE_LABELS_CHARACTERS_MAX = 512;
/** The maximum number of days in a usage report. */
export const USAGE_DAYS_MAX = 366;
export const USAGE_DAYS_DEFAULT = 30;
/** The maximum number of days in a report about all tools: a quarter of a year. */
export const USAGE_PERIOD_DAYS_MAX = 92;
export const USAGE_PERIOD_DAYS_DEFAULT = 7;
/** The maximum number of tools in one report. Each one is a request to a meter, and a Worker may send about 1,000. */
export const USAGE_TOOLS_MAX = 200;
/** The maximum number of rows in one report. */
export const USAGE_ROWS_MAX = 10_000;
/** How many meters a report reads at the same time. Their rows are in memory together. */
export const USAGE_METERS_AT_ONCE = 20;
/** The maximum time that a report waits for the meters. The report lists meters that take longer as missing. */
export const USAGE_TIMEOUT_MS = 10 * SECOND_MS;

/** The maximum number of HTTP requests in one MCP session. A call needs five. */
export const MCP_REQUESTS_MAX = 50;
/** How long a call waits for the MCP server to close the session. */
export const MCP_SESSION_CLOSE_TIMEOUT_MS = SECOND_MS;
/** The maximum number of pages in an MCP server's list of tools. Servers usually return 50 or more tools per page. */
export const MCP_PAGES_MAX = 200;

/** How many times a safe request is tried if it fails transiently. */
export const HTTP_TRIES_MAX = 3;
/** The maximum length of error text from another system. Problem documents are usually shorter. */
export const UPSTREAM_ERROR_BYTES_MAX = 2 * KIB;
/**
 * The maximum number of values in one form or bracketed parameter. The encoding library fails on hundreds of thousands.
 */
export const FORM_VALUES_MAX = 10_000;
/** The maximum number of values that a JSONPath can select from a response. */
export const SELECTED_VALUES_MAX = 10_000;

/** The maximum length of a URL or identifier in an OAuth client's settings. */
export const OAUTH_CLIENT_TEXT_CHARACTERS_MAX = 2 * KIB;
/** How long before its expiry an access token is renewed, so that it stays valid during a call. */
export const TOKEN_RENEWAL_MARGIN_MS = MINUTE_MS;
/** The maximum lifetime of a token. A longer lifetime is shortened, because dates have an upper limit. */
export const TOKEN_LIFETIME_MAX_MS = 366 * DAY_MS;
/** The maximum size of a token endpoint's response: a few tokens of a few KiB each. */
export const TOKEN_RESPONSE_BYTES_MAX = 64 * KIB;
/** How long a person has to give consent, from `connect` to `callback`. */
export const CONNECT_WINDOW_MS = 10 * MINUTE_MS;
/** How many times a renewal or connection is tried if the credential changes at the same time. */
export const RENEWAL_ATTEMPTS_MAX = 3;
/**
 * The maximum estimated memory for the parameters of one import. GitHub's and Stripe's need 4 MB each, Kubernetes' 20
 * MB.
 */
export const IMPORT_PARAMETERS_BYTES_MAX = 24 * KIB * KIB;
