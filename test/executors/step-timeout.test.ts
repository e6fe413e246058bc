import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { runBuiltinStep } from "../../src/executors/builtin.ts";
import { ok } from "../../src/kernel/result.ts";
import { TimeoutError } from "../../src/platform/promises.ts";
import { BudgetLedger } from "../../src/tasks/runtime/budget-ledger.ts";
import { Outbox } from "../../src/tasks/runtime/outbox.ts";
import { Subscribers } from "../../src/platform/subscribers.ts";
import { TaskStore } from "../../src/tasks/runtime/task.store.ts";
import type { TaskCommand } from "../../src/tasks/model/command.ts";
import type { Task, ToolCall } from "../../src/tasks/model/task.ts";
import { BUILTIN_TERMS } from "../../src/agents/model/agent.ts";
import type { CallBudget } from "../../src/tools/model/invocation.ts";
import { buildCreated } from "../tasks/model/fixtures.ts";

const TIMEOUT_MS = 500;
const CALL: ToolCall = {
  toolId: "table-analyst",
  capability: "profile",
  cost: 1,
  durationMs: 5,
  ok: true,
};
const TERMS = { priceMax: 1, isSafe: true };
const REQUEST = {
  id: "5f0f8f4e-6a3c-4e0b-9a51-2f1f0c6f4d10",
  toolId: CALL.toolId,
  capability: CALL.capability,
  agentId: "data-analyst",
  parameters: {},
  startedAt: 0,
};
const STARTED: readonly TaskCommand[] = [
  {
    type: "create",
    data: buildCreated({
      choice: null,
      budget: { maxCost: 1 },
      context: { csv: "day,sold\n1,10\n2,14\n3,19" },
    }),
  },
  {
    type: "assign",
    choice: {
      agentId: "data-analyst",
      agentName: "Data Analyst",
      reasons: [],
      candidates: [],
    },
    terms: BUILTIN_TERMS,
  },
  { type: "start" },
];

/** Calls `test` with the store of a started task, backed by the real storage of an object. */
function withStore(test: (store: TaskStore, ledger: BudgetLedger) => Promise<void>): Promise<void> {
  const stub = env.TASKS.get(env.TASKS.newUniqueId());
  return runInDurableObject(stub, async (_, ctx) => {
    const store = new TaskStore("id", ctx.storage, { stepIntervalMs: 60_000, retentionMs: null });
    const outbox = new Outbox(env, "id", store, new Subscribers(ctx, 1));
    store.commit(STARTED);
    await test(store, new BudgetLedger("id", store, outbox));
  });
}

function taskOf(store: TaskStore): Task {
  const task = store.load();
  if (task === null) throw new Error("The task was created");
  return task;
}

async function neverAsked(): Promise<never> {
  throw new Error("No policy requires approval");
}

/** A budget without a limit. `commit` charges a call. */
function budgetWith(commit: () => Promise<void>): CallBudget {
  return {
    reserve: async () => ok({ costMax: null, commit, release: async () => null }),
    reject: async () => {},
  };
}

it("a step that exceeds its time limit returns the calls that it made", () =>
  withStore(async (store) => {
    const attempt = { progress: 10, calls: [], work: {} };
    store.commit([{ type: "progress", attempt: 1, data: { ...attempt, phase: "gathering" } }]);
    const task = taskOf(store);
    const planned = await runBuiltinStep(env, {
      taskId: "id",
      task: { ...task, currentPhase: "planning" },
      budget: budgetWith(async () => {}),
      requestApproval: neverAsked,
      timeoutMs: 10_000,
    });
    expect(planned.outcome).toMatchObject({ ok: true });
    const work =
      planned.outcome.ok && "work" in planned.outcome.value ? planned.outcome.value.work : {};
    const result = await runBuiltinStep(env, {
      taskId: "id",
      task: { ...task, work },
      budget: budgetWith(() => new Promise(() => {})),
      requestApproval: neverAsked,
      timeoutMs: TIMEOUT_MS,
    });
    expect(result.outcome).toEqual({ ok: false, failure: expect.any(TimeoutError) });
    expect(result.calls).toHaveLength(1);
  }));

it("a call that ends after its step keeps its budget, is logged, and is the last call of the step", () =>
  withStore(async (store, ledger) => {
    const step = ledger.beginStep(() => taskOf(store));
    const reserved = await step.budget.reserve(TERMS, REQUEST);
    if (!reserved.ok) throw new Error("The budget pays for one call");
    step.end();
    const next = ledger.beginStep(() => taskOf(store));
    expect(await next.budget.reserve(TERMS, REQUEST)).toMatchObject({
      ok: true,
      value: { costMax: 0 },
    });
    await reserved.value.commit(CALL, ok({}));
    expect(taskOf(store).spend).toMatchObject({ cost: 1, toolCalls: 1 });
    await expect(step.budget.reserve(TERMS, REQUEST)).rejects.toThrow(
      "must not make calls after it has ended",
    );
  }));
