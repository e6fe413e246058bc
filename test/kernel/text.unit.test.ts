import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, sanitizeText } from "../../src/kernel/text.ts";

describe("a truncated text", () => {
  it.each([
    ["fits", "harbour", 7, "harbour"],
    ["is too long", "harbours", 7, "harbou…"],
    ["ends in a character of two units", "🚢🚢🚢🚢", 6, "🚢🚢…"],
    ["fits with a character of two units", "🚢🚢🚢", 6, "🚢🚢🚢"],
    ["is not well-formed", "a\ud800b", 9, "a\ufffdb"],
    ["contains characters that do not print", " a\u0000\u0007\tb\n", 9, "a\tb"],
  ])("text that %s is sanitised within its limit", (_, text, charactersMax, expected) => {
    expect(sanitizeText(text, charactersMax)).toBe(expected);
  });

  it("sanitised text never exceeds its limit and is never cut within a character", () => {
    for (let charactersMax = 1; charactersMax < 40; charactersMax += 1) {
      const text = sanitizeText("é🚢 x\u0000🚢".repeat(50), charactersMax);
      expect(text.length).toBeLessThanOrEqual(charactersMax);
      expect(text.isWellFormed()).toBe(true);
    }
  });
});

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
      const parsedMs = parts.reduce(
        (sum, [, count, unit = ""]) => sum + Number(count) * (ms[unit] ?? NaN),
        0,
      );
      const largest = ms[parts[0]?.[2] ?? ""] ?? NaN;
      expect(parsedMs).toBeLessThanOrEqual(durationMs);
      expect(durationMs - parsedMs).toBeLessThan(Math.max(1, largest / 24));
    }),
  );
});
