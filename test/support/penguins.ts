import { readFileSync } from "node:fs";
import type { Json, JsonObject } from "../../src/kernel/json.ts";

/** The demo's data set. */
const PENGUINS_CSV = readFileSync("examples/penguins.csv", "utf8");

/** The data set's 344 rows, with numbers parsed and missing values as null. No cell is quoted. */
export const PENGUINS: JsonObject[] = rowsOf(PENGUINS_CSV.trimEnd().split("\n"));

function rowsOf([header = "", ...lines]: readonly string[]): JsonObject[] {
  const names = header.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.map((name, index) => [name, valueOf(cells[index] ?? "")]));
  });
}

function valueOf(cell: string): Json {
  if (cell === "") return null;
  return Number.isNaN(Number(cell)) ? cell : Number(cell);
}
