import { describe, expect, it } from "vitest";
import {
  budgetWarnings,
  callLimitQuestion,
  remainingCost,
  costLimitQuestion,
  applyBudgetRaise,
  checkBudgetRaise,
  raisesBudget,
  reserveFromBudget,
  addSpend,
} from "../../../src/tasks/model/budget.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import type { TaskBudget } from "../../../src/tasks/model/task.ts";

describe("the call budget", () => {
  it.each<[string, TaskBudget | null, number]>([
    ["no budget", null, 999],
    ["nothing limited", { note: "be quick" }, 999],
    ["calls left", { maxToolCalls: 3 }, 2],
    ["only the cost limited", { maxCost: 0 }, 999],
  ])("a call is allowed with %s", (_, budget, toolCalls) => {
    expect(callLimitQuestion(budget, { cost: 0, toolCalls })).toBeNull();
  });

  it.each<[TaskBudget, number]>([
    [{ maxToolCalls: 3 }, 3],
    [{ maxToolCalls: 3 }, 4],
    [{ maxToolCalls: 0 }, 0],
  ])("the budget %j asks before another call after %d calls", (budget, toolCalls) => {
    expect(callLimitQuestion(budget, { cost: 0, toolCalls })).toMatch(
      new RegExp(
        `^The budget of ${budget.maxToolCalls} tool calls is used up\\. Answer with a higher`,
      ),
    );
  });
});

describe("the remaining cost", () => {
  it.each<[TaskBudget | null, number, number | null]>([
    [null, 5, null],
    [{ maxToolCalls: 1 }, 5, null],
    [{ maxCost: 1 }, 0, 1],
    [{ maxCost: 1 }, 0.75, 0.25],
    [{ maxCost: 1 }, 1, 0],
    [{ maxCost: 1 }, 2, 0],
    [{ maxCost: 0 }, 0, 0],
    [{ maxCost: 0.3 }, 0.2, 0.1],
    [{ maxCost: 0.3 }, 0.1 + 0.2, 0],
  ])("the remaining cost of the budget %j after $%d is %j", (budget, cost, left) => {
    expect(remainingCost(budget, { cost, toolCalls: 9 })).toBe(left);
  });

  it("the question about the cost states the budget", () => {
    expect(costLimitQuestion({ maxCost: 1.5 })).toMatch(
      /^The budget of \$1\.5 does not cover the next call\./,
    );
  });
});

it("the spend grows by the cost of each call, exact to the cent", () => {
  const call = { toolId: "t", capability: "c", cost: 0.1, durationMs: 1, ok: true };
  const calls = Array.from({ length: 10 }, () => call);
  expect(addSpend({ cost: 0, toolCalls: 1 }, calls)).toEqual({ cost: 1, toolCalls: 11 });
  expect(addSpend({ cost: 0.2, toolCalls: 0 }, [call])).toEqual({ cost: 0.3, toolCalls: 1 });
});

describe("budget warnings", () => {
  it("a warning names the fields that are not enforced and those that are", () => {
    expect(budgetWarnings({ maxUsd: 3 })).toEqual([
      'budget: "maxUsd" is stored but not enforced. Enforced fields: maxCost, maxToolCalls, maxDurationSeconds.',
    ]);
    expect(budgetWarnings({ maxCost: 1, max_cost: 2, MaxCost: 3 })).toEqual([
      'budget: "max_cost", "MaxCost" are stored but not enforced. Enforced fields: maxCost, maxToolCalls, maxDurationSeconds.',
    ]);
  });

  it("a budget with only enforced fields, or no budget, causes no warning", () => {
    const whole = { maxCost: 1, maxToolCalls: 2, maxDurationSeconds: 3 };
    for (const budget of [null, {}, whole]) expect(budgetWarnings(budget)).toEqual([]);
  });

  it("a warning names at most ten fields, each truncated", () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`f${i}`, i]));
    const [warning = ""] = budgetWarnings({ ...many, ["x".repeat(9_000)]: 1 });
    expect(warning).toContain('"f9" and 1991 more are stored');
    expect(budgetWarnings({ ["x".repeat(9_000)]: 1 })[0]?.length).toBeLessThan(250);
  });
});

describe("the budget after an answer", () => {
  const budget: TaskBudget = { maxCost: 1, maxToolCalls: 2, maxDurationSeconds: 60, note: "x" };

  it.each<[string, string | JsonObject | null, TaskBudget]>([
    ["text changes nothing", "finish with what is there", budget],
    ["null changes nothing", null, budget],
    [
      "new limits replace the old",
      { maxCost: 2, maxToolCalls: 9 },
      { ...budget, maxCost: 2, maxToolCalls: 9 },
    ],
    ["one limit does not change the other", { maxToolCalls: 9 }, { ...budget, maxToolCalls: 9 }],
    ["a value that is not an amount is ignored", { maxCost: "2", maxToolCalls: -1 }, budget],
    ["the time limit does not change", { maxDurationSeconds: 999 }, budget],
  ])("only valid limits in an answer change the budget: %s", (_, response, raised) => {
    expect(applyBudgetRaise(budget, response)).toEqual(raised);
  });

  it("an answer can set the first budget of a task", () => {
    expect(applyBudgetRaise(null, { maxCost: 2 })).toEqual({ maxCost: 2 });
    expect(applyBudgetRaise(null, "no")).toBeNull();
  });
});

