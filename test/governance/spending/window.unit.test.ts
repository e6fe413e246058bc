import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LimitPeriod } from "../../../src/governance/model/spending/limit.ts";
import { isTimeZone, windowOf } from "../../../src/governance/model/spending/window.ts";

const HOUR_MS = 3_600_000;

function windowAt(per: LimitPeriod, timeZone: string, now: string) {
  const { startsAt, endsAt } = windowOf(per, timeZone, Date.parse(now));
  return [startsAt, endsAt ?? NaN].map((at) => new Date(at).toISOString().replace(":00.000Z", "Z"));
}

describe("the window of a limit", () => {
  it.each<[LimitPeriod, string, string, string, string]>([
    ["day", "UTC", "2026-11-28T23:59:59.999Z", "2026-11-28T00:00Z", "2026-11-29T00:00Z"],
    ["day", "UTC", "2026-11-29T00:00:00.000Z", "2026-11-29T00:00Z", "2026-11-30T00:00Z"],
    ["day", "Europe/Berlin", "2026-11-28T23:30:00Z", "2026-11-28T23:00Z", "2026-11-29T23:00Z"],
    ["day", "Asia/Kathmandu", "2026-11-28T20:00:00Z", "2026-11-28T18:15Z", "2026-11-29T18:15Z"],
    ["day", "Pacific/Kiritimati", "2026-11-28T12:00:00Z", "2026-11-28T10:00Z", "2026-11-29T10:00Z"],
    ["day", "Pacific/Pago_Pago", "2026-11-28T05:00:00Z", "2026-11-27T11:00Z", "2026-11-28T11:00Z"],
    ["week", "UTC", "2026-11-29T12:00:00Z", "2026-11-23T00:00Z", "2026-11-30T00:00Z"],
    ["week", "UTC", "2026-11-30T00:00:00Z", "2026-11-30T00:00Z", "2026-12-07T00:00Z"],
    ["week", "America/New_York", "2026-11-03T12:00:00Z", "2026-11-02T05:00Z", "2026-11-09T05:00Z"],
    ["week", "America/New_York", "2026-10-31T12:00:00Z", "2026-10-26T04:00Z", "2026-11-02T05:00Z"],
    ["month", "UTC", "2028-02-29T12:00:00Z", "2028-02-01T00:00Z", "2028-03-01T00:00Z"],
    ["month", "Europe/Berlin", "2026-03-31T22:30:00Z", "2026-03-31T22:00Z", "2026-04-30T22:00Z"],
    ["month", "Europe/Berlin", "2026-12-31T22:59:00Z", "2026-11-30T23:00Z", "2026-12-31T23:00Z"],
  ])("the %s in %s at %s is from %s to %s", (per, timeZone, now, from, to) => {
    expect(windowAt(per, timeZone, now)).toEqual([from, to]);
  });

  it.each([
    ["has 23 hours when the clock is set forward", "Europe/Berlin", "2026-03-29T10:00:00Z", 23],
    ["has 25 hours when the clock is set back", "Europe/Berlin", "2026-10-25T10:00:00Z", 25],
    ["begins at 01:00 when midnight is skipped", "Africa/Cairo", "2026-04-24T10:00:00Z", 23],
    ["begins at the first of two midnights", "America/Havana", "2026-11-01T10:00:00Z", 25],
    ["has 23.5 hours for half an hour", "Australia/Lord_Howe", "2026-10-04T10:00:00Z", 23.5],
  ])("a day %s", (_, timeZone, now, hours) => {
    const { startsAt, endsAt } = windowOf("day", timeZone, Date.parse(now));
    expect(((endsAt ?? NaN) - startsAt) / HOUR_MS).toBe(hours);
  });

  it("the total has one window that never ends", () => {
    expect(windowOf("total", "UTC", 5)).toEqual({ startsAt: 0, endsAt: null });
  });

  it("windows contain their instants and follow each other without gaps in every time zone", () => {
    const timeZone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
    const per = fc.constantFrom<LimitPeriod[]>("day", "week", "month");
    const now = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2035, 0) });
    fc.assert(
      fc.property(timeZone, per, now, (zone, period, at) => {
        const { startsAt, endsAt } = windowOf(period, zone, at);
        expect(startsAt).toBeLessThanOrEqual(at);
        expect(endsAt).toBeGreaterThan(at);
        expect(windowOf(period, zone, startsAt)).toEqual({ startsAt, endsAt });
        expect(windowOf(period, zone, endsAt ?? 0).startsAt).toBe(endsAt);
        const format = new Intl.DateTimeFormat("en", { timeZone: zone, dateStyle: "full" });
        expect(format.format(startsAt)).not.toBe(format.format(startsAt - 1));
        if (period === "week") expect(format.format(startsAt)).toMatch(/^Monday/);
        if (period === "month") expect(format.format(startsAt)).toMatch(/ 1, /);
      }),
      { numRuns: 2_000 },
    );
  });
});

it.each([
  ["UTC", true],
  ["Europe/Berlin", true],
  ["Europe/Bergen", false],
  ["+01:00", false],
  ["", false],
  ["UTC ", false],
  ["../etc", false],
])("whether %j is a time zone is %s", (name, expected) => {
  expect(isTimeZone(name)).toBe(expected);
});
