/** What a limit counts: US dollars, tool calls, or tokens of language models. */
export const LIMIT_MEASURES = ["usd", "calls", "tokens"] as const;
export type LimitMeasure = (typeof LIMIT_MEASURES)[number];

export const LIMIT_PERIODS = ["call", "day", "week", "month", "total"] as const;
export type LimitPeriod = (typeof LIMIT_PERIODS)[number];

export const LIMIT_ACTIONS = ["deny", "pause-agent"] as const;
export type LimitAction = (typeof LIMIT_ACTIONS)[number];

/** Events that occur at most once in each window of a limit. */
export const LIMIT_EVENT_TYPES = ["limit.warned", "limit.exceeded"] as const;
export type LimitEventType = (typeof LIMIT_EVENT_TYPES)[number];

const LIMIT_SCOPE_KINDS = ["agent", "team", "key", "tool", "all"] as const;
export type LimitScopeKind = (typeof LIMIT_SCOPE_KINDS)[number];

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

/** What a limit covers. `scopeId` is empty if it covers everything. */
export interface LimitScope {
  readonly scopeKind: LimitScopeKind;
  readonly scopeId: string;
}

/** A scope as text, such as `agent riley`. Kinds contain no spaces. */
export function subjectOf({ scopeKind, scopeId }: LimitScope): string {
  return `${scopeKind} ${scopeId}`;
}

/** The scope that `subjectOf` wrote. */
export function readSubject(subject: string): LimitScope {
  const end = subject.indexOf(" ");
  const kind = LIMIT_SCOPE_KINDS.find((one) => one === subject.slice(0, end));
  if (kind === undefined) throw new Error(`A limit must not have the subject ${subject}`);
  return { scopeKind: kind, scopeId: subject.slice(end + 1) };
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

/** `used`: the use of the limit when the event occurred. The names are stored. */
export interface LimitEvent {
  readonly type: LimitEventType;
  readonly limit: LimitTerms;
  readonly at: number;
  readonly used: number;
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
