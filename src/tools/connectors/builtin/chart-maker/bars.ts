import { mean, sum } from "simple-statistics";
import type { Cell, Column } from "../table.ts";

export const AGGREGATES = ["mean", "sum", "count"] as const;
export type Aggregate = (typeof AGGREGATES)[number];

export interface Bar {
  readonly label: Cell;
  readonly value: number;
}

/** `repeats` when a label stands in several rows; `folded` bars are together in the last one. */
export interface Bars {
  readonly bars: readonly Bar[];
  readonly repeats: boolean;
  readonly folded: number;
  readonly leftOut: number;
}

const BARS_MAX = 30;

/**
 * One bar for each label, of the numbers beside it or, without a number column, of its rows.
 * Numbers and dates keep their order, texts are ordered by value; the smallest past 29 are folded.
 */
export function barsOf(labels: Column, numbers: Column | null, aggregate: Aggregate): Bars {
  const groups = new Map<Cell, number[]>();
  let leftOut = 0;
  for (const [row, label] of labels.cells.entries()) {
    const value = numbers === null ? 1 : numbers.cells[row];
    if (label === null || typeof value !== "number") {
      leftOut += 1;
      continue;
    }
    const group = groups.get(label);
    if (group === undefined) groups.set(label, [value]);
    else group.push(value);
  }
  const bySize = Array.from(groups, ([label, values]) => ({
    label,
    values,
    value: figureOf(values, aggregate),
  })).toSorted((one, other) => Math.abs(other.value) - Math.abs(one.value));
  const shown = bySize.length > BARS_MAX ? bySize.slice(0, BARS_MAX - 1) : bySize;
  const rest = bySize.slice(shown.length);
  const bars: Bar[] = shown.toSorted((one, other) => order(labels, one, other));
  if (rest.length > 0) {
    const value = figureOf(
      rest.flatMap(({ values }) => values),
      aggregate,
    );
    bars.push({ label: `other (${rest.length})`, value });
  }
  const repeats = bySize.some(({ values }) => values.length > 1);
  return { bars, repeats, folded: rest.length, leftOut };
}

function figureOf(values: number[], aggregate: Aggregate): number {
  switch (aggregate) {
    case "mean":
      return mean(values);
    case "sum":
      return sum(values);
    case "count":
      return values.length;
  }
}

function order({ type }: Column, one: Bar, other: Bar): number {
  if (type === "text") return other.value - one.value;
  if (type === "number") return Number(one.label) - Number(other.label);
  return String(one.label) < String(other.label) ? -1 : 1;
}
