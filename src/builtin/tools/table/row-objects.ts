import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import { preview, type Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import {
  checkTableSize,
  formatExamples,
  type RawCell,
  type RawTable,
  toUniqueColumnNames,
} from "./raw-table.ts";

const PROBLEMS_MAX = 20;

/** The table of an array of row objects: columns in the order in which their keys first appear. */
export function readRowObjects(data: readonly Json[]): Result<RawTable, Problem[]> {
  const objects: JsonObject[] = [];
  const problems: Problem[] = [];
  for (const [index, row] of data.entries()) {
    if (isJsonObject(row)) objects.push(row);
    else if (problems.length < PROBLEMS_MAX) {
      const message = `must be an object of column names and values, got ${preview(row)}`;
      problems.push({ path: `data[${index}]`, message });
    }
  }
  if (problems.length > 0) return fail(problems);

  const indexes = new Map<string, number>();
  for (const row of objects) {
    for (const key of Object.keys(row)) if (!indexes.has(key)) indexes.set(key, indexes.size);
  }
  if (indexes.size === 0) {
    return fail([{ path: "data", message: "must hold at least one row object with a column" }]);
  }
  const excess = checkTableSize("data", indexes.size, objects.length);
  if (excess !== null) return fail([excess]);
  const nested = new Set<string>();
  const rows = objects.map((row) => {
    const cells: RawCell[] = [];
    for (const [key, value] of Object.entries(row)) {
      const index = indexes.get(key);
      if (index === undefined) continue;
      if (typeof value === "object" && value !== null) nested.add(key);
      cells[index] = flattenValue(value);
    }
    return cells;
  });
  const { names, notes } = toUniqueColumnNames([...indexes.keys()]);
  if (nested.size > 0) {
    const columns = formatExamples("column", Array.from(nested, preview));
    notes.push(`Nested values were read as JSON text: ${columns}.`);
  }
  return ok({ names, rows, notes });
}

function flattenValue(value: Json): RawCell {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}
