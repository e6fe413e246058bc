/** What a limit counts: US dollars, tool calls, or tokens of language models. */
export const LIMIT_MEASURES = ["usd", "calls", "tokens"] as const;
export type LimitMeasure = (typeof LIMIT_MEASURES)[number];

export const LIMIT_PERIODS = ["call", "day", "week", "month", "total"] as const;
export type LimitPeriod = (typeof LIMIT_PERIODS)[number];

export const LIMIT_ACTIONS = ["deny", "pause-agent"] as const;
export type LimitAction = (typeof LIMIT_ACTIONS)[number];

export type LimitScopeKind = "agent" | "team" | "key" | "tool" | "all";

/** An amount of each measure. */
export type Amounts = Readonly<Record<LimitMeasure, number>>;

export const NO_AMOUNTS: Amounts = { usd: 0, calls: 0, tokens: 0 };

/**
 * A limit that covers a call, as the object that counts its use needs it. `subject`: the scope as text, such as
 * `agent riley`.
 */
export interface LimitTerms {
  readonly id: string;
  readonly subject: string;
  readonly measure: LimitMeasure;
  readonly per: LimitPeriod;
  readonly timeZone: string;
  readonly limit: number;
  readonly warnAt: number;
  readonly onExceeded: LimitAction;
}

/** The use of a limit in its current window. `resetAt` is null if the use is never reset. */
export interface LimitUse {
  readonly used: number;
  /** What calls in progress may use. */
  readonly reserved: number;
  readonly resetAt: number | null;
}

/** A limit that does not allow a call, with the amount that the call may use. */
export interface ExceededLimit extends LimitUse {
  readonly limit: LimitTerms;
  readonly requested: number;
}

/** What happens at most once in each window of a limit. */
export interface LimitEvent {
  readonly type: "limit.warned" | "limit.exceeded";
  readonly limitId: string;
  readonly at: number;
  readonly used: number;
  readonly limit: number;
  readonly resetAt: number | null;
}

/** Why a limit with this scope and period would never apply to anything; null if it can apply. */
export function findUselessCombination(
  scope: LimitScopeKind,
  measure: LimitMeasure,
  per: LimitPeriod,
): { readonly field: "measure" | "per"; readonly message: string } | null {
  if (measure === "calls" && per === "call") {
    return {
      field: "per",
      message: 'must not be "call" if measure is "calls", because each call counts as one call',
    };
  }
  if (measure !== "tokens" || (scope !== "tool" && scope !== "key")) return null;
  const user = scope === "tool" ? "tools use no tokens" : "models are not called with a key";
  const message = `must not be "tokens" for this scope, because ${user}; use an agent, a team or all`;
  return { field: "measure", message };
}
