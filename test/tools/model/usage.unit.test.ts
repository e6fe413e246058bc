import { describe, expect, it } from "vitest";
import {
  filterCalls,
  utcDayOf,
  filterDailyUsage,
  sumByAgent,
  firstDayOf,
  addCallToDay,
  prependCall,
  type ToolCallRecord,
  type DailyUsage,
  type UsageScope,
} from "../../../src/tools/model/usage.ts";

const NOON = Date.UTC(2030, 1, 28, 12);
const CALL = {
  at: NOON,
  capability: "turns",
  agentId: "ann",
  taskId: null,
  code: null,
  cost: 0.1,
  durationMs: 12,
};

describe("a day's usage", () => {
  it("a day's usage sums calls, failures, cost and time for each agent and without an agent", () => {
    const calls = [
      CALL,
      { ...CALL, cost: 0.2, durationMs: 8 },
      { ...CALL, cost: 0, code: "TOOL_TIMEOUT" },
      { ...CALL, agentId: null },
    ];
    const usage = calls.reduce<DailyUsage>(addCallToDay, []);
    expect(usage).toEqual([
      { day: "2030-02-28", agentId: "ann", calls: 3, failed: 1, cost: 0.3, durationMs: 32 },
      { day: "2030-02-28", agentId: null, calls: 1, failed: 0, cost: 0.1, durationMs: 12 },
    ]);
  });
});

describe("a day of very many agents", () => {
  it("a day's usage lists the first thousand agents and sums the calls of all others", () => {
    let usage: DailyUsage = [];
    for (let agent = 0; agent < 1_200; agent += 1) {
      usage = addCallToDay(usage, { ...CALL, agentId: `agent-${agent}` });
    }
    usage = addCallToDay(usage, { ...CALL, agentId: "agent-7" });
    expect(usage).toHaveLength(1_001);
    expect(usage.find(({ agentId }) => agentId === "*")?.calls).toBe(200);
    expect(usage.find(({ agentId }) => agentId === "agent-7")?.calls).toBe(2);
  });
});

describe("a day of many keys and labels", () => {
  const count = (field: "keyId" | "labels", usage: DailyUsage) =>
    new Set(usage.map((entry) => entry[field])).size;

  it("further labels, then keys, and finally agents are counted together, and no call is lost", () => {
    let usage: DailyUsage = [];
    for (let one = 0; one < 1_500; one += 1) {
      const labels = { order: `${one}` };
      const agentId = `agent-${one % 300}`;
      usage = addCallToDay(usage, { ...CALL, agentId, teamId: null, keyId: `key-${one}`, labels });
    }
    expect(usage.reduce((sum, { calls }) => sum + calls, 0)).toBe(1_500);
    expect([count("labels", usage), count("keyId", usage)]).toEqual([501, 751]);
    expect(new Set(usage.map(({ agentId }) => agentId)).size).toBe(301);
    expect(usage.length).toBeLessThanOrEqual(1_001);
  });

  it("long labels are counted together", () => {
    const labels = { note: "x".repeat(510) };
    expect(addCallToDay([], { ...CALL, labels })[0]?.labels).toBe("*");
    expect(addCallToDay([], { ...CALL, labels: { a: "b" } })[0]?.labels).toBe('{"a":"b"}');
  });
});

describe("the last calls", () => {
  it("the list of the last calls has at most a hundred entries, newest first", () => {
    let recent: ReturnType<typeof prependCall> = [];
    for (let at = 0; at < 250; at += 1) recent = prependCall(recent, { ...CALL, at });
    expect(recent.map(({ at }) => at)).toEqual(Array.from({ length: 100 }, (_, i) => 249 - i));
  });
});

describe("a key's view of a shared agent's calls", () => {
  const calls: ToolCallRecord[] = [
    { ...CALL, teamId: "red", taskId: "of red" },
    { ...CALL, teamId: "blue", taskId: "of blue" },
    { ...CALL, teamId: null, taskId: "of no team" },
    { ...CALL, taskId: "of an earlier release" },
    { ...CALL, agentId: "ben", teamId: "red", taskId: "of ben" },
  ];
  const day = calls.reduce<DailyUsage>(addCallToDay, []);
  const all = { agentIds: null, teamId: null };
  const anns = { agentIds: ["ann"], teamId: null };
  const red = { agentIds: ["ann"], teamId: "red" };
  const tasks = (scope: UsageScope) => filterCalls(calls, scope).map(({ taskId }) => taskId);
  const counts = (scope: UsageScope) =>
    sumByAgent(filterDailyUsage(day, scope)).map(({ agentId, calls: made }) => [agentId, made]);

  it("an unbound key sees every call, in one entry per day and agent", () => {
    expect(tasks(all)).toHaveLength(5);
    expect(counts(all)).toEqual([
      ["ann", 4],
      ["ben", 1],
    ]);
    expect(sumByAgent(filterDailyUsage(day, all))[0]).toEqual({
      day: "2030-02-28",
      agentId: "ann",
      calls: 4,
      failed: 0,
      cost: 0.4,
      durationMs: 48,
    });
  });

  it("an agent's key sees its agent's calls with their tasks", () => {
    expect(tasks(anns)).toEqual(["of red", "of blue", "of no team", "of an earlier release"]);
    expect(counts(anns)).toEqual([["ann", 4]]);
  });

  it("a team's key sees no call for another or an unknown team, and only its own tasks", () => {
    expect(tasks(red)).toEqual(["of red", null]);
    expect(counts(red)).toEqual([["ann", 2]]);
  });
});

describe("days in UTC", () => {
  it.each([
    [Date.UTC(2030, 1, 28, 23, 59, 59, 999), "2030-02-28"],
    [Date.UTC(2030, 2, 1), "2030-03-01"],
  ])("the time %d falls on the right UTC day", (at, day) => expect(utcDayOf(at)).toBe(day));

  it("a report begins so that it covers as many UTC days as requested, including today", () => {
    expect(firstDayOf(NOON, 1)).toBe("2030-02-28");
    expect(firstDayOf(NOON, 30)).toBe("2030-01-30");
  });
});
