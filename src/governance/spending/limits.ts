/** The maximum number of spending limits. Every tool call and model turn scans all of them. */
export const LIMITS_MAX = 200;

/** The lowest limit: a millionth of a dollar, the precision with which costs are added. */
export const LIMIT_AMOUNT_MIN = 0.000001;

/** The lowest part of a limit whose use causes a warning. */
export const WARN_AT_MIN = 0.01;

/** The highest limit, in any measure. */
export const LIMIT_AMOUNT_MAX = 1_000_000_000;

export const TIME_ZONE_CHARACTERS_MAX = 64;
