import { isJsonObject, type Json, type JsonObject } from "../../../../domain/json.ts";
import { shown, type Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { uniqueNames } from "./names.ts";
import { listed, tooLarge, type RawCell, type Sheet } from "./sheet.ts";

const PROBLEMS_MAX = 20;

/** The sheet of an array of row objects: columns in the order in which their keys first appear. */
export function readRows(data: readonly Json[]): Result<Sheet, Problem[]> {
  const objects: JsonObject[] = [];
  const problems: Problem[] = [];
  for (const [index, row] of data.entries()) {
    if (isJsonObject(row)) objects.push(row);
    else if (problems.length < PROBLEMS_MAX) {
      const message = `must be an object of column names and values, got ${shown(row)}`;
      problems.push({ path: `data[${index}]`, message });
    }
  }
  if (problems.length > 0) return fail(problems);

  const places = new Map<string, number>();
  for (const row of objects) {
    for (const key of Object.keys(row)) if (!places.has(key)) places.set(key, places.size);
  }
  if (places.size === 0) {
    return fail([{ path: "data", message: "must hold at least one row object with a column" }]);
  }
  const excess = tooLarge("data", places.size, objects.length);
  if (excess !== null) return fail([excess]);
  const nested = new Set<string>();
  const rows = objects.map((row) => {
    const cells: RawCell[] = [];
    for (const [key, value] of Object.entries(row)) {
      const place = places.get(key);
      if (place === undefined) continue;
      if (typeof value === "object" && value !== null) nested.add(key);
      cells[place] = flat(value);
    }
    return cells;
  });
  const { names, notes } = uniqueNames([...places.keys()]);
  if (nested.size > 0) {
    const columns = listed("column", Array.from(nested, shown));
    notes.push(`Nested values were read as JSON text: ${columns}.`);
  }
  return ok({ names, rows, notes });
}

function flat(value: Json): RawCell {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}
