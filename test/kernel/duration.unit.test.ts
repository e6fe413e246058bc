import fc from "fast-check";
import { expect, it } from "vitest";
import { formatDuration } from "../../src/kernel/duration.ts";

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

it.each([
  [0, "0ms"],
  [-5, "0ms"],
  [0.4, "0ms"],
  [850, "850ms"],
  [999.4, "999ms"],
  [999.6, "1s"],
  [12 * SECOND, "12s"],
  [12 * SECOND + 999, "12s"],
  [MINUTE - 1, "59s"],
  [MINUTE, "1m"],
  [3 * MINUTE + 20 * SECOND, "3m 20s"],
  [HOUR, "1h"],
  [HOUR + 59 * SECOND, "1h"],
  [2 * HOUR + 5 * MINUTE, "2h 5m"],
  [DAY, "1d"],
  [DAY + 30 * MINUTE, "1d"],
  [4 * DAY + HOUR, "4d 1h"],
  [400 * DAY + 23 * HOUR, "400d 23h"],
])("%d ms is formatted as %s", (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});

it("a duration reads as one or two non-zero units and is exact to the smaller one", () => {
  const ms: Record<string, number> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 * DAY }), (durationMs) => {
      const text = formatDuration(durationMs);
      expect(text).toMatch(/^([1-9]\d*)(ms|[smhd])( ([1-9]\d*)[smh])?$/);
      const parts = text.split(" ").map((part) => /^(\d+)(\D+)$/.exec(part) ?? []);
      const said = parts.reduce(
        (sum, [, count, unit = ""]) => sum + Number(count) * (ms[unit] ?? NaN),
        0,
      );
      const largest = ms[parts[0]?.[2] ?? ""] ?? NaN;
      expect(said).toBeLessThanOrEqual(durationMs);
      expect(durationMs - said).toBeLessThan(Math.max(1, largest / 24));
    }),
  );
});
