import { keyOf, type Call, type Entry } from "./calls.ts";
import type { Findings, TableFindings, TextFindings } from "./findings.ts";
import { trendsOverTime } from "./insights/all.ts";
import { contrastsOf, isTellingContrast } from "./insights/groups.ts";
import { isTelling } from "./insights/numbers.ts";
import { rolesOf } from "./roles.ts";
import { chartShape } from "./shapes.ts";
import { inTurns } from "./turns.ts";
import { label } from "./wording.ts";

/** A chart to be drawn, with the words that stand below it. */
export interface ChartPlan {
  readonly call: Call;
  readonly caption: string;
}

/** A chart that was drawn; `notes` are the tool's. */
export interface Chart {
  readonly caption: string;
  readonly svg: string;
  readonly notes: readonly string[];
}

const CHARTS_MAX = 3;

/** Up to three charts of what was found, the most telling first, each source in its turn. */
export function chartPlans({ tables, texts }: Findings, task: string): ChartPlan[] {
  const bySource = [...tables.map((table) => tableCharts(table, task)), ...texts.map(textCharts)];
  return inTurns(bySource).slice(0, CHARTS_MAX);
}

/** The charts among the calls that were made. */
export function chartsOf(plans: readonly ChartPlan[], entries: readonly Entry[]): Chart[] {
  return plans.flatMap(({ call, caption }) => {
    const found = entries.find((entry) => keyOf(entry) === keyOf(call))?.found ?? null;
    if (found === null) return [];
    const { svg, notes } = chartShape.parse(found);
    return [{ caption, svg, notes }];
  });
}

function tableCharts(table: TableFindings, task: string): ChartPlan[] {
  const { profile, source } = table;
  if (profile === null || profile.rows === 0) return [];
  const roles = rolesOf(profile, task);
  const [group] = roles.groups;
  const [measure] = roles.measures;
  const plans: ChartPlan[] = [];
  const [trend] = trendsOverTime(table, roles);
  if (trend !== undefined) {
    const asked = { x: trend.by, y: trend.column };
    plans.push(planOf(source, "line", asked, `${label(trend.column)} over ${label(trend.by)}`));
  }
  const pair = table.pairs.find(isTelling);
  if (pair !== undefined) {
    const asked = { x: pair.x, y: pair.y, ...(group === undefined ? {} : { colour: group.name }) };
    const caption = `${label(pair.y)} against ${label(pair.x)}: r = ${pair.r} (n = ${pair.n})`;
    plans.push(planOf(source, "scatter", asked, caption));
  }
  const contrast = contrastsOf(table, task).find(isTellingContrast);
  if (contrast !== undefined) {
    const { groupBy, column } = contrast.grouping;
    const caption = `Mean of ${label(column)} by ${label(groupBy)}`;
    plans.push(planOf(source, "bar", { x: groupBy, y: column }, caption));
  } else if (group !== undefined) {
    plans.push(planOf(source, "bar", { x: group.name }, `Rows by ${label(group.name)}`));
  }
  if (measure !== undefined) {
    const caption = `Distribution of ${label(measure.name)}`;
    plans.push(planOf(source, "histogram", { column: measure.name }, caption));
  }
  return plans;
}

/** Keywords come from one tool and go to the other as rows. */
function textCharts({ source, keywords }: TextFindings): ChartPlan[] {
  const terms = keywords?.keywords ?? [];
  if (terms.length < 2) return [];
  const data = terms.map(({ term, count }) => ({ keyword: term, times: count }));
  const asked = { data, x: "keyword", y: "times", title: "Keywords" };
  return [planOf(source, "bar", asked, `Keywords of ${source} by how often they occur`)];
}

function planOf(
  source: string,
  capability: string,
  asked: Call["asked"],
  caption: string,
): ChartPlan {
  return { call: { source, tool: "chart-maker", capability, asked }, caption };
}
