import { describe, expect, it } from "vitest";
import { budgetQuestion, raisedBudget } from "../../src/domain/budget.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import type { Budget } from "../../src/domain/task.ts";

describe("before a call, the budget", () => {
  it.each<[string, Budget | null, { cost: number; toolCalls: number }]>([
    ["no budget", null, { cost: 999, toolCalls: 999 }],
    ["nothing limited", { note: "be quick" }, { cost: 999, toolCalls: 999 }],
    ["calls left", { maxToolCalls: 3 }, { cost: 0, toolCalls: 2 }],
    ["money left", { maxCost: 1 }, { cost: 0.99, toolCalls: 50 }],
    ["no money, and nothing has cost any", { maxCost: 0 }, { cost: 0, toolCalls: 50 }],
  ])("allows it: %s", (_, budget, spend) => {
    expect(budgetQuestion(budget, spend)).toBeNull();
  });

  it.each<[string, Budget, { cost: number; toolCalls: number }, RegExp]>([
    [
      "calls used up",
      { maxToolCalls: 3 },
      { cost: 0, toolCalls: 3 },
      /^The budget of 3 tool calls/,
    ],
    [
      "no calls at all",
      { maxToolCalls: 0 },
      { cost: 0, toolCalls: 0 },
      /^The budget of 0 tool calls/,
    ],
    [
      "money used up",
      { maxCost: 1 },
      { cost: 1, toolCalls: 1 },
      /budget of \$1 is used up: \$1 spent/,
    ],
    [
      "money overdrawn",
      { maxCost: 0 },
      { cost: 0.5, toolCalls: 1 },
      /budget of \$0 .* \$0\.5 spent/,
    ],
    ["both", { maxCost: 1, maxToolCalls: 1 }, { cost: 2, toolCalls: 1 }, /1 tool calls/],
  ])("asks first: %s", (_, budget, spend, question) => {
    expect(budgetQuestion(budget, spend)).toMatch(question);
  });
});

describe("the budget after an answer", () => {
  const budget: Budget = { maxCost: 1, maxToolCalls: 2, maxDurationSeconds: 60, note: "x" };

  it.each<[string, string | JsonObject | null, Budget]>([
    ["a text leaves it", "finish with what is there", budget],
    ["nobody's answer leaves it", null, budget],
    [
      "new limits replace the old",
      { maxCost: 2, maxToolCalls: 9 },
      { ...budget, maxCost: 2, maxToolCalls: 9 },
    ],
    ["one limit leaves the other", { maxToolCalls: 9 }, { ...budget, maxToolCalls: 9 }],
    ["what is no amount is ignored", { maxCost: "2", maxToolCalls: -1 }, budget],
    ["the time budget is not raised this way", { maxDurationSeconds: 999 }, budget],
  ])("%s", (_, response, raised) => {
    expect(raisedBudget(budget, response)).toEqual(raised);
  });

  it("can be the first one", () => {
    expect(raisedBudget(null, { maxCost: 2 })).toEqual({ maxCost: 2 });
    expect(raisedBudget(null, "no")).toBeNull();
  });
});
