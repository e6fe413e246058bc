import papaparse from "papaparse";
import { isJsonObject, type Json, type JsonObject } from "../../../../domain/json.ts";
import { shown, type Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { listed, tooLarge } from "../table/sheet.ts";
import { CONTENT, type Writing } from "./formats.ts";

// What spreadsheets run (OWASP, CSV injection); a plain number is harmless.
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
// With any of these in the header, a reader could take another delimiter than the comma.
const OTHER_DELIMITERS = /[;|\t]/;

/** What was done to cells, by the columns it was done in. */
interface Findings {
  readonly nested: Set<string>;
  readonly formulas: Set<string>;
  hasNulls: boolean;
}

/**
 * CSV (RFC 4180, comma, CRLF) of an array of objects, which may lie inside objects with one key as in
 * XML. Nested values become JSON text; null and absent ones are empty cells.
 */
export function writeCsv(value: Json): Result<Writing, Problem> {
  const { rows, path } = rowsWithin(value);
  const objects = objectsOf(rows);
  if (!objects.ok) return objects;
  const names = [...new Set(objects.value.flatMap(Object.keys))];
  if (names.length === 0) return fail(unfit("must hold at least one row with a key"));
  const excess = tooLarge(CONTENT, names.length, objects.value.length);
  if (excess !== null) return fail(excess);
  const found: Findings = { nested: new Set(), formulas: new Set(), hasNulls: false };
  const data = objects.value.map((row) =>
    names.map((name) => cellOf(name, Object.hasOwn(row, name) ? (row[name] ?? null) : "", found)),
  );
  const quotes = names.length === 1 || names.some((name) => OTHER_DELIMITERS.test(name));
  const content = papaparse.unparse({ fields: names, data }, { quotes });
  return ok({ content, rows: data.length, notes: notesOn(found, path) });
}

/** The array to write: the value itself, or what lies inside objects that have only one key. */
function rowsWithin(value: Json): { rows: Json; path: string[] } {
  const path: string[] = [];
  let rows = value;
  while (isJsonObject(rows)) {
    const [entry, ...others] = Object.entries(rows);
    if (entry === undefined || others.length > 0) break;
    path.push(entry[0]);
    rows = entry[1];
  }
  return { rows, path };
}

function objectsOf(rows: Json): Result<JsonObject[], Problem> {
  if (!Array.isArray(rows)) return fail(unfit(`must be an array of objects, got ${shown(rows)}`));
  const objects = rows.filter(isJsonObject);
  if (objects.length === rows.length) return ok(objects);
  const place = rows.findIndex((row) => !isJsonObject(row));
  return fail(
    unfit(`must hold only objects as rows, got ${shown(rows[place])} as row ${place + 1}`),
  );
}

function unfit(message: string): Problem {
  return { path: CONTENT, message: `${message}, to become CSV` };
}

function cellOf(name: string, value: Json, found: Findings): string {
  if (value === null) {
    found.hasNulls = true;
    return "";
  }
  if (typeof value === "object") {
    found.nested.add(shown(name));
    return JSON.stringify(value);
  }
  const text = String(value);
  if (FORMULA.test(text) && !NUMBER.test(text)) found.formulas.add(shown(name));
  return text;
}

function notesOn({ nested, formulas, hasNulls }: Findings, path: readonly string[]): string[] {
  const notes: string[] = [];
  if (path.length > 0) notes.push(`The rows were taken from ${shown(path.join("."))}.`);
  if (nested.size > 0) {
    notes.push(`Nested values became JSON text: ${listed("column", [...nested])}.`);
  }
  if (hasNulls) notes.push("Nulls became empty cells.");
  if (formulas.size > 0) {
    const columns = listed("column", [...formulas]);
    notes.push(`Cells that a spreadsheet would run as formulas were kept as they are: ${columns}.`);
  }
  return notes;
}
