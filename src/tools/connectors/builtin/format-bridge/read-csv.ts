import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { parseCsv } from "../table/csv.ts";
import { uniqueNames } from "../table/names.ts";
import { listed } from "../table/sheet.ts";
import { CONTENT, type Reading } from "./formats.ts";

// Every row repeats the names.
const CHARACTERS_MAX = 8_000_000;

/** Row objects of a CSV text, every cell a string; a row lacks the keys of cells that it lacks. */
export function readCsvRows(content: string): Result<Reading, Problem> {
  const parsed = parseCsv(content, CONTENT);
  if (!parsed.ok) return parsed;
  const [header, ...body] = parsed.value.records;
  if (header === undefined) {
    const message = "must start with a header line that names the columns";
    return fail({ path: CONTENT, message });
  }
  const width = body.reduce((max, { cells }) => Math.max(max, cells.length), header.cells.length);
  const wide = Array.from({ length: width }, (_, index) => header.cells[index] ?? "");
  const nameCharacters = wide.reduce((sum, name) => sum + name.length, 0);
  if (nameCharacters * body.length > CHARACTERS_MAX) {
    const message = "must have shorter column names: every row would repeat them";
    return fail({ path: CONTENT, message });
  }
  const { names, notes: nameNotes } = uniqueNames(wide);
  const notes = [...nameNotes, ...parsed.value.notes];
  const ragged = body.filter(({ cells }) => cells.length !== header.cells.length);
  if (ragged.length > 0) {
    const lines = listed(
      "line",
      ragged.map(({ line }) => line),
    );
    notes.push(`Rows that are shorter or longer than the header: ${lines}.`);
  }
  if (body.length === 0) notes.push("The header is not followed by any row.");
  const value = body.map(({ cells }) =>
    Object.fromEntries(cells.map((cell, index) => [names[index] ?? `column_${index + 1}`, cell])),
  );
  return ok({ value, notes });
}
