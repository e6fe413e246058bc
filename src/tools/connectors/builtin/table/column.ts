import type { Cell, Column, ColumnType } from "../table.ts";
import { isIsoDate } from "./dates.ts";
import type { RawCell } from "./sheet.ts";

const MISSING = new Set(["", "na", "n/a", "null", "nan"]);
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const ZERO_LED = /^[+-]?0\d/;
const WHOLE = /^[+-]?\d+$/;
const BOOLEAN = /^(?:true|false)$/i;

/** The column of the given cells: its type is the one that all present cells fit, else text. */
export function toColumn(name: string, raw: readonly RawCell[]): Column {
  const present = raw.filter((cell) => !isMissing(cell));
  const type = typeOf(present);
  return { name, type, cells: raw.map((cell) => toCell(cell, type)) };
}

function isMissing(cell: RawCell): cell is null | undefined {
  if (cell === null || cell === undefined) return true;
  return typeof cell === "string" && MISSING.has(cell.trim().toLowerCase());
}

function typeOf(present: readonly RawCell[]): ColumnType {
  if (present.length === 0) return "empty";
  if (present.every(isNumber)) return "number";
  if (present.every((cell) => BOOLEAN.test(String(cell).trim()))) return "boolean";
  if (present.every((cell) => typeof cell === "string" && isIsoDate(cell.trim()))) return "date";
  return "text";
}

// Whole numbers that a double cannot hold are ids: as numbers, two of them could become one.
function isNumber(cell: RawCell): boolean {
  if (typeof cell === "number") return Number.isFinite(cell);
  if (typeof cell !== "string") return false;
  const text = cell.trim();
  if (!DECIMAL.test(text) || ZERO_LED.test(text)) return false;
  return WHOLE.test(text) ? Number.isSafeInteger(Number(text)) : Number.isFinite(Number(text));
}

function toCell(cell: RawCell, type: ColumnType): Cell {
  if (isMissing(cell)) return null;
  switch (type) {
    case "number":
      return Number(cell) + 0;
    case "boolean":
      return String(cell).trim().toLowerCase() === "true";
    case "date":
      return String(cell).trim();
    case "text":
      return String(cell);
    case "empty":
      return null;
  }
}
