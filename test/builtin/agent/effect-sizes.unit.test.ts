import { describe, expect, it } from "vitest";
import {
  areExceptional,
  describeContrast,
  describeCorrelation,
  describeSkew,
  findGroupContrast,
  type GroupContrast,
  isMediumContrast,
  isNotableContrast,
  isNotableCorrelation,
  isNotableTrend,
  isPredictiveCorrelation,
  isPredictiveTrend,
} from "../../../src/builtin/agent/effect-sizes.ts";
import { describeTrend, nameReadingLevel } from "../../../src/builtin/agent/insights.ts";
import type { ColumnProfile, TrendLine } from "../../../src/builtin/agent/result-schemas.ts";
import { computeTPValue } from "../../../src/builtin/significance.ts";

const correlate = (r: number, n: number) => ({ x: "x", y: "y", r, n });

function column(given: Partial<ColumnProfile>): ColumnProfile {
  return {
    name: "x",
    type: "number",
    count: 100,
    missing: 0,
    distinct: 50,
    min: 0,
    max: 20,
    mean: 10,
    median: 10,
    standardDeviation: 4,
    q1: 7,
    q3: 13,
    top: [],
    ...given,
  };
}

/** The contrast between groups of `count` values with these means and a standard deviation of 4 within each group. */
function contrast(means: readonly number[], count: number) {
  const groups = means.map((mean, place) => ({
    group: `g${place}`,
    count,
    sum: mean * count,
    mean,
    median: null,
    min: null,
    max: null,
  }));
  const grouping = { groupBy: "g", column: "x", groups, notes: [] };
  const total = means.length * count;
  const mean = means.reduce((sum, one) => sum + one, 0) / means.length;
  const between = means.reduce((sum, one) => sum + count * (one - mean) ** 2, 0);
  const within = (total - means.length) * 4 ** 2;
  const standardDeviation = Math.sqrt((between + within) / (total - 1));
  return findGroupContrast(grouping, column({ count: total, mean, standardDeviation }));
}

function found(means: readonly number[], count: number): GroupContrast {
  const made = contrast(means, count);
  if (made === null) throw new Error("There is no contrast");
  return made;
}

function trend(given: Partial<TrendLine>): TrendLine {
  return {
    column: "sales",
    by: "month",
    n: 24,
    slope: 3,
    r2: 0.5,
    direction: "rising",
    perUnit: "day",
    first: { at: 0, value: 0 },
    last: { at: 1, value: 1 },
    notes: [],
    ...given,
  };
}

describe("words for correlations", () => {
  it.each([
    [0.5, "a strong positive correlation"],
    [0.4999, "a moderate positive correlation"],
    [0.3, "a moderate positive correlation"],
    [0.2999, "a weak positive correlation"],
    [-0.1, "a weak negative correlation"],
    [-0.0999, "a negligible negative correlation"],
  ])("for 1,000 rows, r = %d is described as %s", (r, words) => {
    expect(describeCorrelation(correlate(r, 1_000))).toBe(words);
  });

  it("a correlation is significant if it reaches the critical value for its number of rows", () => {
    // Critical values of Pearson's r, two-tailed, 5% (Fisher and Yates, table VII).
    expect(describeCorrelation(correlate(0.631, 10))).toBe("no significant correlation");
    expect(describeCorrelation(correlate(0.633, 10))).toBe("a strong positive correlation");
  });

  it("a correlation is a main finding if it is significant, at least moderate and based on ten rows", () => {
    expect(isNotableCorrelation(correlate(0.3, 100))).toBe(true);
    expect(isNotableCorrelation(correlate(0.2999, 100))).toBe(false);
    expect(isNotableCorrelation(correlate(0.46, 11))).toBe(false);
    expect(isNotableCorrelation(correlate(0.98, 10))).toBe(true);
    expect(isNotableCorrelation(correlate(0.98, 9))).toBe(false);
  });

  it("one column can be used to estimate another if the line explains half of the variance", () => {
    expect(isPredictiveCorrelation(correlate(-0.708, 100))).toBe(true);
    expect(isPredictiveCorrelation(correlate(-0.706, 100))).toBe(false);
  });
});

