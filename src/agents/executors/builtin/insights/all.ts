import type { Findings, TableFindings } from "../findings.ts";
import { groupInsights } from "./groups.ts";
import type { Insight } from "./insight.ts";
import { fenceInsights, meanInsights, pairInsights, trendInsights } from "./numbers.ts";
import { textInsights } from "./texts.ts";
import { valueInsights } from "./values.ts";
import { rolesOf, type Roles } from "../roles.ts";
import type { Trend } from "../shapes.ts";

/**
 * The sentences that the findings ground, source by source. Every figure in them is a tool's; where
 * there are several sources, each sentence begins with its own.
 */
export function insightsOf({ tables, texts }: Findings, task: string): Insight[] {
  const several = tables.length + texts.length > 1;
  const of = (source: string, insights: Insight[]) =>
    several ? insights.map((one) => ({ ...one, text: `${source}: ${one.text}` })) : insights;
  return [
    ...tables.flatMap((table) => of(table.source, tableInsights(table, task))),
    ...texts.flatMap((text) => of(text.source, textInsights(text))),
  ];
}

/** The trends over time; the other trends are there to check correlations. */
export function trendsOverTime({ trends }: TableFindings, { order }: Roles): Trend[] {
  return trends.filter(({ by }) => by === order?.name);
}

function tableInsights(table: TableFindings, task: string): Insight[] {
  const { profile } = table;
  const roles = rolesOf(profile ?? { rows: 0, columns: [], unread: 0, notes: [] }, task);
  return [
    ...meanInsights(table, roles),
    ...pairInsights(table),
    ...groupInsights(table, task),
    ...trendInsights(trendsOverTime(table, roles)),
    ...fenceInsights(table, roles),
    ...(profile === null ? [] : valueInsights(profile)),
  ];
}
