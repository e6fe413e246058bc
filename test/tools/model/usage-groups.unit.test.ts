import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../src/kernel/units.ts";
import { sumUsage, utcDayOf, type AgentDayUsage } from "../../../src/tools/model/usage.ts";
import {
  groupToolUsage,
  mergeGroups,
  resolvePeriod,
  sortGroups,
  USAGE_FIELDS,
  type UsageGrouping,
} from "../../../src/tools/model/usage-groups.ts";
import { Rng } from "../../support/rng.ts";

const NOW = Date.UTC(2030, 2, 1, 0, 0, 0, 1);

describe("the period of a usage report", () => {
  it("a period is the last seven days unless the request names others", () => {
    expect(resolvePeriod({}, NOW)).toEqual({
      ok: true,
      value: { from: "2030-02-23", to: "2030-03-01" },
    });
    expect(resolvePeriod({ to: "2030-01-03" }, NOW)).toEqual({
      ok: true,
      value: { from: "2029-12-28", to: "2030-01-03" },
    });
    expect(resolvePeriod({ from: "2030-03-01" }, NOW)).toEqual({
      ok: true,
      value: { from: "2030-03-01", to: "2030-03-01" },
    });
  });

  it("a period has from 1 to 92 days", () => {
    for (let days = -2; days <= 95; days += 1) {
      const from = utcDayOf(NOW - (days - 1) * DAY_MS);
      for (const to of [undefined, "2030-03-01"]) {
        const period = resolvePeriod({ from, to }, NOW);
        expect(period.ok, from).toBe(days >= 1 && days <= 92);
        if (!period.ok) expect(period.failure.path).toBe("from");
      }
    }
  });

  it("the error says what the limit is", () => {
    expect(resolvePeriod({ from: "2029-01-01" }, NOW)).toMatchObject({
      failure: {
        message: 'must be at most 91 days before today, 2030-03-01 (UTC), got "2029-01-01"',
      },
    });
    expect(resolvePeriod({ from: "2030-01-02", to: "2030-01-01" }, NOW)).toMatchObject({
      failure: { message: 'must not be after to, 2030-01-01, got "2030-01-02"' },
    });
  });
});

describe("grouped usage", () => {
  const rng = new Rng(7);
  const DAYS = ["2030-01-01", "2030-01-02", "2030-01-03", "2030-01-04"];
  const AGENTS = [null, "ann", "ben"];
  const TOOLS = ["one", "two", "three"];
  /** The days of a tool as its meter returns them. */
  const usageOf = (): AgentDayUsage[] =>
    DAYS.flatMap((day) =>
      AGENTS.map((agentId) => {
        const calls = rng.below(20);
        const failed = rng.below(calls + 1);
        return {
          day,
          agentId,
          calls,
          failed,
          cost: rng.below(1_000) / 1_000,
          durationMs: calls * 7,
        };
      }),
    );
  const tools = TOOLS.map((toolId) => ({ toolId, usage: usageOf() }));
  const period = { from: "2030-01-02", to: "2030-01-03" };
  const inPeriod = tools.flatMap(({ usage }) =>
    usage.filter(({ day }) => day === "2030-01-02" || day === "2030-01-03"),
  );

  const GROUPINGS: UsageGrouping[][] = [
    ["day"],
    ["agent"],
    ["tool"],
    ["day", "agent"],
    ["tool", "day"],
    ["agent", "tool", "day"],
  ];

  it.each(GROUPINGS.map((groupBy) => ({ groupBy })))(
    "the rows by $groupBy add up to the usage in the period",
    ({ groupBy }) => {
      const groups = mergeGroups(
        tools.flatMap(({ toolId, usage }) =>
          groupToolUsage(usage, period, groupBy).map((group) =>
            groupBy.includes("tool") ? { ...group, toolId } : group,
          ),
        ),
      );
      expect(sumUsage(groups)).toEqual(sumUsage(inPeriod));
      const sizes = { day: 2, agent: 3, tool: 3, team: 1, key: 1, label: 1 };
      expect(groups).toHaveLength(groupBy.reduce((product, one) => product * sizes[one], 1));
      const counts = ["calls", "cost", "durationMs", "failed"];
      const work = ["agentCost", "inputTokens", "modelCost", "outputTokens"];
      for (const group of groups)
        expect(Object.keys(group).toSorted()).toEqual(
          [...groupBy.map((one) => USAGE_FIELDS[one]), ...counts, ...work].toSorted(),
        );
    },
  );

  it("rows are sorted by the groupings in the given order, with calls without an agent first", () => {
    const groups = groupToolUsage(usageOf(), period, ["day", "agent"]).toReversed();
    const order = (groupBy: UsageGrouping[]) =>
      sortGroups(groups, groupBy).map(({ day = "", agentId }) => `${day.slice(-1)} ${agentId}`);
    expect(order(["day", "agent"])).toEqual([
      "2 null",
      "2 ann",
      "2 ben",
      "3 null",
      "3 ann",
      "3 ben",
    ]);
    expect(order(["agent", "day"])).toEqual([
      "2 null",
      "3 null",
      "2 ann",
      "3 ann",
      "2 ben",
      "3 ben",
    ]);
  });
});
