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

/** Runs one step of the built-in agent. The agent's code is loaded on the first step. */
export async function runBuiltinStep(env: StepEnv, request: StepRequest): Promise<StepResult> {
  const context = createStepContext(env, request);
  const { calls } = context;
  try {
    const outcome = await withTimeout(request.timeoutMs, runWhileEnabled(request.task, context));
    return { outcome: ok(outcome), calls, inlineFiles: context.inlineFiles };
  } catch (error) {
    // Copied because a step that timed out can still be running and add calls, which the budget records itself.
    return { outcome: fail(error), calls: [...calls], inlineFiles: [] };
  }
}

/**
 * Runs a step, unless the agent is paused, but fails it if the agent is disabled. A rejected call reveals this before `isAgentEnabled`, which is
 * cached.
 */
async function runWhileEnabled(task: Task, context: StepContext): Promise<StepOutcome> {
  if (await context.isAgentPaused()) return { kind: "hold", work: {} };
  const { runReportStep } = await import("../builtin/agent/step.ts");
  const outcome = (await context.isAgentEnabled()) ? await runReportStep(task, context) : null;
  if (outcome !== null && !context.isDisabled()) return outcome;
  return createAgentUnavailableOutcome(task.agentName);
}
