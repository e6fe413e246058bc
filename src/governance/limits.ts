import { DAY_MS, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** The maximum number of policies. Every tool call scans all of them. */
export const POLICIES_MAX = 200;

/** The maximum number of entries in each of the lists `tools`, `agents` and `teams`. */
export const POLICY_TARGETS_MAX = 50;

/** The maximum nesting depth of a condition. */
export const CONDITION_DEPTH_MAX = 5;

/** The maximum number of comparisons in a condition. */
export const CONDITION_COMPARISONS_MAX = 50;

/** The maximum number of values of the operators `in` and `notIn`. */
export const CONDITION_VALUES_MAX = 100;

export const CONDITION_TEXT_CHARACTERS_MAX = 500;

export const REASON_CHARACTERS_MAX = 500;

/**
 * The maximum size of a condition as JSON, in bytes. All policies that cover a call are read in one value, which D1
 * limits to 2 MB.
 */
export const CONDITION_BYTES_MAX = 8_192;

/** A longer string is not matched with a pattern, because that would take too long. */
export const MATCHED_CHARACTERS_MAX = 10_000;

/** The maximum number of keys in a policy's `approvers`. */
export const APPROVERS_MAX = 20;

/** How long a call waits for approval unless its policy says otherwise. */
export const APPROVAL_EXPIRY_DEFAULT = "24h";

/** The limits of a policy's `expiresAfter` and `remember`. A person needs at least some time to decide. */
export const APPROVAL_DURATION_MIN_MS = MINUTE_MS;
export const APPROVAL_DURATION_MAX_MS = 30 * DAY_MS;

/** How long an approved call is tried again while a system that checks it is unavailable. */
export const APPROVAL_EXECUTION_TRIES_MS = 5 * MINUTE_MS;

/** The shortest and the longest pause before an approval repeats an update of another system. */
export const APPROVAL_RETRY_MIN_MS = SECOND_MS;
export const APPROVAL_RETRY_MAX_MS = 15 * MINUTE_MS;

/** The maximum number of calls of one agent, or of one key without an agent, that can wait for approval at once. */
export const APPROVALS_PENDING_MAX = 100;

/** The maximum length of the result that a task's log stores. The approval has the whole result. */
export const APPROVAL_RESULT_CHARACTERS_MAX = 8_000;

export const DECISION_MESSAGE_CHARACTERS_MAX = 1_000;

/** The longest validity of a link for a decision. */
export const APPROVAL_LINK_MAX_MS = DAY_MS;

/** The maximum size of the form that a link's page sends, in bytes. */
export const DECISION_FORM_BYTES_MAX = 16_384;

/** The maximum size of `before` and of `after` in the audit log, in bytes of JSON. Longer states are cut off. */
export const STATE_BYTES_MAX = 8_192;

/** How much of a longer state is read for its SHA-256, in bytes of JSON. */
export const STATE_READ_BYTES_MAX = 4_194_304;

/** The maximum number of spending limits. Every tool call and model turn scans all of them. */
export const LIMITS_MAX = 200;

/** The lowest limit: a millionth of a dollar, the precision with which costs are added. */
export const LIMIT_AMOUNT_MIN = 0.000001;

/** The lowest part of a limit whose use causes a warning. */
export const WARN_AT_MIN = 0.01;

/** The highest limit, in any measure. */
export const LIMIT_AMOUNT_MAX = 1_000_000_000;

/** Longer than every name of an IANA time zone. */
export const TIME_ZONE_CHARACTERS_MAX = 64;

/** The longest period of a simulation. */
export const SIMULATION_PERIOD_MAX_MS = 31 * DAY_MS;

/** How far a simulation's times may be in the future, because the client's clock can differ. */
export const SIMULATION_CLOCK_SKEW_MS = MINUTE_MS;

/** How many kinds of calls a simulation looks up in one round trip to the database. */
export const SIMULATION_LOOKUPS_MAX = 100;

/**
 * How many comparisons one simulation makes after its first task. A comparison with a pattern takes about 0.2 ms, and a
 * Worker has 30 seconds of CPU time.
 */
export const SIMULATION_COMPARISONS_MAX = 10_000;
