import type { Cell, Column } from "../table.ts";
import { positionsOf } from "./inputs.ts";
import type { Point } from "./points.ts";

/** The dots of one colour; `name` is null when nothing is told apart, `isRest` for what is folded. */
export interface DotGroup {
  readonly name: string | null;
  readonly isRest: boolean;
  readonly points: readonly Point[];
}

export interface Dots {
  readonly groups: readonly DotGroup[];
  readonly dots: number;
  readonly leftOut: number;
  readonly notes: readonly string[];
}

/** As many as can be told apart by colour. */
const GROUPS_MAX = 6;
/** More make the file large and the plot a blot. */
const DOTS_MAX = 2_000;

/** The rows as dots, at most 2,000 of them evenly spread over the table, by the value of `colour`. */
export function dotsOf(x: Column, y: Column, colour: Column | null): Dots {
  const [xs, ys] = [positionsOf(x), positionsOf(y)];
  const rows = xs.flatMap((at, row) => (at === null || (ys[row] ?? null) === null ? [] : [row]));
  const step = Math.max(1, rows.length / DOTS_MAX);
  const drawn = Array.from(
    { length: Math.min(rows.length, DOTS_MAX) },
    (_, index) => rows[Math.floor(index * step)] ?? 0,
  );
  const notes: string[] = [];
  if (drawn.length < rows.length) {
    const [some, all] = [drawn.length, rows.length].map((count) => count.toLocaleString("en-US"));
    notes.push(`Of ${all} rows, ${some} are drawn, evenly spread over the table.`);
  }
  const toPoint = (row: number): Point => [xs[row] ?? 0, ys[row] ?? 0];
  const found = { dots: drawn.length, leftOut: xs.length - rows.length };
  if (colour === null) {
    return { ...found, groups: [{ name: null, isRest: false, points: drawn.map(toPoint) }], notes };
  }
  const byValue = Map.groupBy(drawn, (row): Cell => colour.cells[row] ?? null);
  const missing = byValue.get(null) ?? [];
  byValue.delete(null);
  const bySize = [...byValue].toSorted(([, one], [, other]) => other.length - one.length);
  const rest = bySize.slice(GROUPS_MAX);
  const groups = bySize
    .slice(0, GROUPS_MAX)
    .toSorted(([one], [other]) => order(one, other))
    .map(([value, group]) => ({ name: String(value), isRest: false, points: group.map(toPoint) }));
  if (rest.length > 0) {
    const name = `other (${rest.length})`;
    notes.push(`The ${rest.length} rarest values of colour are drawn as "${name}".`);
    groups.push({ name, isRest: true, points: rest.flatMap(([, group]) => group.map(toPoint)) });
  }
  if (missing.length > 0) {
    groups.push({ name: "missing", isRest: true, points: missing.map(toPoint) });
  }
  return { ...found, groups, notes };
}

function order(one: Cell, other: Cell): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one) < String(other) ? -1 : 1;
}
