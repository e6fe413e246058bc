import type { UsableTool } from "../../executors/contract.ts";
import { capabilityPathOf, type PlannedCall } from "./tool-calls.ts";
import type { InputFindings, TableFindings } from "./findings.ts";
import type { InputSource } from "./inputs.ts";
import { classifyColumns } from "./column-roles.ts";
import type { TableProfile } from "./result-schemas.ts";

/** Call limits that all tables share, so several tables cost little more than one. */
const AGGREGATES_MAX = 6;
const TRENDS_MAX = 2;
const CHECKS_MAX = 3;
const GROUPS_MAX = 3;
const MEASURES_MAX = 4;
const CORRELATED_MAX = 30;
/**
 * Rank of a grouping: GROUP_RANK × position of the group + position of the measure. The first group is paired with
 * the most measures.
 */
const GROUP_RANK = 2;
const RANK_MAX = 3;

const KEYWORDS_LIMIT = 10;
const EXTRACT_SENTENCES = 3;

/** The paths of all usable capabilities, such as "table-analyst/profile". */
export function listCapabilityPaths(tools: readonly UsableTool[]): string[] {
  return tools.flatMap(({ id, capabilities }) => capabilities.map((name) => `${id}/${name}`));
}

export function splitCallsByGrant(
  calls: readonly PlannedCall[],
  usable: readonly string[],
): { granted: PlannedCall[]; missing: PlannedCall[] } {
  const isUsable = (call: PlannedCall) => usable.includes(capabilityPathOf(call));
  return { granted: calls.filter(isUsable), missing: calls.filter((call) => !isUsable(call)) };
}

export function planGatheringCalls(
  sources: readonly Pick<InputSource, "id" | "kind">[],
): PlannedCall[] {
  return sources.flatMap(({ id, kind }) =>
    kind === "table"
      ? [createAnalystCall("table", id, "profile", {})]
      : [
          createAnalystCall("text", id, "readability", {}),
          createAnalystCall("text", id, "keywords", { limit: KEYWORDS_LIMIT }),
          createAnalystCall("text", id, "summarise", { sentences: EXTRACT_SENTENCES }),
        ],
  );
}

/**
 * Calls that analyse tables by column role. If the agent may not profile tables, returns only calls that need no column
 * names.
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
            createAnalystCall("table", findings.source, "correlate", {}),
            createAnalystCall("table", findings.source, "outliers", {}),
          ]
      : planTableCalls(findings, task, tables.length),
  );
}

/** Trends that check the strongest correlations, because a trend's r2 must equal the square of r. */
export function planCheckingCalls({ tables }: InputFindings): PlannedCall[] {
  return tables.flatMap(({ source, pairs }) =>
    pairs
      .slice(0, divideCalls(CHECKS_MAX, tables.length))
      .map(({ x, y }) => createAnalystCall("table", source, "trend", { column: y, by: x })),
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
  if (numbers.length >= 2) {
    const columns = sortInTableOrder(profile, numbers);
    calls.push(createAnalystCall("table", source, "correlate", { columns }));
  }
  if (numbers.length > 0) calls.push(createAnalystCall("table", source, "outliers", {}));
  const ranked = groups.slice(0, GROUPS_MAX).flatMap((group, groupIndex) =>
    measures.slice(0, MEASURES_MAX).map((measure, index) => ({
      rank: GROUP_RANK * groupIndex + index,
      asked: { groupBy: group.name, column: measure.name },
    })),
  );
  const chosen = ranked.filter(({ rank }) => rank <= RANK_MAX).toSorted((a, b) => a.rank - b.rank);
  for (const { asked } of chosen.slice(0, divideCalls(AGGREGATES_MAX, tables))) {
    calls.push(createAnalystCall("table", source, "aggregate", asked));
  }
  if (order === null) return calls;
  for (const column of numbers.slice(0, divideCalls(TRENDS_MAX, tables))) {
    calls.push(createAnalystCall("table", source, "trend", { column, by: order.name }));
  }
  return calls;
}

/** The first names, up to the number of columns that the tool compares, in table order. */
function sortInTableOrder({ columns }: TableProfile, names: readonly string[]): string[] {
  const chosen = new Set(names.slice(0, CORRELATED_MAX));
  return columns.map(({ name }) => name).filter((name) => chosen.has(name));
}

function divideCalls(calls: number, tables: number): number {
  return Math.max(1, Math.floor(calls / tables));
}

function createAnalystCall(
  kind: InputSource["kind"],
  source: string,
  capability: string,
  asked: PlannedCall["asked"],
): PlannedCall {
  return { source, tool: `${kind}-analyst`, capability, asked };
}
