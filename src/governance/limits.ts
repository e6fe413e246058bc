/** The maximum number of policies, because each call of a tool reads those that concern it. */
export const POLICIES_MAX = 200;

/** The maximum number of tools, agents and teams that one policy lists. */
export const POLICY_TARGETS_MAX = 50;

/** The maximum nesting depth of a condition. */
export const CONDITION_DEPTH_MAX = 5;

/** The maximum number of comparisons in a condition. */
export const CONDITION_COMPARISONS_MAX = 50;

/** The maximum number of values of the operators `in` and `notIn`. */
export const CONDITION_VALUES_MAX = 100;

export const CONDITION_TEXT_CHARACTERS_MAX = 500;

export const REASON_CHARACTERS_MAX = 500;
