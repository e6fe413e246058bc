import { bin, thresholdFreedmanDiaconis, thresholdSturges } from "d3-array";

/** Numbers from `from` up to, and in the last bin including, `to`. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** How the number of bins was chosen. */
export type BinRule = "Freedman–Diaconis" | "Sturges" | "as asked";

const BINS_MAX = 60;
/** Edges closer together than this share of their size could not be told apart. */
const RELATIVE_WIDTH_MIN = 1e-14;
const EQUAL_HALF_WIDTH = 0.5;

/**
 * Bins of equal width over `values` (not empty): exactly `asked` from the smallest to the largest,
 * or, when null, about as many as Freedman and Diaconis advise, with round edges; as many as Sturges
 * advises where the quartiles coincide, and no narrower than 1 for whole numbers. Values that do not
 * differ make one bin.
 */
export function binsOf(
  values: readonly number[],
  asked: number | null,
): { bins: Bin[]; rule: BinRule } {
  const least = values.reduce((one, other) => Math.min(one, other));
  const most = values.reduce((one, other) => Math.max(one, other));
  const advised = thresholdFreedmanDiaconis(values, least, most);
  const rule = asked !== null ? "as asked" : advised > 1 ? "Freedman–Diaconis" : "Sturges";
  const wanted = advised > 1 ? advised : thresholdSturges(values);
  // Narrower bins than one would leave gaps between whole numbers that are not in the data.
  const countMax = values.every(Number.isInteger) ? most - least + 1 : BINS_MAX;
  const count = asked ?? Math.min(BINS_MAX, countMax, wanted);
  const size = Math.max(Math.abs(least), Math.abs(most));
  if ((most - least) / count <= size * RELATIVE_WIDTH_MIN) {
    const half = Math.max(EQUAL_HALF_WIDTH, most - least, size * RELATIVE_WIDTH_MIN);
    return { bins: [{ from: least - half, to: most + half, count: values.length }], rule };
  }
  const binning = bin();
  if (asked === null) binning.thresholds(count);
  else binning.domain([least, most]).thresholds(innerEdges(least, most, count));
  const bins = binning(values).map((group) => {
    const [from, to] = [group.x0 ?? least, group.x1 ?? most];
    return { from, to, count: group.length };
  });
  return { bins, rule };
}

function innerEdges(least: number, most: number, count: number): number[] {
  const width = (most - least) / count;
  return Array.from({ length: count - 1 }, (_, index) => least + (index + 1) * width);
}
