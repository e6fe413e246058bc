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
