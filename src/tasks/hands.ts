import type { CallFailure, Hands, NewFile, UsableTool } from "../agents/executors/contract.ts";
import { database } from "../db/client.ts";
import { callsQuestion, costLeft, costQuestion, spendAfter } from "../domain/budget.ts";
import type { Failure } from "../domain/failure.ts";
import { fail, ok } from "../domain/result.ts";
import type { Deliverable, Spend, Task, ToolCall } from "../domain/task.ts";
import { onTheWire } from "../http/failure.ts";
import { accessOf } from "../tools/access.ts";
import { invoke, type InvokeEnv } from "../tools/invoke.ts";
import type { Purse } from "../tools/purse.ts";
import { fileKey, putFile } from "./files.ts";

/** The store of files could not take a file: the only fault of a step with an error code of its own. */
export class FileStoreFault extends Error {}

/**
 * The hands of a task's agent for one step. `outside` tells what the task has spent without this step,
 * calls under way included. Calls go through the same verb as everybody's.
 */
export function handsOf(
  env: InvokeEnv & Pick<Env, "FILES">,
  taskId: string,
  task: Task,
  agentId: string,
  outside: () => Spend,
): Hands {
  const calls: ToolCall[] = [];
  const purse: Purse = {
    async reserve() {
      const spend = spendAfter(outside(), calls);
      const question = callsQuestion(task.budget, spend);
      return question === null ? ok(costLeft(task.budget, spend)) : fail(exceeded(question));
    },
    async pay(call) {
      calls.push(call);
    },
    async release(tooDear) {
      return tooDear ? exceeded(costQuestion(task.budget)) : null;
    },
  };
  function exceeded(question: string): Failure {
    return { kind: "task_budget_exceeded", taskId, question };
  }
  return {
    calls,
    tools: () => usableTools(env, agentId),
    async call(toolId, capability, parameters) {
      const callsBefore = calls.length;
      const under = { taskId, purse };
      const call = { toolId, capability, parameters, agentId, visibleAgentIds: null, under };
      const outcome = await invoke(env, call);
      if (outcome.ok) return ok(outcome.value.result);
      const { failure } = outcome;
      if (failure.kind === "task_budget_exceeded") return fail(overBudget(task, failure.question));
      const { message } = onTheWire(failure);
      // What was refused before it was paid for is a call that the agent made, all the same.
      if (calls.length === callsBefore) {
        calls.push({ toolId, capability, cost: 0, durationMs: 0, ok: false, problem: message });
      }
      return fail({ kind: isMishap(failure) ? "failed" : "refused", message });
    },
    save: (file) => saved(env.FILES, taskId, task, file),
  };
}

/** What an agent may use; null for one that is not registered and enabled. */
export async function usableTools(
  env: Pick<Env, "DB">,
  agentId: string,
): Promise<readonly UsableTool[] | null> {
  const access = await accessOf(database(env.DB), agentId);
  return access === null || !access.enabled ? null : access.tools;
}

/** People who answered the budget's question without raising it want no further calls. */
function overBudget(task: Task, question: string): CallFailure {
  const answered = task.answers.some((answer) => answer.question === question);
  return { kind: answered ? "refused" : "budget", message: question };
}

/** A failure of this one call, after which another may well succeed. */
function isMishap({ kind }: Failure): boolean {
  return kind === "validation" || kind === "tool_failed" || kind === "tool_timeout";
}

async function saved(
  files: R2Bucket,
  taskId: string,
  task: Task,
  { type, name, format, bytes }: NewFile,
): Promise<Deliverable> {
  const key = fileKey(taskId, task, name);
  try {
    await putFile(files, key, bytes, format);
  } catch (cause) {
    throw new FileStoreFault(`The file ${name} could not be stored.`, { cause });
  }
  return { type, name, format, size: bytes.byteLength, key, createdAt: Date.now() };
}
