import { beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../../src/kernel/json.ts";
import { get, post } from "../support/client.ts";
import { expectProblems } from "../support/expect-errors.ts";
import { create, stopClock, taskIn } from "../support/tasks.ts";

let completed = "";
let pending = "";

const rate = (rating: Json) => post(`/agents/tasks/${completed}/feedback`, { rating });
const budgeted = (budget: Json) => post("/agents/tasks", { task: "x", budget });

beforeAll(async () => {
  stopClock();
  completed = await taskIn("completed");
  pending = await create();
});

describe("numbers in bodies", () => {
  it.each([1, 1.000001, 3.7, 5])("rating accepts %d", async (rating) => {
    expect([200, 201]).toContain((await rate(rating)).status);
  });

  it.each([
    [0.999999, "must be at least 1, got 0.999999"],
    [5.000001, "must be at most 5, got 5.000001"],
    ["4", 'must be a number, got "4"'],
    [true, "must be a number, got true"],
    [[4], "must be a number, got [4]"],
  ])("rating rejects %j", async (rating, message) => {
    const answer = await rate(rating);
    expectProblems(answer, { rating: /\S/ });
    expect(answer.body.error.details[0].message).toBe(message);
  });

  it.each([
    { maxCost: 0 },
    { maxCost: 0.005 },
    { maxToolCalls: 0 },
    { maxToolCalls: 9_007_199_254_740_991 },
    { maxDurationSeconds: 1 },
    { maxDurationSeconds: 1.5 },
    { maxDurationSeconds: 158_112_000 },
    {},
    { maxCost: 1, maxToolCalls: 1, maxDurationSeconds: 1, anything: { else: ["goes"] } },
  ])("budget accepts %j", async (budget) => {
    expect((await budgeted(budget)).status).toBe(201);
  });

  it.each([
    [{ maxCost: -0.01 }, "budget.maxCost", "got -0.01"],
    [{ maxCost: "1" }, "budget.maxCost", 'got "1"'],
    [{ maxToolCalls: -1 }, "budget.maxToolCalls", "got -1"],
    [{ maxToolCalls: 1.5 }, "budget.maxToolCalls", "got 1.5"],
    [{ maxDurationSeconds: 0.999 }, "budget.maxDurationSeconds", "got 0.999"],
    [{ maxDurationSeconds: 158_112_001 }, "budget.maxDurationSeconds", "got 158112001"],
    [{ maxDurationSeconds: null }, "budget.maxDurationSeconds", "got null"],
    [[], "budget", "got []"],
    ["cheap", "budget", 'got "cheap"'],
  ])("budget rejects %j", async (budget, path, message) => {
    expectProblems(await budgeted(budget), { [path]: message });
  });
});

/** Numeric query parameters and their bounds. */
const QUERY_NUMBERS = [
  { of: () => "/agents/tools", name: "limit", least: 1, most: 100 },
  { of: () => "/agents/tools", name: "offset", least: 0, most: 10_000 },
  { of: () => "/agents/tasks", name: "limit", least: 1, most: 100 },
  { of: () => "/agents/tasks", name: "offset", least: 0, most: 10_000 },
  { of: () => "/agents/keys", name: "limit", least: 1, most: 100 },
  { of: () => "/agents/keys", name: "offset", least: 0, most: 10_000 },
  { of: () => `/agents/tasks/${pending}/events`, name: "limit", least: 1, most: 100 },
  {
    of: () => `/agents/tasks/${pending}/events`,
    name: "after",
    least: 0,
    most: Number.MAX_SAFE_INTEGER,
  },
];

describe.each(QUERY_NUMBERS)(
  "query number $name ($least to $most)",
  ({ of, name, least, most }) => {
    const ask = (value: string) => get(`${of()}?${name}=${encodeURIComponent(value)}`);

    it("a number in a query accepts its minimum and its maximum", async () => {
      expect((await ask(String(least))).status).toBe(200);
      expect((await ask(String(most))).status).toBe(200);
    });

    it("a value just outside the bounds is rejected, not clamped", async () => {
      const rule = `must be a whole number from ${least} to ${most}`;
      for (const value of [BigInt(least) - 1n, BigInt(most) + 1n]) {
        expectProblems(await ask(String(value)), { [name]: rule });
      }
    });

    it.each([
      "01",
      "00",
      "1e2",
      "0x10",
      "1.0",
      "1.",
      "+1",
      "-0",
      " 1",
      "1 ",
      "1,000",
      "1_000",
      "１",
      "٣",
      "ten",
      "Infinity",
      "NaN",
      "true",
      "null",
      "1\n",
    ])("a number in a query rejects %j", async (value) => {
      expectProblems(await ask(value), { [name]: /^must be a whole number .*, got / });
    });
  },
);
