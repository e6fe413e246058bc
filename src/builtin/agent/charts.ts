import { callKeyOf, type PlannedCall, type CompletedCall } from "./tool-calls.ts";
import { interleave, type TextFindings } from "./findings.ts";
import {
  type InputAnalysis,
  isNotableContrast,
  isNotableCorrelation,
  type TableAnalysis,
} from "./insights.ts";
import { chartResultSchema } from "./result-schemas.ts";
import { formatLabel } from "../../kernel/text.ts";

interface ChartPlan {
  readonly call: PlannedCall;
  readonly caption: string;
}

export interface DrawnChart {
  readonly caption: string;
  readonly svg: string;
  readonly notes: readonly string[];
}

const CHARTS_MAX = 3;

/** Up to three charts, the most informative of each source first. */
export function planCharts({ tables, texts }: InputAnalysis): ChartPlan[] {
  const bySource = [...tables.map(planTableCharts), ...texts.map(planTextCharts)];
  return interleave(bySource).slice(0, CHARTS_MAX);
}

export function collectDrawnCharts(
  plans: readonly ChartPlan[],
  entries: readonly CompletedCall[],
): DrawnChart[] {
  return plans.flatMap(({ call, caption }) => {
    const found = entries.find((entry) => callKeyOf(entry) === callKeyOf(call))?.found ?? null;
    if (found === null) return [];
    const { svg, notes } = chartResultSchema.parse(found);
    return [{ caption, svg, notes }];
  });
}

function planTableCharts(table: TableAnalysis): ChartPlan[] {
  const { source, profile, pairs, roles, contrasts, timeTrends } = table;
  if (roles === null || profile === null || profile.rows === 0) return [];
  const [group] = roles.groups;
  const [measure] = roles.measures;
  const plans: ChartPlan[] = [];
  const [trend] = timeTrends;
  if (trend !== undefined) {
    const asked = { x: trend.by, y: trend.column };
    const caption = `${formatLabel(trend.column)} over ${formatLabel(trend.by)}`;
    plans.push(createChartPlan(source, "line", asked, caption));
  }
  const pair = pairs.find(isNotableCorrelation);
  if (pair !== undefined) {
    const asked = { x: pair.x, y: pair.y, ...(group === undefined ? {} : { colour: group.name }) };
    const caption = `${formatLabel(pair.y)} against ${formatLabel(pair.x)}: r = ${pair.r} (n = ${pair.n})`;
    plans.push(createChartPlan(source, "scatter", asked, caption));
  }
  const contrast = contrasts.find(isNotableContrast);
  if (contrast !== undefined) {
    const { groupBy, column } = contrast.grouping;
    const caption = `Mean of ${formatLabel(column)} by ${formatLabel(groupBy)}`;
    plans.push(createChartPlan(source, "bar", { x: groupBy, y: column }, caption));
  } else if (group !== undefined) {
    const caption = `Rows by ${formatLabel(group.name)}`;
    plans.push(createChartPlan(source, "bar", { x: group.name }, caption));
  }
  if (measure !== undefined) {
    const caption = `Distribution of ${formatLabel(measure.name)}`;
    plans.push(createChartPlan(source, "histogram", { column: measure.name }, caption));
  }
  return plans;
}

/** Passes the keywords of one tool to the other as rows. */
function planTextCharts({ source, keywords }: TextFindings): ChartPlan[] {
  const terms = keywords?.keywords ?? [];
  if (terms.length < 2) return [];
  const data = terms.map(({ term, count }) => ({ keyword: term, times: count }));
  const asked = { data, x: "keyword", y: "times", title: "Keywords" };
  return [createChartPlan(source, "bar", asked, `Keywords of ${source} by how often they occur`)];
}

function createChartPlan(
  source: string,
  capability: string,
  asked: PlannedCall["asked"],
  caption: string,
): ChartPlan {
  return { call: { source, tool: "chart-maker", capability, asked }, caption };
}
