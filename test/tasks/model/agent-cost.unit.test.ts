import { describe, expect, it } from "vitest";
import type { AgentTerms } from "../../../src/agents/model/agent.ts";
import { agentCostQuestion, costEndsAt, spendAt } from "../../../src/tasks/model/agent-cost.ts";
import { nextAlarmAt, nextExpiryAt } from "../../../src/tasks/model/schedule.ts";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import type { Task, TaskBudget } from "../../../src/tasks/model/task.ts";
import {
  applyCommand,
  buildCreated,
  COMMANDS,
  GRANT,
  MODEL,
  SECOND,
  T0,
  taskAfter,
  UNQUEUED,
  WORKER,
} from "./fixtures.ts";

const MINUTE = 60 * SECOND;
const A2A: AgentTerms = { ...UNQUEUED, executor: "a2a" };
const TIMING = { stepIntervalMs: 0, retentionMs: null };
/** When the agent of `begun` starts working. */
const START = T0 + 2 * SECOND;

const withPrice = (perTask: number, perMinute: number): AgentTerms => ({
  ...A2A,
  price: { perTask, perMinute },
});

function begun(terms: AgentTerms, budget: TaskBudget | null, ...rest: TaskCommand[]): Task {
  const isWorker = terms.executor === "worker";
  const create: TaskCommand = { type: "create", data: buildCreated({ budget }) };
  const start = isWorker ? { ...COMMANDS.admit, grant: GRANT } : COMMANDS.start;
  return taskAfter(create, { ...COMMANDS.assign, terms }, start, ...rest);
}

const spent = (cost: number) => ({
  type: "spend" as const,
  calls: [{ toolId: "t", capability: "c", cost, durationMs: 1, ok: true }],
});

describe("when a budget stops covering an agent's work", () => {
  it.each<[what: string, task: Task, at: number | null]>([
    ["no budget", begun(withPrice(1, 1), null), null],
    ["a budget without maxCost", begun(withPrice(1, 1), { maxToolCalls: 1 }), null],
    ["an agent without a price", begun(A2A, { maxCost: 0 }), null],
    ["a price per task equal to the budget", begun(withPrice(1, 0), { maxCost: 1 }), null],
    ["a price per task above the budget", begun(withPrice(1.01, 0), { maxCost: 1 }), START],
    ["both prices", begun(withPrice(1, 0.5), { maxCost: 2 }), START + 2 * MINUTE],
    ["a price per task that uses up the budget", begun(withPrice(1, 0.5), { maxCost: 1 }), START],
    ["calls", begun(withPrice(0, 0.5), { maxCost: 2 }, spent(1.5)), START + MINUTE],
    ["calls that exceed the budget", begun(withPrice(0, 0.5), { maxCost: 2 }, spent(3)), START],
    ["only calls that exceed the budget", begun(WORKER, { maxCost: 2 }, spent(3)), null],
    ["a model", begun(MODEL, { maxCost: 1 }, spent(3)), null],
    ["a price too low to matter", begun(withPrice(0, 0.000001), { maxCost: 9 }), null],
    ["a blocked task", begun(withPrice(0, 1), { maxCost: 1 }, COMMANDS.block), null],
  ])("with %s", (_, task, at) => {
    expect(costEndsAt(task)).toBe(at);
  });

  it("the alarm is set for that time", () => {
    const task = begun({ ...WORKER, price: { perTask: 0, perMinute: 2 } }, { maxCost: 1 });
    expect(nextAlarmAt(task, null, TIMING, START)).toBe(START + 30 * SECOND);
    expect(nextExpiryAt(task)).toBe(START + 30 * SECOND);
  });
});

describe("an A2A agent with a price", () => {
  it("the time until the agent stops is paid for, whatever stops it", () => {
    const task = begun(withPrice(0, 0.6), null);
    expect(spendAt(task, START + 500)).toEqual({ cost: 0.005, agentCost: 0.005, toolCalls: 0 });
    expect(spendAt(task, START - 500).cost).toBe(0);
    const ends: TaskCommand[] = [
      COMMANDS.block,
      COMMANDS.submit,
      COMMANDS.complete,
      COMMANDS.fail,
      COMMANDS.cancel,
    ];
    for (const command of ends) {
      const { spend } = applyCommand(task, command, START + MINUTE);
      expect([command.type, spend.cost, spend.agentCost]).toEqual([command.type, 0.6, 0.6]);
    }
    const { calls } = spent(2);
    const paid = applyCommand(task, { ...COMMANDS.complete, calls }, START + MINUTE);
    expect(paid.spend).toEqual({ cost: 2.6, agentCost: 0.6, toolCalls: 1 });
  });

  it("a used-up budget blocks the task, and an answer that raises it lets the work go on", () => {
    const working = begun(withPrice(0, 1), { maxCost: 1 });
    const blocked = applyCommand(working, COMMANDS.expire, START + MINUTE);
    expect(blocked).toMatchObject({
      status: "blocked",
      blocked: { kind: "budget", question: agentCostQuestion({ maxCost: 1 }) },
      spend: { cost: 1 },
    });
    const later = START + 9 * MINUTE;
    const raised = applyCommand(blocked, { type: "respond", response: { maxCost: 3 } }, later);
    expect(costEndsAt(raised)).toBe(later + 2 * MINUTE);
    const refused = applyCommand(blocked, { type: "respond", response: "no" }, later);
    expect(applyCommand(refused, COMMANDS.expire, later)).toMatchObject({
      status: "failed",
      error: { code: "BUDGET_EXCEEDED" },
      spend: { cost: 1 },
    });
  });
});
