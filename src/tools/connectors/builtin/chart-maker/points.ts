import { mean } from "simple-statistics";

/** A place in a chart; dates are milliseconds since 1970. */
export type Point = readonly [x: number, y: number];

/** The places for which both numbers are there, in the order of the rows. */
export function pointsOf(
  xs: readonly (number | null)[],
  ys: readonly (number | null)[],
): { points: Point[]; leftOut: number } {
  const points: Point[] = [];
  for (const [row, x] of xs.entries()) {
    const y = ys[row] ?? null;
    if (x !== null && y !== null) points.push([x, y]);
  }
  return { points, leftOut: xs.length - points.length };
}

/** One point for each x, ascending, with the mean of its y; `repeats` when an x has several. */
export function meansByX(points: readonly Point[]): { points: Point[]; repeats: boolean } {
  const groups = Map.groupBy(points, ([x]) => x);
  const means = Array.from(groups, ([x, group]): Point => [x, mean(group.map(([, y]) => y))]);
  return {
    points: means.toSorted(([one], [other]) => one - other),
    repeats: groups.size < points.length,
  };
}
