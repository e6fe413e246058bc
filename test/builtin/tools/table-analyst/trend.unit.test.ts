import { describe, expect, it } from "vitest";
import { computeCorrelationPValue } from "../../../../src/builtin/significance.ts";

describe("the t test of a slope", () => {
  // Critical values of Pearson's r, two-tailed, 5% (Fisher and Yates, table VII), by n.
  const critical = [
    [3, 0.997],
    [4, 0.95],
    [5, 0.878],
    [6, 0.811],
    [10, 0.632],
    [12, 0.576],
    [22, 0.423],
    [30, 0.361],
    [102, 0.195],
  ] as const;

  it.each(critical)("the t test becomes significant at the tabulated value for n = %i", (n, r) => {
    expect(computeCorrelationPValue(r + 0.0006, n)).toBeLessThan(0.05);
    expect(computeCorrelationPValue(-r + 0.0006, n)).toBeGreaterThan(0.0495);
    expect(computeCorrelationPValue(r - 0.0011, n)).toBeGreaterThan(0.05);
  });

  it("the p-value is 0 for a perfect line, 1 for no correlation, and NaN below three points", () => {
    expect(computeCorrelationPValue(1, 3)).toBe(0);
    expect(computeCorrelationPValue(0, 500)).toBe(1);
    expect(computeCorrelationPValue(1, 2)).toBeNaN();
  });
});
