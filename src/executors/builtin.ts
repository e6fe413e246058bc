import { ok, fail } from "../kernel/result.ts";
import { withTimeout } from "../platform/promises.ts";
import type { Task } from "../tasks/model/task.ts";
import {
  type StepOutcome,
  type StepRequest,
  type StepResult,
  createAgentUnavailableOutcome,
} from "./contract.ts";
import { createStepContext, type StepContext, type StepEnv } from "./execution-context.ts";

/** Runs one step of the built-in agent. The agent's code is loaded with the first step. */
export async function runBuiltinStep(env: StepEnv, request: StepRequest): Promise<StepResult> {
  const context = createStepContext(env, request);
  const { calls } = context;
  try {
    const outcome = await withTimeout(request.timeoutMs, runWhileEnabled(request.task, context));
    return { outcome: ok(outcome), calls, inlineFiles: context.inlineFiles };
  } catch (error) {
    // After a timeout, the step may still run and add calls, which the budget records by itself.
    return { outcome: fail(error), calls: [...calls], inlineFiles: [] };
  }
}

/** Fails a step if the agent is disabled. A rejected call shows this earlier than `isAgentEnabled`, which is cached. */
async function runWhileEnabled(task: Task, context: StepContext): Promise<StepOutcome> {
  const { runReportStep } = await import("../builtin/agent/step.ts");
  const outcome = (await context.isAgentEnabled()) ? await runReportStep(task, context) : null;
  if (outcome !== null && !context.isDisabled()) return outcome;
  return createAgentUnavailableOutcome(task.agentName);
}
