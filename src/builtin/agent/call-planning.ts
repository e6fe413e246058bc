import type { UsableTool } from "../../executors/contract.ts";
import { capabilityPathOf, type PlannedCall } from "./tool-calls.ts";
import type { InputFindings, TableFindings } from "./findings.ts";
import type { InputSource } from "./inputs.ts";
import { classifyColumns } from "./column-roles.ts";
import type { Correlation, TableProfile } from "./result-schemas.ts";

/** Calls that the agent wants to make: `granted` ones it may, `missing` ones it has no grant for. */
export interface CallsByGrant {
  readonly granted: readonly PlannedCall[];
  readonly missing: readonly PlannedCall[];
}

/** For all tables together, so that a task with several costs little more than one with one. */
const AGGREGATES_MAX = 6;
const TRENDS_MAX = 2;
const CHECKS_MAX = 3;
const GROUPS_MAX = 3;
const MEASURES_MAX = 4;
const CORRELATED_MAX = 30;
/** Ranks how telling a group by a measure is; the best group is tried with every measure first. */
const GROUP_RANK = 2;
const RANK_MAX = 3;

const KEYWORDS_LIMIT = 10;
const EXTRACT_SENTENCES = 3;

/** "table-analyst/profile" for each capability that may be used. */
export function listCapabilityPaths(tools: readonly UsableTool[]): string[] {
  return tools.flatMap(({ id, capabilities }) => capabilities.map((name) => `${id}/${name}`));
}

export function splitCallsByGrant(
  calls: readonly PlannedCall[],
  usable: readonly string[],
): CallsByGrant {
  const isUsable = (call: PlannedCall) => usable.includes(capabilityPathOf(call));
  return { granted: calls.filter(isUsable), missing: calls.filter((call) => !isUsable(call)) };
}

/** The calls that read the material: they need to know nothing of it. */
export function planGatheringCalls(
  sources: readonly Pick<InputSource, "id" | "kind">[],
): PlannedCall[] {
  return sources.flatMap(({ id, kind }) =>
    kind === "table"
      ? [createTableCall(id, "profile", {})]
      : [
          createTextCall(id, "readability", {}),
          createTextCall(id, "keywords", { limit: KEYWORDS_LIMIT }),
          createTextCall(id, "summarise", { sentences: EXTRACT_SENTENCES }),
        ],
  );
}

/**
 * The calls that look into tables, chosen by what their columns are; columns that the task's words
 * name come first. Where nobody may profile, those that need no column's name.
 */
export function planAnalysingCalls(
  { tables }: InputFindings,
  task: string,
  mayProfile: boolean,
): PlannedCall[] {
  return tables.flatMap((findings) =>
    findings.profile === null
      ? mayProfile
        ? []
        : [
            createTableCall(findings.source, "correlate", {}),
            createTableCall(findings.source, "outliers", {}),
          ]
      : planTableCalls(findings, task, tables.length),
  );
}

/** Trends that show the strongest correlations a second time: r2 of the one is r squared of the other. */
export function planCheckingCalls({ tables }: InputFindings): PlannedCall[] {
  return tables.flatMap(({ source, pairs }) =>
    pairs
      .slice(0, divideCalls(CHECKS_MAX, tables.length))
      .map((pair) => createCheckingCall(source, pair)),
  );
}

function planTableCalls(
  { source, profile }: TableFindings,
  task: string,
  tables: number,
): PlannedCall[] {
  if (profile === null || profile.rows === 0) return [];
  const { measures, groups, order } = classifyColumns(profile, task);
  const numbers = measures.map(({ name }) => name);
  const calls: PlannedCall[] = [];
  if (numbers.length >= 2)
    calls.push(
      createTableCall(source, "correlate", { columns: sortInTableOrder(profile, numbers) }),
    );
  if (numbers.length > 0) calls.push(createTableCall(source, "outliers", {}));
  const ranked = groups.slice(0, GROUPS_MAX).flatMap((group, place) =>
    measures.slice(0, MEASURES_MAX).map((measure, index) => ({
      rank: GROUP_RANK * place + index,
      asked: { groupBy: group.name, column: measure.name },
    })),
  );
  const chosen = ranked.filter(({ rank }) => rank <= RANK_MAX).toSorted((a, b) => a.rank - b.rank);
  for (const { asked } of chosen.slice(0, divideCalls(AGGREGATES_MAX, tables))) {
    calls.push(createTableCall(source, "aggregate", asked));
  }
  for (const column of order === null ? [] : numbers.slice(0, divideCalls(TRENDS_MAX, tables))) {
    calls.push(createTableCall(source, "trend", { column, by: order?.name ?? "" }));
  }
  return calls;
}

/** As many as the tool compares, the first of `names`, in the order of the table. */
function sortInTableOrder({ columns }: TableProfile, names: readonly string[]): string[] {
  const chosen = new Set(names.slice(0, CORRELATED_MAX));
  return columns.map(({ name }) => name).filter((name) => chosen.has(name));
}

function createCheckingCall(source: string, { x, y }: Correlation): PlannedCall {
  return createTableCall(source, "trend", { column: y, by: x });
}

/** A table's part of a number of calls, at least one. */
function divideCalls(calls: number, tables: number): number {
  return Math.max(1, Math.floor(calls / tables));
}

function createTableCall(
  source: string,
  capability: string,
  asked: PlannedCall["asked"],
): PlannedCall {
  return { source, tool: "table-analyst", capability, asked };
}

function createTextCall(
  source: string,
  capability: string,
  asked: PlannedCall["asked"],
): PlannedCall {
  return { source, tool: "text-analyst", capability, asked };
}
