import type { CallFailure, Hands, NewFile, UsableTool } from "../agents/executors/contract.ts";
import { database } from "../db/client.ts";
import { callsQuestion, costLeft, costQuestion, spendAfter } from "../domain/budget.ts";
import type { Failure } from "../domain/failure.ts";
import { fail, ok } from "../domain/result.ts";
import type { Deliverable, Task, ToolCall } from "../domain/task.ts";
import { onTheWire } from "../http/failure.ts";
import { accessOf } from "../tools/access.ts";
import { invoke } from "../tools/invoke.ts";
import { fileKey, putFile } from "./files.ts";

/** The store of files could not take a file: the only fault of a step with an error code of its own. */
export class FileStoreFault extends Error {}

/** The hands of a task's agent for one step. Calls go through the same verb as everybody's. */
export function handsOf(
  env: Pick<Env, "DB" | "METERS" | "FILES">,
  taskId: string,
  task: Task,
  agentId: string,
): Hands {
  const calls: ToolCall[] = [];
  return {
    calls,
    tools: () => usableTools(env, agentId),
    async call(toolId, capability, parameters) {
      const spend = spendAfter(task.spend, calls);
      const question = callsQuestion(task.budget, spend);
      if (question !== null) return fail(overBudget(task, question));
      const outcome = await invoke(env, {
        toolId,
        capability,
        parameters,
        agentId,
        visibleAgentIds: null,
        costMax: costLeft(task.budget, spend),
      });
      if (!outcome.ok && outcome.failure.kind === "budget_exceeded") {
        return fail(overBudget(task, costQuestion(task.budget)));
      }
      calls.push(recorded(toolId, capability, outcome));
      return outcome.ok ? ok(outcome.value.result) : fail(callFailure(outcome.failure));
    },
    save: (file) => saved(env.FILES, taskId, task, file),
  };
}

async function usableTools(
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

function recorded(
  toolId: string,
  capability: string,
  outcome: Awaited<ReturnType<typeof invoke>>,
): ToolCall {
  if (outcome.ok) {
    const { cost, durationMs } = outcome.value;
    return { toolId, capability, cost, durationMs, ok: true };
  }
  const problem = onTheWire(outcome.failure).message;
  return { toolId, capability, cost: 0, durationMs: 0, ok: false, problem };
}

function callFailure(failure: Failure): CallFailure {
  const { message } = onTheWire(failure);
  return {
    kind: failure.kind === "validation" || failure.kind === "tool_failed" ? "failed" : "refused",
    message,
  };
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
