import {
  formatFigure,
  toChartLabel,
  CHARACTER_WIDTH_PX,
  CHART_HEIGHT_PX,
  FIRST_COLOUR,
  OTHER_COLOUR,
  TEXT_COLOUR,
} from "./style.ts";
import { mean, sum } from "simple-statistics";
import { type Column, type ColumnType, readTable, type TableCell } from "../table/table.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { CapabilityHandler } from "../../../tools/connectors/contract.ts";
import { formatCount } from "../../../kernel/text.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import {
  findTypedColumn,
  checkDrawable,
  buildChartNotes,
  toColumnLabel,
  createNoRowProblem,
  parseChartTitle,
} from "./parameters.ts";
import { collectProblems } from "../parameters.ts";
import { buildValueAxis, buildLabelAxis, drawChart, type ChartContent } from "./svg.ts";

/**
 * `{csv | data, x, y?, aggregate?, title?}` → `{svg, width, height, points, notes}`. Draws one bar per label in x. Each
 * bar shows the mean, sum or count of y, or the number of rows if y is omitted. `points` is the number of bars.
 */
export const drawBarChart: CapabilityHandler = async (parameters) => {
  const table = readTable(parameters);
  const title = parseChartTitle(parameters["title"]);
  const aggregate = parseAggregate(parameters);
  if (!table.ok) return fail([...table.failure, ...collectProblems([title, aggregate])]);
  const labels = findTypedColumn(table.value, parameters, "x", LABEL_TYPES);
  const numbers =
    parameters["y"] === undefined
      ? ok(null)
      : findTypedColumn(table.value, parameters, "y", ["number"]);
  if (!labels.ok || !numbers.ok || !title.ok || !aggregate.ok) {
    return fail(collectProblems([labels, numbers, title, aggregate]));
  }
  const columns = [labels.value, numbers.value].filter((column) => column !== null);
  const found = aggregateBars(labels.value, numbers.value, aggregate.value);
  if (found.bars.length === 0) return fail([createNoRowProblem("x", columns)]);
  const undrawable =
    numbers.value === null
      ? []
      : checkDrawable("y", numbers.value, [0, ...found.bars.map(({ value }) => value)]);
  if (undrawable.length > 0) return fail(undrawable);
  const { valueName, labelName } = toAxisNames(labels.value, numbers.value, aggregate.value, found);
  const barNotes = buildBarNotes(numbers.value, aggregate.value, found);
  return ok(
    drawChart("Bar chart", {
      title: title.value ?? `${valueName} by ${labelName}`,
      description: describeBars(found.bars),
      points: found.bars.length,
      notes: buildChartNotes(table.value, columns, found.omittedCount, barNotes),
      ...buildBars(found, labelName, valueName),
    }),
  );
};

const LABEL_TYPES: readonly ColumnType[] = ["text", "number", "date", "boolean"];

function parseAggregate({ aggregate, y }: JsonObject): Result<BarAggregate, Problem> {
  if (aggregate === undefined) return ok(y === undefined ? "count" : "mean");
  const known = BAR_AGGREGATES.find((name) => name === aggregate);
  if (known === undefined) {
    const message = `must be "mean", "sum" or "count", got ${preview(aggregate)}`;
    return fail({ path: "aggregate", message });
  }
  if (known !== "count" && y === undefined) {
    return fail({
      path: "aggregate",
      message: `must be "count" if y is omitted; add y to use ${preview(known)}`,
    });
  }
  return ok(known);
}

function toAxisNames(
  labels: Column,
  numbers: Column | null,
  aggregate: BarAggregate,
  { hasRepeatedLabels, foldedCount }: AggregatedBars,
): { labelName: string; valueName: string } {
  const labelName = toColumnLabel(labels);
  if (numbers === null) return { labelName, valueName: "Rows" };
  const name = toColumnLabel(numbers);
  const single = !hasRepeatedLabels && foldedCount === 0 && aggregate !== "count";
  return { labelName, valueName: single ? name : `${AGGREGATES[aggregate].label} of ${name}` };
}

function buildBarNotes(
  numbers: Column | null,
  aggregate: BarAggregate,
  { hasRepeatedLabels, foldedCount }: AggregatedBars,
): string[] {
  const notes: string[] = [];
  if (hasRepeatedLabels && numbers !== null) {
    notes.push(
      `Some labels repeat, so each bar shows the ${aggregate} of all rows with its label.`,
    );
  }
  if (foldedCount > 0) {
    const of = numbers === null ? "count" : aggregate;
    notes.push(
      `The ${foldedCount} smallest bars are combined into "other (${foldedCount})", which shows the ${of} of their rows.`,
    );
  }
  return notes;
}

const BAR_AGGREGATES = ["mean", "sum", "count"] as const;
type BarAggregate = (typeof BAR_AGGREGATES)[number];

const AGGREGATES = {
  mean: { label: "Mean", compute: mean },
  sum: { label: "Sum", compute: sum },
  count: { label: "Count", compute: (values: readonly number[]) => values.length },
} as const;

interface Bar {
  readonly label: TableCell;
  readonly value: number;
}

