import { shown } from "../../../../domain/problem.ts";
import { listed } from "./sheet.ts";

/**
 * Unique, non-empty column names from a header: an empty one becomes `column_3` by its place,
 * a repeated `x` becomes `x_2`, `x_3`, … passing over names that the header has itself.
 */
export function uniqueNames(header: readonly string[]): { names: string[]; notes: string[] } {
  const reserved = new Set(header);
  const used = new Set<string>();
  const nextSuffix = new Map<string, number>();
  const unnamed: string[] = [];
  const renamed: string[] = [];

  function numbered(base: string, first: number): string {
    let suffix = nextSuffix.get(base) ?? first;
    while (reserved.has(`${base}_${suffix}`) || used.has(`${base}_${suffix}`)) suffix += 1;
    nextSuffix.set(base, suffix + 1);
    return `${base}_${suffix}`;
  }

  const names = header.map((given, index) => {
    let name = given;
    if (given === "") {
      name = `column_${index + 1}`;
      if (reserved.has(name) || used.has(name)) name = numbered(name, 2);
      unnamed.push(name);
    } else if (used.has(given)) {
      name = numbered(given, 2);
      renamed.push(shown(name));
    }
    used.add(name);
    return name;
  });
  const notes: string[] = [];
  if (unnamed.length > 0)
    notes.push(`Columns without a name were named: ${listed("column", unnamed)}.`);
  if (renamed.length > 0)
    notes.push(`Repeated column names were numbered: ${listed("column", renamed)}.`);
  return { names, notes };
}
