import type { JsonObject } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { readTable, type Cell, type Column } from "../table.ts";
import * as inputs from "./inputs.ts";
import type { LineAxis } from "./line-chart.ts";
import { meansByX, pointsOf } from "./points.ts";

/**
 * `{csv | data, x, y, title?}` → `{svg, width, height, points, notes}`: a line over numbers or dates
 * in ascending order, or over texts in the order in which they first appear; one point for each x.
 */
export async function line(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const table = await readTable(parameters);
  const title = inputs.titleOf(parameters["title"]);
  if (!table.ok) return fail([...table.failure, ...inputs.problemsOf([title])]);
  const x = inputs.columnOf(table.value, parameters, "x", ["number", "date", "text"]);
  const y = inputs.columnOf(table.value, parameters, "y", ["number"]);
  if (!x.ok || !y.ok || !title.ok) return fail(inputs.problemsOf([x, y, title]));
  const { axis, positions } = axisOf(x.value);
  const found = pointsOf(positions, inputs.positionsOf(y.value));
  if (found.points.length === 0) return fail([inputs.noRowProblem("x", [x.value, y.value])]);
  const { points, repeats } = meansByX(found.points);
  const undrawable = inputs.pointProblems(x.value, y.value, points);
  if (undrawable.length > 0) return fail(undrawable);
  const xName = inputs.nameOf(x.value);
  const yName = repeats ? `Mean of ${inputs.nameOf(y.value)}` : inputs.nameOf(y.value);
  const [{ lineChart, isThinned, THINNED_NOTE }, { svgOf }] = await Promise.all([
    import("./line-chart.ts"),
    import("./svg.ts"),
  ]);
  const chart = lineChart({
    points,
    axis,
    xName,
    yName,
    title: title.value ?? `${yName} by ${xName}`,
  });
  return ok({
    svg: svgOf(chart),
    width: chart.width,
    height: chart.height,
    points: points.length,
    notes: [
      ...table.value.notes,
      ...inputs.leftOutNote([x.value, y.value], found.leftOut),
      ...(repeats ? ["Values of x repeat: each point is the mean of its rows."] : []),
      ...(isThinned(points) ? [THINNED_NOTE] : []),
    ],
  });
}

function axisOf(x: Column): { axis: LineAxis; positions: (number | null)[] } {
  if (x.type === "date") return { axis: "time", positions: inputs.positionsOf(x) };
  if (x.type === "number") return { axis: "value", positions: inputs.positionsOf(x) };
  const places = new Map<Cell, number>();
  const positions = x.cells.map((cell) => {
    if (cell === null) return null;
    const place = places.get(cell) ?? places.size;
    places.set(cell, place);
    return place;
  });
  return { axis: Array.from(places.keys(), String), positions };
}