/** The bars of a chart. If `foldedCount` is not 0, the last bar combines the smallest ones. */
interface AggregatedBars {
  readonly bars: readonly Bar[];
  readonly hasRepeatedLabels: boolean;
  readonly foldedCount: number;
  readonly omittedCount: number;
}

const BARS_MAX = 30;

/**
 * One bar per label, sorted by label, or by value if the labels are text. If there are more than 30, the 29 largest are
 * kept and the others are combined.
 */
function aggregateBars(
  labels: Column,
  numbers: Column | null,
  aggregate: BarAggregate,
): AggregatedBars {
  const rows = labels.cells.flatMap((label, row) => {
    const value = numbers === null ? 1 : numbers.cells[row];
    return label === null || typeof value !== "number" ? [] : [{ label, value }];
  });
  const { compute } = AGGREGATES[aggregate];
  const bySize = Array.from(
    Map.groupBy(rows, ({ label }) => label),
    ([label, group]) => {
      const values = group.map(({ value }) => value);
      return { label, values, value: compute(values) };
    },
  ).toSorted((one, other) => Math.abs(other.value) - Math.abs(one.value));
  const shownBars = bySize.length > BARS_MAX ? bySize.slice(0, BARS_MAX - 1) : bySize;
  const rest = bySize.slice(shownBars.length);
  const bars: Bar[] = shownBars.toSorted((one, other) => compareBars(labels, one, other));
  if (rest.length > 0) {
    const values = rest.flatMap((bar) => bar.values);
    bars.push({ label: `other (${rest.length})`, value: compute(values) });
  }
  const hasRepeatedLabels = bySize.some(({ values }) => values.length > 1);
  const omittedCount = labels.cells.length - rows.length;
  return { bars, hasRepeatedLabels, foldedCount: rest.length, omittedCount };
}

function compareBars({ type }: Column, one: Bar, other: Bar): number {
  if (type === "text") return other.value - one.value;
  if (type === "number") return Number(one.label) - Number(other.label);
  return String(one.label) < String(other.label) ? -1 : 1;
}

const LABEL_CHARACTERS_MAX = 28;
const PLOT_WIDTH_PX = 620;
const TEXT_GAP_PX = 10;
/** Space for the figures next to the bars, as a share of the axis. */
const FIGURE_MARGIN = "8%";
const ROW_HEIGHT_PX = 26;
const ROWS_TOP_PX = 130;

/** Builds vertical bars if the labels fit below them, or else horizontal bars. */
function buildBars(
  { bars, foldedCount }: AggregatedBars,
  labelName: string,
  valueName: string,
): Pick<ChartContent, "xAxis" | "yAxis" | "series" | "height"> {
  const labels = bars.map(({ label }) => toChartLabel(label ?? "", LABEL_CHARACTERS_MAX));
  const figures = bars.map(({ value }) => formatFigure(value));
  const isHorizontal = estimateTextWidth([...labels, ...figures]) > PLOT_WIDTH_PX / bars.length;
  const labelAxis = {
    type: "category" as const,
    data: labels,
    ...buildLabelAxis(labelName, isHorizontal ? "y" : "x", { interval: 0 }),
    ...(isHorizontal && { inverse: true, nameLocation: "start" as const }),
  };
  const isNegative = bars.some(({ value }) => value < 0);
  const numberAxis = {
    ...buildValueAxis(valueName, isHorizontal ? "x" : "y"),
    boundaryGap: [isNegative ? FIGURE_MARGIN : 0, FIGURE_MARGIN] satisfies [
      number | string,
      string,
    ],
  };
  return {
    ...(isHorizontal && {
      height: Math.max(CHART_HEIGHT_PX / 2, ROWS_TOP_PX + ROW_HEIGHT_PX * bars.length),
    }),
    xAxis: isHorizontal ? numberAxis : labelAxis,
    yAxis: isHorizontal ? labelAxis : numberAxis,
    series: {
      type: "bar",
      silent: true,
      emphasis: { disabled: true },
      label: {
        show: true,
        position: "outside",
        color: TEXT_COLOUR,
        formatter: ({ value }) => formatFigure(Number(value)),
      },
      barMaxWidth: 72,
      barCategoryGap: "30%",
      data: bars.map(({ value }, index) => ({
        value,
        itemStyle: {
          color: foldedCount > 0 && index === bars.length - 1 ? OTHER_COLOUR : FIRST_COLOUR,
        },
      })),
    },
  };
}

function estimateTextWidth(texts: readonly string[]): number {
  return (
    TEXT_GAP_PX + Math.max(...texts.map((text) => Array.from(text).length * CHARACTER_WIDTH_PX))
  );
}

function describeBars(bars: readonly Bar[]): string {
  const highest = bars.reduce((most, bar) => (bar.value > most.value ? bar : most));
  const lowest = bars.reduce((least, bar) => (bar.value < least.value ? bar : least));
  return `${formatCount(bars.length, "bar")}; highest: ${formatBar(highest)}; lowest: ${formatBar(lowest)}.`;
}

function formatBar({ label, value }: Bar): string {
  return `${toChartLabel(label ?? "", LABEL_CHARACTERS_MAX)}, ${formatFigure(value)}`;
}
