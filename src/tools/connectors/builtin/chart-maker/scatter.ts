import type { JsonObject } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { readTable, type Column, type Table } from "../table.ts";
import { dotsOf } from "./dots.ts";
import * as inputs from "./inputs.ts";

/** More different numbers are a measure rather than kinds. */
const KINDS_MAX = 12;

/**
 * `{csv | data, x, y, colour?, title?}` → `{svg, width, height, points, notes}`: a dot for each row,
 * x a number or a date, coloured and shaped by the values of `colour`; `points` counts the dots.
 */
export async function scatter(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const table = await readTable(parameters);
  const title = inputs.titleOf(parameters["title"]);
  if (!table.ok) return fail([...table.failure, ...inputs.problemsOf([title])]);
  const x = inputs.columnOf(table.value, parameters, "x", ["number", "date"]);
  const y = inputs.columnOf(table.value, parameters, "y", ["number"]);
  const colour = colourOf(table.value, parameters);
  if (!x.ok || !y.ok || !colour.ok || !title.ok) {
    return fail(inputs.problemsOf([x, y, colour, title]));
  }
  const found = dotsOf(x.value, y.value, colour.value);
  if (found.dots === 0) return fail([inputs.noRowProblem("x", [x.value, y.value])]);
  const points = found.groups.flatMap((group) => group.points);
  const undrawable = inputs.pointProblems(x.value, y.value, points);
  if (undrawable.length > 0) return fail(undrawable);
  const [xName, yName] = [inputs.nameOf(x.value), inputs.nameOf(y.value)];
  const [{ scatterChart }, { svgOf }] = await Promise.all([
    import("./scatter-chart.ts"),
    import("./svg.ts"),
  ]);
  const chart = scatterChart({
    groups: found.groups,
    isTime: x.value.type === "date",
    xName,
    yName,
    title: title.value ?? `${yName} against ${xName}`,
  });
  return ok({
    svg: svgOf(chart),
    width: chart.width,
    height: chart.height,
    points: found.dots,
    notes: [
      ...table.value.notes,
      ...inputs.leftOutNote([x.value, y.value], found.leftOut),
      ...found.notes,
    ],
  });
}

function colourOf(table: Table, parameters: JsonObject): Result<Column | null, Problem> {
  const path = "colour";
  if (parameters[path] === undefined) return ok(null);
  const found = inputs.columnOf(table, parameters, path, ["text", "boolean", "number", "date"]);
  if (!found.ok || found.value.type === "text" || found.value.type === "boolean") return found;
  if (new Set(found.value.cells).size <= KINDS_MAX) return found;
  const message = `must be a column of texts, or of at most ${KINDS_MAX} different ${found.value.type}s`;
  return fail({ path, message });
}
