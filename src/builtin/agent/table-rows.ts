import { isJsonObject, type Json, type JsonObject, type JsonScalar } from "../../kernel/json.ts";
import type { PlannedCall, CompletedCall } from "./tool-calls.ts";
import type { InputFindings, TableFindings } from "./findings.ts";
import type { InputSource } from "./inputs.ts";
import { convertResultSchema, type TableProfile } from "./result-schemas.ts";

/** The rows of a table. Null is a blank cell. */
export interface TableData {
  readonly source: string;
  readonly names: readonly string[];
  readonly rows: readonly (readonly JsonScalar[])[];
}

/** A sheet with more cells would be too large for the zip library. */
const CELLS_MAX = 3_000;

export function fitsSpreadsheet({ profile }: TableFindings): boolean {
  return profile !== null && profile.rows > 0 && !exceedsCellLimit(profile);
}

/** A sentence for each table whose rows do not fit into a spreadsheet. */
export function buildOversizeNotes({ tables }: InputFindings): string[] {
  const oversized = tables.filter(({ profile }) => profile !== null && exceedsCellLimit(profile));
  return oversized.map(
    ({ source }) => `The spreadsheet omits the rows of ${source} because there are too many.`,
  );
}

function exceedsCellLimit({ rows, columns }: TableProfile): boolean {
  return rows * columns.length > CELLS_MAX;
}

/** The calls that convert CSV tables to rows. Tables that are already arrays of rows need none. */
export function planRowCalls(sources: readonly InputSource[]): PlannedCall[] {
  return sources
    .filter(({ parameters }) => typeof parameters["csv"] === "string")
    .map(({ id }) => ({
      source: id,
      tool: "format-bridge",
      capability: "convert",
      asked: { from: "csv", to: "json" },
    }));
}

/** The rows of every profiled table whose rows are available. Strings in number columns become numbers. */
export function collectTableData(
  sources: readonly InputSource[],
  { tables }: InputFindings,
  entries: readonly CompletedCall[],
): TableData[] {
  return tables.flatMap(({ source: id, profile }) => {
    const source = sources.find((one) => one.id === id);
    const rows = source === undefined ? [] : findRows(source, entries);
    return rows.length === 0 || profile === null ? [] : [toTableData(id, profile, rows)];
  });
}

function findRows(
  { id, parameters: { data } }: InputSource,
  entries: readonly CompletedCall[],
): JsonObject[] {
  if (Array.isArray(data)) return data.filter(isJsonObject);
  const call = entries.find(({ source, tool }) => source === id && tool === "format-bridge");
  if (call === undefined || call.found === null) return [];
  const rows: Json = JSON.parse(convertResultSchema.parse(call.found).content);
  return Array.isArray(rows) ? rows.filter(isJsonObject) : [];
}

function toTableData(
  source: string,
  { columns }: TableProfile,
  rows: readonly JsonObject[],
): TableData {
  return {
    source,
    names: columns.map(({ name }) => name),
    rows: rows.map((row) =>
      columns.map(({ name, type }) =>
        toSpreadsheetCell(Object.hasOwn(row, name) ? row[name] : null, type === "number"),
      ),
    ),
  };
}

function toSpreadsheetCell(value: Json | undefined, isNumber: boolean): JsonScalar {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "object") return JSON.stringify(value);
  if (!isNumber || typeof value !== "string") return value;
  const number = Number(value);
  return value.trim() !== "" && Number.isFinite(number) ? number : value;
}
