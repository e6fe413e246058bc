import type { Schemas } from "../api/client.ts";
import type { Limit } from "./queries.ts";

export const SCOPE_FIELDS = ["all", "agentId", "teamId", "toolId", "keyId"] as const;
export type ScopeField = (typeof SCOPE_FIELDS)[number];

export const SCOPE_LABELS: Readonly<Record<ScopeField, string>> = {
  all: "All calls and model turns",
  agentId: "An agent",
  teamId: "The members of a team",
  toolId: "A tool",
  keyId: "A key and the keys that it created",
};

export const MEASURE_LABELS: Readonly<Record<Limit["measure"], string>> = {
  usd: "Cost in US dollars",
  calls: "Tool calls",
  tokens: "Tokens of language models",
};

export const PERIOD_LABELS: Readonly<Record<Limit["per"], string>> = {
  call: "Each call",
  day: "Day",
  week: "Week, from Monday",
  month: "Month",
  total: "In total, without a reset",
};

/** What is typed into the form of a limit. */
export interface LimitDraft {
  readonly id: string;
  readonly name: string;
  readonly covers: ScopeField;
  /** Not used if the limit covers everything. */
  readonly coveredId: string;
  readonly measure: Limit["measure"];
  readonly per: Limit["per"];
  readonly timeZone: string;
  readonly limit: string;
  /** A percentage of the limit. */
  readonly warnAt: string;
  readonly onExceeded: Limit["onExceeded"];
  readonly enabled: boolean;
}

/** `timeZone`: of the person. */
export function newLimitDraft(timeZone: string): LimitDraft {
  return {
    id: "",
    name: "",
    covers: "all",
    coveredId: "",
    measure: "usd",
    per: "day",
    timeZone,
    limit: "",
    warnAt: "80",
    onExceeded: "deny",
    enabled: true,
  };
}

export function limitDraftOf({ scope, limit, warnAt, ...same }: Limit): LimitDraft {
  const covers = SCOPE_FIELDS.find((field) => scope[field] !== undefined) ?? "all";
  const coveredId = covers === "all" ? "" : (scope[covers] ?? "");
  const percent = Number((warnAt * 100).toFixed(2));
  return { ...same, covers, coveredId, limit: String(limit), warnAt: String(percent) };
}

/** All fields that a client sets, which replace the stored ones. */
export function putLimitBodyOf(draft: LimitDraft): Schemas["PutLimitBody"] {
  const { covers, measure, per, onExceeded, enabled } = draft;
  return {
    name: draft.name,
    scope: covers === "all" ? { all: true } : { [covers]: draft.coveredId.trim() },
    measure,
    per,
    timeZone: draft.timeZone.trim(),
    limit: Number(draft.limit),
    warnAt: Number(draft.warnAt) / 100,
    onExceeded,
    enabled,
  };
}

export function createLimitBodyOf(draft: LimitDraft): Schemas["CreateLimitBody"] {
  return { id: draft.id.trim(), ...putLimitBodyOf(draft) };
}

/** The measures that can be counted for what the limit covers. Tools and keys use no tokens. */
export function measuresOf(covers: ScopeField): readonly Limit["measure"][] {
  return covers === "toolId" || covers === "keyId" ? ["usd", "calls"] : ["usd", "calls", "tokens"];
}

/** The periods of a measure. Each call is one call. */
export function periodsOf(measure: Limit["measure"]): readonly Limit["per"][] {
  const periods = ["day", "week", "month", "total"] as const;
  return measure === "calls" ? periods : ["call", ...periods];
}

/** Changes what the limit covers or counts, and replaces a choice that no longer fits. */
export function changeLimitDraft(draft: LimitDraft, part: Partial<LimitDraft>): LimitDraft {
  const next = { ...draft, ...part };
  const measure = measuresOf(next.covers).includes(next.measure) ? next.measure : "usd";
  const per = periodsOf(measure).includes(next.per) ? next.per : "day";
  return { ...next, measure, per };
}
