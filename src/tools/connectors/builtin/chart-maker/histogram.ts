import type { Json, JsonObject } from "../../../../domain/json.ts";
import { shown, type Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { readTable } from "../table.ts";
import type { Bin } from "./bins.ts";
import * as inputs from "./inputs.ts";

const BINS_MAX = 100;
/** Edges are told to a thousandth of a bin's width, which four digits of a large one would lose. */
const EDGE_DIGITS = 3;
const DECIMALS_MAX = 15;

/**
 * `{csv | data, column, bins?, title?}` → `{svg, width, height, points, bins: [{from, to, count}],
 * rule, notes}`; `points` counts the values, `rule` says how the number of bins was chosen.
 */
export async function histogram(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const table = await readTable(parameters);
  const title = inputs.titleOf(parameters["title"]);
  const asked = binCount(parameters["bins"]);
  if (!table.ok) return fail([...table.failure, ...inputs.problemsOf([asked, title])]);
  const column = inputs.columnOf(table.value, parameters, "column", ["number"]);
  if (!column.ok || !title.ok || !asked.ok) {
    return fail(inputs.problemsOf([column, asked, title]));
  }
  const values = column.value.cells.filter((cell) => typeof cell === "number");
  if (values.length === 0) return fail([inputs.noRowProblem("column", [column.value])]);
  const undrawable = inputs.drawingProblems("column", column.value, values);
  if (undrawable.length > 0) return fail(undrawable);
  const [{ binsOf }, { histogramChart }, { svgOf }] = await Promise.all([
    import("./bins.ts"),
    import("./histogram-chart.ts"),
    import("./svg.ts"),
  ]);
  const { bins, rule } = binsOf(values, asked.value);
  const name = inputs.nameOf(column.value);
  const chart = histogramChart({ bins, name, title: title.value ?? `Distribution of ${name}` });
  const missing = column.value.cells.length - values.length;
  const single = asked.value !== null && bins.length < asked.value;
  return ok({
    svg: svgOf(chart),
    width: chart.width,
    height: chart.height,
    points: values.length,
    bins: bins.map(toFigures),
    rule,
    notes: [
      ...table.value.notes,
      ...inputs.leftOutNote([column.value], missing),
      ...(single ? ["The values do not differ enough for several bins."] : []),
    ],
  });
}

function binCount(value: Json | undefined): Result<number | null, Problem> {
  if (value === undefined) return ok(null);
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= BINS_MAX) {
    return ok(value);
  }
  const message = `must be a whole number from 1 to ${BINS_MAX}, got ${shown(value)}`;
  return fail({ path: "bins", message });
}

function toFigures({ from, to, count }: Bin): JsonObject {
  const decimals = Math.max(0, EDGE_DIGITS - Math.floor(Math.log10(to - from)));
  const round = (edge: number) =>
    decimals > DECIMALS_MAX ? edge : Number(edge.toFixed(decimals)) + 0;
  return { from: round(from), to: round(to), count };
}
