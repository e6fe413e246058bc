import type { Json } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";

/** A table as read, before its columns are typed; a row shorter than `names` lacks its last cells. */
export interface Sheet {
  readonly names: readonly string[];
  readonly rows: readonly (readonly RawCell[])[];
  readonly notes: readonly string[];
}

/** A cell as given: text from CSV; from JSON also the other scalars. Absent ones are holes. */
export type RawCell = Exclude<Json, object> | null | undefined;

const EXAMPLES_MAX = 5;

// A ragged 1 MiB input could claim billions of cells (a wide header over many short rows).
const COLUMNS_MAX = 1_000;
const CELLS_MAX = 1_000_000;

/** The Problem with a table of that size, or null when it is small enough to work with. */
export function tooLarge(path: string, columns: number, rows: number): Problem | null {
  if (columns <= COLUMNS_MAX && columns * rows <= CELLS_MAX) return null;
  const limits = `${COLUMNS_MAX} columns and ${CELLS_MAX} cells`;
  return { path, message: `must be at most ${limits}, got ${rows} rows by ${columns} columns` };
}

/** "line 3", "lines 3, 9" or "lines 3, 9, 12, 40, 41 and 17 more", for a note. */
export function listed(noun: string, items: readonly (number | string)[]): string {
  const more = items.length - EXAMPLES_MAX;
  const head = items.slice(0, EXAMPLES_MAX).join(", ");
  return `${items.length === 1 ? noun : `${noun}s`} ${head}${more > 0 ? ` and ${more} more` : ""}`;
}