describe("words for differences between means", () => {
  it.each([
    [13.2, "a large difference of 0.8 standard deviations"],
    [13.16, "a medium difference of 0.79 standard deviations"],
    [12, "a medium difference of 0.5 standard deviations"],
    [11.9, "a small difference of 0.48 standard deviations"],
    [10.8, "a small difference of 0.2 standard deviations"],
    [10.7, "a negligible difference of 0.17 standard deviations"],
    [14, "a large difference of 1 standard deviation"],
  ])("means of 10 and %d with a standard deviation of 4 within groups have %s", (mean, words) => {
    expect(describeContrast(found([10, mean], 5_000))).toBe(words);
  });

  it("a difference is significant if t reaches its critical value", () => {
    // With two groups of 50, t reaches its critical value, 1.98, at a difference of about 1.59.
    const words = [11.5, 11.65].map((mean) => describeContrast(found([10, mean], 50)));
    expect(words).toEqual([
      "no significant difference (0.38 standard deviations)",
      "a small difference of 0.41 standard deviations",
    ]);
    // Critical values of t at 5%, two-tailed, for 10 and 60 degrees of freedom.
    expect(computeTPValue(2.229, 10)).toBeLessThan(0.05);
    expect(computeTPValue(2.227, 10)).toBeGreaterThan(0.05);
    expect(computeTPValue(2.001, 60)).toBeLessThan(0.05);
    expect(computeTPValue(1.999, 60)).toBeGreaterThan(0.05);
    expect(computeTPValue(Infinity, 4)).toBe(0);
  });

  it("the extremes of many groups must differ more than the means of only two groups", () => {
    expect(found([10, 11.65], 50).isSignificant).toBe(true);
    expect(found([10, 10.8, 10.8, 10.8, 11.65], 50).isSignificant).toBe(false);
  });

  it("a difference is a main finding from 0.2 standard deviations and a recommendation from 0.5", () => {
    expect(isNotableContrast(found([10, 10.8], 5_000))).toBe(true);
    expect(isNotableContrast(found([10, 10.7], 5_000))).toBe(false);
    expect(isMediumContrast(found([10, 12], 5_000))).toBe(true);
    expect(isMediumContrast(found([10, 11.9], 5_000))).toBe(false);
    expect(isMediumContrast(found([10, 14], 3))).toBe(false);
  });

  it("groups of fewer than three rows, and means that differ only by rounding, are not compared", () => {
    expect(contrast([10, 14], 3)).not.toBeNull();
    expect(contrast([10, 14], 2)).toBeNull();
    expect(contrast([1_000, 1_010], 50)).not.toBeNull();
    expect(contrast([1_000, 1_009], 50)).toBeNull();
  });
});

describe("words for trends", () => {
  it("a trend is described by its direction and size", () => {
    expect(describeTrend(trend({}))).toBe("The trend of sales over month is a rise of 3 per day");
    expect(describeTrend(trend({ direction: "falling", slope: -3 }))).toBe(
      "The trend of sales over month is a fall of 3 per day",
    );
    expect(describeTrend(trend({ direction: "flat" }))).toBe(
      "The trend of sales over month is not significant",
    );
    expect(describeTrend(trend({ direction: "flat", n: 2 }))).toBe(
      "The trend of sales over month is unknown because there are too few values",
    );
  });

  it.each([
    ["year", "3 per year"],
    ["Weeks", "3 per week"],
    ["period", "3 per unit of period"],
  ])("the slope over the number column %s is %s", (by, change) => {
    expect(describeTrend(trend({ by, perUnit: `unit of ${by}` }))).toContain(change);
  });

  it("unless it is flat, a trend is a main finding from r² = 0.09 and predictive from r² = 0.5", () => {
    expect(isNotableTrend(trend({ r2: 0.0901 }))).toBe(true);
    expect(isNotableTrend(trend({ r2: 0.0899 }))).toBe(false);
    expect(isNotableTrend(trend({ direction: "flat" }))).toBe(false);
    expect(isPredictiveTrend(trend({ r2: 0.5 }))).toBe(true);
    expect(isPredictiveTrend(trend({ r2: 0.4999 }))).toBe(false);
  });
});

describe("words for distributions", () => {
  it("a mean and a median that differ by 0.28 standard deviations need no remark", () => {
    expect(describeSkew(column({ mean: 11.12 }))).toBeNull();
  });

  it.each([
    [{ mean: 12 }, "the two differ by 0.5 standard deviations"],
    [{ mean: 8 }, "the two differ by 0.5 standard deviations"],
    [{ mean: 11.9 }, null],
    [{ mean: 13.1 }, "the mean is above the third quartile, 13"],
    [{ mean: 6.9 }, "the mean is below the first quartile, 7"],
    [{ mean: 13, standardDeviation: 10 }, null],
    [{ mean: null }, null],
  ])("for the column %j, the remark on its mean is %j", (given, reason) => {
    expect(describeSkew(column(given))).toBe(reason);
  });

  it("values beyond the fences are outliers if they are at most a quarter of all values", () => {
    const fences = { column: "x", lower: 1, upper: 9, outliers: [] };
    expect(areExceptional({ ...fences, count: 25 }, 100)).toBe(true);
    expect(areExceptional({ ...fences, count: 26 }, 100)).toBe(false);
    expect(areExceptional({ ...fences, count: 26 }, null)).toBe(true);
    expect(areExceptional({ ...fences, count: 0 }, 100)).toBe(false);
    expect(areExceptional({ ...fences, upper: 1, count: 5 }, 100)).toBe(false);
  });

  it("a text has a reading level if it has at least 100 words", () => {
    const readability = {
      words: 100,
      sentences: 5,
      fleschReadingEase: 70,
      fleschKincaidGrade: 6,
      level: "fairly easy",
      readingTime: "30s",
      notes: [],
    };
    expect(nameReadingLevel(readability)).toBe("fairly easy");
    expect(nameReadingLevel({ ...readability, words: 99 })).toBeNull();
  });
});
