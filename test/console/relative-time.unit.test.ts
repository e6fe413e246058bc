import { describe, expect, it } from "vitest";
import {
  formatDuration,
  formatExactTime,
  formatRelativeTime,
  formatTimesIn,
  spaceUnits,
} from "../../console/src/ui/relative-time.ts";

const NOW = Date.parse("2026-11-27T12:00:00Z");

describe("times in the console", () => {
  it.each([
    [0, "now"],
    [-4_999, "now"],
    [-59_000, "59 s ago"],
    [-60_000, "1 min ago"],
    [-3_599_000, "59 min ago"],
    [7_200_000, "in 2 h"],
    [-86_400_000 * 3, "3 d ago"],
  ])("%i ms from now is shown as %s", (offsetMs, text) => {
    expect(formatRelativeTime(NOW + offsetMs, NOW)).toBe(text);
  });

  it.each([
    [0, "0 ms"],
    [850, "850 ms"],
    [3_200, "3.2 s"],
    [59_999, "60 s"],
    [60_000, "1 min"],
    [65_000, "1 min 5 s"],
    [7_500_000, "2 h 5 min"],
    [90_000_000, "1 d 1 h"],
  ])("a duration of %i ms is shown as %s", (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text);
  });

  it("ISO times in an API message are replaced with local times", () => {
    const [first, second] = ["2026-11-27T10:00:00.000Z", "2026-11-27T11:00:00.001Z"] as const;
    expect(formatTimesIn(`Passed at ${first}, not ${second}.`)).toBe(
      `Passed at ${formatExactTime(first)}, not ${formatExactTime(second)}.`,
    );
  });

  it.each([
    "2026-12-31T23:59:60.000Z",
    "2026-99-99T99:99:99.999Z",
    "2026-02-30T10:00:00.000Z",
    "2026-11-27T11:00:00Z",
  ])("the text %s, which the API does not write as a time, is kept", (text) => {
    expect(formatTimesIn(`Failed: ${text}`)).toBe(`Failed: ${text}`);
  });

  it.each([
    ["0ms", "0 ms"],
    ["2s", "2 s"],
    ["9m 53s", "9 min 53 s"],
    ["1d 2h", "1 d 2 h"],
  ])("the API's duration %s is shown as %s", (duration, text) => {
    expect(spaceUnits(duration)).toBe(text);
  });
});
