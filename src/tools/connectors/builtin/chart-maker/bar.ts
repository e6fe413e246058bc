import type { JsonObject } from "../../../../domain/json.ts";
import { shown, type Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { readTable, type Column } from "../table.ts";
import { AGGREGATES, barsOf, type Aggregate, type Bars } from "./bars.ts";
import {
  columnOf,
  drawingProblems,
  leftOutNote,
  nameOf,
  noRowProblem,
  problemsOf,
  titleOf,
} from "./inputs.ts";

/**
 * `{csv | data, x, y?, aggregate?, title?}` → `{svg, width, height, points, notes}`: one bar for each
 * label of x, with the mean, sum or count of y, or of the rows without y; `points` counts the bars.
 */
export async function bar(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const table = await readTable(parameters);
  const title = titleOf(parameters["title"]);
  const aggregate = aggregateOf(parameters);
  if (!table.ok) return fail([...table.failure, ...problemsOf([title, aggregate])]);
  const labels = columnOf(table.value, parameters, "x", ["text", "number", "date", "boolean"]);
  const numbers =
    parameters["y"] === undefined ? ok(null) : columnOf(table.value, parameters, "y", ["number"]);
  if (!labels.ok || !numbers.ok || !title.ok || !aggregate.ok) {
    return fail(problemsOf([labels, numbers, title, aggregate]));
  }
  const columns = [labels.value, ...(numbers.value === null ? [] : [numbers.value])];
  const found = barsOf(labels.value, numbers.value, aggregate.value);
  if (found.bars.length === 0) return fail([noRowProblem("x", columns)]);
  const undrawable =
    numbers.value === null
      ? []
      : drawingProblems("y", numbers.value, [0, ...found.bars.map(({ value }) => value)]);
  if (undrawable.length > 0) return fail(undrawable);
  const { valueName, labelName } = namesOf(labels.value, numbers.value, aggregate.value, found);
  const [{ barChart }, { svgOf }] = await Promise.all([
    import("./bar-chart.ts"),
    import("./svg.ts"),
  ]);
  const chart = barChart({
    ...found,
    labelName,
    valueName,
    title: title.value ?? `${valueName} by ${labelName}`,
  });
  return ok({
    svg: svgOf(chart),
    width: chart.width,
    height: chart.height,
    points: found.bars.length,
    notes: [
      ...table.value.notes,
      ...leftOutNote(columns, found.leftOut),
      ...notesOn(numbers.value, aggregate.value, found),
    ],
  });
}

function aggregateOf({ aggregate, y }: JsonObject): Result<Aggregate, Problem> {
  if (aggregate === undefined) return ok(y === undefined ? "count" : "mean");
  const known = AGGREGATES.find((name) => name === aggregate);
  if (known === undefined) {
    const message = `must be "mean", "sum" or "count", got ${shown(aggregate)}`;
    return fail({ path: "aggregate", message });
  }
  if (known !== "count" && y === undefined) {
    return fail({ path: "aggregate", message: `must be "count" when y is left out` });
  }
  return ok(known);
}

function namesOf(
  labels: Column,
  numbers: Column | null,
  aggregate: Aggregate,
  { repeats, folded }: Bars,
): { labelName: string; valueName: string } {
  const labelName = nameOf(labels);
  if (numbers === null) return { labelName, valueName: "Rows" };
  const name = nameOf(numbers);
  const single = !repeats && folded === 0 && aggregate !== "count";
  return { labelName, valueName: single ? name : `${AGGREGATE_WORDS[aggregate]} of ${name}` };
}

const AGGREGATE_WORDS = { mean: "Mean", sum: "Sum", count: "Count" } as const;

function notesOn(
  numbers: Column | null,
  aggregate: Aggregate,
  { repeats, folded }: Bars,
): string[] {
  const notes: string[] = [];
  if (repeats && numbers !== null) {
    notes.push(`Labels repeat: each bar is the ${aggregate} of its rows.`);
  }
  if (folded > 0) {
    const of = numbers === null ? "count" : aggregate;
    notes.push(
      `The ${folded} smallest bars are folded into "other (${folded})", the ${of} of their rows.`,
    );
  }
  return notes;
}