describe("calls in progress", () => {
  const NONE = { cost: 0, toolCalls: 0 };

  it("calls in progress count against the limit of calls", () => {
    const reserved = { cost: 0, toolCalls: 1 };
    const budget = { maxToolCalls: 3 };
    expect(reserveFromBudget(budget, { cost: 0, toolCalls: 1 }, reserved, 0).ok).toBe(true);
    const full = reserveFromBudget(budget, { cost: 0, toolCalls: 2 }, reserved, 0);
    expect(full).toMatchObject({ ok: false, failure: expect.stringContaining("3 tool calls") });
  });

  it("calls in progress reserve their maximum cost, but at most the remaining budget", () => {
    const budget = { maxCost: 1 };
    const first = reserveFromBudget(budget, { cost: 0.25, toolCalls: 1 }, NONE, 0.5);
    expect(first).toMatchObject({ ok: true, value: { costMax: 0.75, price: 0.5 } });
    const second = reserveFromBudget(
      budget,
      { cost: 0.25, toolCalls: 1 },
      { cost: 0.5, toolCalls: 1 },
      0.5,
    );
    expect(second).toMatchObject({ ok: true, value: { costMax: 0.25, price: 0.25 } });
  });

  it("a call may have any cost if the task has no budget", () => {
    expect(reserveFromBudget(null, NONE, { cost: 9, toolCalls: 9 }, 2)).toEqual({
      ok: true,
      value: { costMax: null, price: 2 },
    });
  });
});

describe("answers that raise a budget", () => {
  const asked = (kind: "budget" | "input", budget: TaskBudget | null) => ({
    blocked: { kind, question: "More?", since: 0 },
    budget,
  });

  it.each<[string, TaskBudget, string | JsonObject | null, boolean]>([
    ["more calls", { maxToolCalls: 2 }, { maxToolCalls: 3 }, true],
    ["more dollars", { maxCost: 2, maxToolCalls: 2 }, { maxCost: 2.01, maxToolCalls: 1 }, true],
    ["the same number of calls", { maxToolCalls: 2 }, { maxToolCalls: 2 }, false],
    ["fewer calls", { maxToolCalls: 2 }, { maxToolCalls: 1 }, false],
    ["a limit where there was none", { maxToolCalls: 2 }, { maxCost: 100 }, false],
    ["a text", { maxToolCalls: 2 }, "Go on", false],
    ["a value that is not an amount", { maxToolCalls: 2 }, { maxToolCalls: "100" }, false],
    ["nothing", { maxToolCalls: 2 }, null, false],
  ])(
    "an answer raises a budget only if it raises one of its limits: %s",
    (_, budget, response, isRaise) => {
      expect(raisesBudget(asked("budget", budget), response)).toBe(isRaise);
    },
  );

  it("an answer to another kind of question does not raise the budget", () => {
    expect(raisesBudget(asked("input", { maxCost: 1 }), { maxCost: 100 })).toBe(false);
    expect(raisesBudget({ blocked: null, budget: { maxCost: 1 } }, { maxCost: 100 })).toBe(false);
  });
});

describe("the limits in an answer to a budget question", () => {
  const blocked = { kind: "budget", question: "q", since: 0 } as const;
  const problems = (budget: TaskBudget, response: JsonObject) =>
    checkBudgetRaise({ blocked, budget, spend: { cost: 0.5, toolCalls: 2 } }, response);

  it.each<[TaskBudget, JsonObject]>([
    [{ maxCost: 1 }, { maxCost: 2 }],
    [
      { maxCost: 1, maxToolCalls: 10 },
      { maxCost: 2, maxToolCalls: 10 },
    ],
    [{ maxCost: 1 }, { maxCost: 2, maxToolCalls: 3 }],
    [{ maxCost: 1 }, { note: "finish" }],
    [{ note: "none" }, { maxCost: 2 }],
  ])("for the budget %j, the answer %j is accepted", (budget, response) => {
    expect(problems(budget, response)).toEqual([]);
  });

  it.each<[TaskBudget, JsonObject, string[]]>([
    [{ maxCost: 1 }, { maxCost: 1 }, ["response.maxCost"]],
    [{ maxCost: 1 }, { maxCost: "2" }, ["response.maxCost"]],
    [{ maxCost: 1 }, { maxCost: 2, maxToolCalls: 2 }, ["response.maxToolCalls"]],
    [{ maxCost: 1, maxToolCalls: 2 }, { maxCost: 0.5, maxToolCalls: 5 }, ["response.maxCost"]],
    [{ maxToolCalls: 2 }, { maxCost: 3 }, ["response.maxToolCalls"]],
  ])("for the budget %j, the answer %j is rejected", (budget, response, fields) => {
    expect(problems(budget, response).map(([field]) => field)).toEqual(fields);
  });
});
