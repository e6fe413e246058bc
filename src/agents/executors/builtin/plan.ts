import type { UsableTool } from "../contract.ts";
import { nameOf, type Call } from "./calls.ts";
import type { Findings, TableFindings } from "./findings.ts";
import type { Source } from "./material.ts";
import { rolesOf } from "./roles.ts";
import type { Pair, Profile } from "./shapes.ts";

/** Calls that the agent wants to make: `granted` ones it may, `missing` ones it has no grant for. */
export interface Wanted {
  readonly granted: readonly Call[];
  readonly missing: readonly Call[];
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
export function namesOf(tools: readonly UsableTool[]): string[] {
  return tools.flatMap(({ id, capabilities }) => capabilities.map((name) => `${id}/${name}`));
}

export function wanted(calls: readonly Call[], usable: readonly string[]): Wanted {
  const isUsable = (call: Call) => usable.includes(nameOf(call));
  return { granted: calls.filter(isUsable), missing: calls.filter((call) => !isUsable(call)) };
}

/** The calls that read the material: they need to know nothing of it. */
export function gatheringCalls(sources: readonly Pick<Source, "id" | "kind">[]): Call[] {
  return sources.flatMap(({ id, kind }) =>
    kind === "table"
      ? [table(id, "profile", {})]
      : [
          text(id, "readability", {}),
          text(id, "keywords", { limit: KEYWORDS_LIMIT }),
          text(id, "summarise", { sentences: EXTRACT_SENTENCES }),
        ],
  );
}

/**
 * The calls that look into tables, chosen by what their columns are; columns that the task's words
 * name come first. Where nobody may profile, those that need no column's name.
 */
export function analysingCalls({ tables }: Findings, task: string, mayProfile: boolean): Call[] {
  return tables.flatMap((findings) =>
    findings.profile === null
      ? mayProfile
        ? []
        : [table(findings.source, "correlate", {}), table(findings.source, "outliers", {})]
      : tableCalls(findings, task, tables.length),
  );
}

/** Trends that show the strongest correlations a second time: r2 of the one is r squared of the other. */
export function checkingCalls({ tables }: Findings): Call[] {
  return tables.flatMap(({ source, pairs }) =>
    pairs.slice(0, share(CHECKS_MAX, tables.length)).map((pair) => checkOf(source, pair)),
  );
}

function tableCalls({ source, profile }: TableFindings, task: string, tables: number): Call[] {
  if (profile === null || profile.rows === 0) return [];
  const { measures, groups, order } = rolesOf(profile, task);
  const numbers = measures.map(({ name }) => name);
  const calls: Call[] = [];
  if (numbers.length >= 2)
    calls.push(table(source, "correlate", { columns: inTableOrder(profile, numbers) }));
  if (numbers.length > 0) calls.push(table(source, "outliers", {}));
  const ranked = groups.slice(0, GROUPS_MAX).flatMap((group, place) =>
    measures.slice(0, MEASURES_MAX).map((measure, index) => ({
      rank: GROUP_RANK * place + index,
      asked: { groupBy: group.name, column: measure.name },
    })),
  );
  const chosen = ranked.filter(({ rank }) => rank <= RANK_MAX).toSorted((a, b) => a.rank - b.rank);
  for (const { asked } of chosen.slice(0, share(AGGREGATES_MAX, tables))) {
    calls.push(table(source, "aggregate", asked));
  }
  for (const column of order === null ? [] : numbers.slice(0, share(TRENDS_MAX, tables))) {
    calls.push(table(source, "trend", { column, by: order?.name ?? "" }));
  }
  return calls;
}

/** As many as the tool compares, the first of `names`, in the order of the table. */
function inTableOrder({ columns }: Profile, names: readonly string[]): string[] {
  const chosen = new Set(names.slice(0, CORRELATED_MAX));
  return columns.map(({ name }) => name).filter((name) => chosen.has(name));
}

function checkOf(source: string, { x, y }: Pair): Call {
  return table(source, "trend", { column: y, by: x });
}

/** A table's part of a number of calls, at least one. */
function share(calls: number, tables: number): number {
  return Math.max(1, Math.floor(calls / tables));
}

function table(source: string, capability: string, asked: Call["asked"]): Call {
  return { source, tool: "table-analyst", capability, asked };
}

function text(source: string, capability: string, asked: Call["asked"]): Call {
  return { source, tool: "text-analyst", capability, asked };
}
