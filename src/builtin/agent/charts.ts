import { callKeyOf, type PlannedCall, type CompletedCall } from "./tool-calls.ts";
import { interleave, type TextFindings } from "./findings.ts";
import {
  formatMostCommonValue,
  formatTrend,
  type InputAnalysis,
  type TableAnalysis,
} from "./insights.ts";
import {
  describeCorrelation,
  type GroupContrast,
  isNotableContrast,
  isNotableCorrelation,
} from "./effect-sizes.ts";
import { formatAmount, formatFigure } from "./figures.ts";
import { chartResultSchema, type ColumnProfile } from "./result-schemas.ts";
import { formatLabel } from "../../kernel/text.ts";

/** `title` says what the chart shows; `finding` says what it means. The drawing contains only the title. */
interface ChartPlan {
  readonly call: PlannedCall;
  readonly title: string;
  readonly finding: string;
}

export interface DrawnChart {
  readonly title: string;
  readonly finding: string;
  readonly svg: string;
  readonly notes: readonly string[];
}

const CHARTS_MAX = 3;

/** Plans up to three charts, starting with the most informative chart for each source. */
export function planCharts({ tables, texts }: InputAnalysis): ChartPlan[] {
  const bySource = [...tables.map(planTableCharts), ...texts.map(planTextCharts)];
  return interleave(bySource).slice(0, CHARTS_MAX);
}

export function collectDrawnCharts(
  plans: readonly ChartPlan[],
  entries: readonly CompletedCall[],
): DrawnChart[] {
  return plans.flatMap(({ call, title, finding }) => {
    const found = entries.find((entry) => callKeyOf(entry) === callKeyOf(call))?.found ?? null;
    if (found === null) return [];
    const { svg, notes } = chartResultSchema.parse(found);
    return [{ title, finding, svg, notes }];
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
    const title = `${formatLabel(trend.column)} by ${formatLabel(trend.by)}`;
    plans.push(createChartPlan(source, "line", asked, title, formatTrend(trend)));
  }
  const pair = pairs.find(isNotableCorrelation);
  if (pair !== undefined) {
    const asked = { x: pair.x, y: pair.y, ...(group === undefined ? {} : { colour: group.name }) };
    const [x, y] = [formatLabel(pair.x), formatLabel(pair.y)];
    const finding = `${x} and ${y} have ${describeCorrelation(pair)} (r = ${formatFigure(pair.r)})`;
    plans.push(createChartPlan(source, "scatter", asked, `${y} against ${x}`, finding));
  }
  const contrast = contrasts.find(isNotableContrast);
  if (contrast !== undefined) {
    const { groupBy, column } = contrast.grouping;
    const title = `Mean of ${formatLabel(column)} by ${formatLabel(groupBy)}`;
    plans.push(
      createChartPlan(source, "bar", { x: groupBy, y: column }, title, nameExtremes(contrast)),
    );
  } else if (group !== undefined) {
    const title = `Rows by ${formatLabel(group.name)}`;
    const finding =
      formatMostCommonValue(group) ??
      `No single value of ${formatLabel(group.name)} is the most common`;
    plans.push(createChartPlan(source, "bar", { x: group.name }, title, finding));
  }
  if (measure !== undefined) {
    const title = `Distribution of ${formatLabel(measure.name)}`;
    const asked = { column: measure.name };
    plans.push(createChartPlan(source, "histogram", asked, title, locateValues(measure)));
  }
  return plans;
}

/** For example, "Body Mass (g) is highest for Gentoo (mean 5076) and lowest for Adelie (mean 3701)". */
function nameExtremes({ grouping, high, low }: GroupContrast): string {
  const [most, least] = [high, low].map(
    ({ group, mean }) => `${formatLabel(group)} (mean ${formatFigure(mean ?? 0)})`,
  );
  return `${formatLabel(grouping.column)} is highest for ${most} and lowest for ${least}`;
}

/** For example, "The middle half of the values of Body Mass (g) is between 3550 and 4750". */
function locateValues({ name, q1, q3, median }: ColumnProfile): string {
  if (q1 === null || q3 === null || q1 === q3) {
    return `The median of ${formatLabel(name)} is ${median === null ? "unknown" : formatFigure(median)}`;
  }
  return `The middle half of the values of ${formatLabel(name)} is between ${formatFigure(q1)} and ${formatFigure(q3)}`;
}

/** Passes the keywords found by `text-analyst` to `chart-maker` as rows. */
function planTextCharts({ source, keywords }: TextFindings): ChartPlan[] {
  const [first, ...others] = keywords?.keywords ?? [];
  if (first === undefined || others.length === 0) return [];
  const data = [first, ...others].map(({ term, count }) => ({ keyword: term, times: count }));
  const title = "Keywords by frequency";
  const asked = { data, x: "keyword", y: "times", title };
  const times = first.count === 1 ? "once" : formatAmount(first.count, "time");
  const finding = `The highest-ranked keyword is ${formatLabel(first.term)}, which appears ${times}`;
  return [createChartPlan(source, "bar", asked, title, finding)];
}

function createChartPlan(
  source: string,
  capability: string,
  asked: PlannedCall["asked"],
  title: string,
  finding: string,
): ChartPlan {
  return { call: { source, tool: "chart-maker", capability, asked }, title, finding };
}
