import type { Json, JsonObject } from "../../../domain/json.ts";
import { isJsonObject } from "../../../domain/json.ts";
import { keyOf, type Call, type Entry } from "./calls.ts";
import type { Findings, TableFindings } from "./findings.ts";
import type { Source } from "./material.ts";
import { convertShape, type Profile } from "./shapes.ts";

/** A value as a spreadsheet holds it; null is a blank cell. */
export type Cell = string | number | boolean | null;

/** The rows of a table, as given; `names` are its columns. */
export interface TableData {
  readonly source: string;
  readonly names: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A sheet with more cells would be too large for the library that packs it. */
const CELLS_MAX = 3_000;

/** Whether a table has rows, and few enough for a spreadsheet to hold them. */
export function isCopied({ profile }: TableFindings): boolean {
  return profile !== null && profile.rows > 0 && !isTooLarge(profile);
}

/** What a spreadsheet says of tables whose rows it leaves out, a sentence each. */
export function tooLargeNotes({ tables }: Findings): string[] {
  return tables
    .filter(({ profile }) => profile !== null && isTooLarge(profile))
    .map(
      ({ source }) =>
        `The rows of ${source} are too many for the spreadsheet, which leaves them out.`,
    );
}

function isTooLarge({ rows, columns }: Profile): boolean {
  return rows * columns.length > CELLS_MAX;
}

/** The calls that turn CSV tables into rows; tables given as rows need none. */
export function rowCalls(sources: readonly Source[]): Call[] {
  return sources
    .filter(({ parameters }) => typeof parameters["csv"] === "string")
    .map(({ id }) => ({
      source: id,
      tool: "format-bridge",
      capability: "convert",
      asked: { from: "csv", to: "json" },
    }));
}

/** The rows of every table that was profiled and is at hand as rows, numbers as numbers. */
export function tableDataOf(
  sources: readonly Source[],
  { tables }: Findings,
  entries: readonly Entry[],
): TableData[] {
  return tables.flatMap((table) => {
    const source = sources.find(({ id }) => id === table.source);
    const rows = source === undefined ? null : rowsOf(source, entries);
    return rows === null || rows.length === 0 || table.profile === null
      ? []
      : [dataOf(table, rows)];
  });
}

function rowsOf(source: Source, entries: readonly Entry[]): JsonObject[] | null {
  const { data } = source.parameters;
  if (Array.isArray(data)) return data.filter((row) => isJsonObject(row));
  const [call] = rowCalls([source]);
  const entry = entries.find((one) => call !== undefined && keyOf(one) === keyOf(call));
  if (entry === undefined || entry.found === null) return null;
  const rows: unknown = JSON.parse(convertShape.parse(entry.found).content);
  return Array.isArray(rows) ? rows.filter(isRow) : null;
}

/** An object out of JSON.parse holds nothing but JSON. */
function isRow(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function dataOf({ source, profile }: TableFindings, rows: readonly JsonObject[]): TableData {
  const columns = profile?.columns ?? [];
  return {
    source,
    names: columns.map(({ name }) => name),
    rows: rows.map((row) =>
      columns.map(({ name, type }) =>
        cellOf(Object.hasOwn(row, name) ? row[name] : null, type === "number"),
      ),
    ),
  };
}

function cellOf(value: Json | undefined, isNumber: boolean): Cell {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "object") return JSON.stringify(value);
  if (!isNumber || typeof value !== "string") return value;
  const number = Number(value);
  return value.trim() !== "" && Number.isFinite(number) ? number : value;
}
