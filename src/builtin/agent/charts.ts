import { callKeyOf, type PlannedCall, type CompletedCall } from "./tool-calls.ts";
import {
  type InputFindings,
  interleave,
  type TableFindings,
  type TextFindings,
} from "./findings.ts";
import {
  findTimeTrends,
  isNotableContrast,
  isNotableCorrelation,
  rankGroupContrasts,
} from "./insights.ts";
import { classifyColumns } from "./column-roles.ts";
import { chartResultSchema } from "./result-schemas.ts";
import { formatLabel } from "../../kernel/text.ts";

/** A chart to be drawn, with the words that stand below it. */
export interface ChartPlan {
  readonly call: PlannedCall;
  readonly caption: string;
}

/** A chart that was drawn; `notes` are the tool's. */
export interface DrawnChart {
  readonly caption: string;
  readonly svg: string;
  readonly notes: readonly string[];
}

const CHARTS_MAX = 3;

/** Up to three charts of what was found, the most telling first, each source in its turn. */
export function planCharts({ tables, texts }: InputFindings, task: string): ChartPlan[] {
  const bySource = [
    ...tables.map((table) => planTableCharts(table, task)),
    ...texts.map(planTextCharts),
  ];
  return interleave(bySource).slice(0, CHARTS_MAX);
}

/** The charts among the calls that were made. */
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

function planTableCharts(table: TableFindings, task: string): ChartPlan[] {
  const { profile, source } = table;
  if (profile === null || profile.rows === 0) return [];
  const roles = classifyColumns(profile, task);
  const [group] = roles.groups;
  const [measure] = roles.measures;
  const plans: ChartPlan[] = [];
  const [trend] = findTimeTrends(table, roles);
  if (trend !== undefined) {
    const asked = { x: trend.by, y: trend.column };
    plans.push(
      createChartPlan(
        source,
        "line",
        asked,
        `${formatLabel(trend.column)} over ${formatLabel(trend.by)}`,
      ),
    );
  }
  const pair = table.pairs.find(isNotableCorrelation);
  if (pair !== undefined) {
    const asked = { x: pair.x, y: pair.y, ...(group === undefined ? {} : { colour: group.name }) };
    const caption = `${formatLabel(pair.y)} against ${formatLabel(pair.x)}: r = ${pair.r} (n = ${pair.n})`;
    plans.push(createChartPlan(source, "scatter", asked, caption));
  }
  const contrast = rankGroupContrasts(table, task).find(isNotableContrast);
  if (contrast !== undefined) {
    const { groupBy, column } = contrast.grouping;
    const caption = `Mean of ${formatLabel(column)} by ${formatLabel(groupBy)}`;
    plans.push(createChartPlan(source, "bar", { x: groupBy, y: column }, caption));
  } else if (group !== undefined) {
    plans.push(
      createChartPlan(source, "bar", { x: group.name }, `Rows by ${formatLabel(group.name)}`),
    );
  }
  if (measure !== undefined) {
    const caption = `Distribution of ${formatLabel(measure.name)}`;
    plans.push(createChartPlan(source, "histogram", { column: measure.name }, caption));
  }
  return plans;
}

/** Keywords come from one tool and go to the other as rows. */
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
