import { preview, type Problem } from "../../../kernel/result.ts";
import type { JsonScalar } from "../../../kernel/json.ts";

/** A table before its column types are detected. A row shorter than `names` has missing cells at its end. */
export interface RawTable {
  readonly names: readonly string[];
  readonly rows: readonly (readonly RawCell[])[];
  readonly notes: readonly string[];
}

/** An input cell: a string from CSV, or any scalar from JSON. Undefined if absent. */
export type RawCell = JsonScalar | undefined;

const EXAMPLES_MAX = 5;

// A ragged 1 MiB input could claim billions of cells (a wide header over many short rows).
const COLUMNS_MAX = 1_000;
const CELLS_MAX = 1_000_000;

/** Returns a Problem if a table is too large, otherwise null. */
export function checkTableSize(path: string, columns: number, rows: number): Problem | null {
  if (columns <= COLUMNS_MAX && columns * rows <= CELLS_MAX) return null;
  const limits = `${COLUMNS_MAX} columns and ${CELLS_MAX} cells`;
  return { path, message: `must have at most ${limits}, got ${columns} columns by ${rows} rows` };
}

/** Formats a list for a note, such as "line 3", "lines 3, 9" or "lines 3, 9, 12, 40, 41 and 17 more". */
export function formatExamples(noun: string, items: readonly (number | string)[]): string {
  const more = items.length - EXAMPLES_MAX;
  const head = items.slice(0, EXAMPLES_MAX).join(", ");
  return `${items.length === 1 ? noun : `${noun}s`} ${head}${more > 0 ? ` and ${more} more` : ""}`;
}

/**
 * Makes the column names in a header unique. An empty name becomes `column_3`; a repeated `x` becomes `x_2`, `x_3`, …
 */
export function toUniqueColumnNames(header: readonly string[]): {
  names: string[];
  notes: string[];
} {
  const reserved = new Set(header);
  const used = new Set<string>();
  const nextSuffix = new Map<string, number>();
  const unnamed: string[] = [];
  const renamed: string[] = [];

  function addSuffix(base: string, first: number): string {
    let suffix = nextSuffix.get(base) ?? first;
    while (reserved.has(`${base}_${suffix}`) || used.has(`${base}_${suffix}`)) suffix += 1;
    nextSuffix.set(base, suffix + 1);
    return `${base}_${suffix}`;
  }

  const names = header.map((given, index) => {
    let name = given;
    if (given === "") {
      name = `column_${index + 1}`;
      if (reserved.has(name) || used.has(name)) name = addSuffix(name, 2);
      unnamed.push(name);
    } else if (used.has(given)) {
      name = addSuffix(given, 2);
      renamed.push(preview(name));
    }
    used.add(name);
    return name;
  });
  const notes: string[] = [];
  if (unnamed.length > 0)
    notes.push(`Columns without a name were given the ${formatExamples("name", unnamed)}.`);
  if (renamed.length > 0)
    notes.push(`Repeated column names were numbered: ${formatExamples("column", renamed)}.`);
  return { names, notes };
}
