import type { ModelExecutor } from "../../../domain/agent.ts";
import { askFirst } from "../../../domain/context.ts";
import { attemptFolder } from "../../../domain/file-folder.ts";
import type { ModelUse, Task, TaskError } from "../../../domain/task.ts";
import { secretsOf } from "../authorisation.ts";
import type { TurnHands, TurnOutcome, TurnWork } from "../contract.ts";
import { redactionOf } from "../../../secrets/redact.ts";
import { hear, isWhole, redacted, type Heard } from "./answer.ts";
import { afterAnswer } from "./after-answer.ts";
import { faultOf, type ModelFault } from "./fault.ts";
import { fenceOf } from "./fence.ts";
import { functionsOf } from "./functions.ts";
import {
  FUNCTIONS_MAX,
  MODEL_TIMEOUT_MS,
  PAUSE_MS,
  TRANSCRIPT_BYTES_MAX,
  TURN_WORK_MS,
} from "./limits.ts";
import { promptOf } from "./prompt.ts";
import { modelOf } from "./provider.ts";
import { ownTurnsOf, transcriptBytes, type TurnRecord } from "./record.ts";
import { outputTokensMax, useOf } from "./spend.ts";
import { wireOf } from "./wire.ts";

const ENCODER = new TextEncoder();

/**
 * One turn of an agent that is a language model: the model is asked once, the calls that it asks for are
 * made, and what came of both is what the turn leaves. A crash repeats it from the start. `ai` is the
 * Workers AI binding, null where the deployment has none.
 */
export async function modelTurn(
  work: TurnWork<ModelExecutor>,
  hands: TurnHands,
  ai: Ai | null,
): Promise<TurnOutcome> {
  const { task, executor } = work;
  const signal = within(work.signal, TURN_WORK_MS);
  const turns = ownTurnsOf(task.work, attemptFolder(work.taskId, task.attempt));
  const early = beforeTurn(task, executor, turns);
  if (early !== null) return early;
  const granted = await hands.capabilities(null, FUNCTIONS_MAX);
  if (granted === null) {
    return failed(`${task.agentName ?? "The agent"} is no longer registered and enabled.`, true);
  }
  const functions = functionsOf(granted);
  const prompt = promptOf(task, executor.instructions, turns, fenceOf(work.taskId));
  const promptBytes = ENCODER.encode(JSON.stringify([prompt, functions.shown])).byteLength;
  const tokensMax = outputTokensMax(task, executor, promptBytes);
  if (!tokensMax.ok) return overBudget(task, tokensMax.failure);
  const wire = wireOf(work.egress, work.secret !== null);
  const model = await modelOf(executor, work.secret, wire, ai);
  if (!model.ok) return failed(model.failure, true);

  const redaction = redactionOf(...secretsOf(work.secret));
  const options = {
    prompt,
    tools: [...functions.shown],
    maxOutputTokens: tokensMax.value,
    ...(executor.temperature === null ? {} : { temperature: executor.temperature }),
  };
  const heard = redacted(
    await hear(model.value, options, within(signal, MODEL_TIMEOUT_MS), wire),
    redaction,
    functions.shown,
  );
  const use = usedBy(heard, promptBytes, executor);
  try {
    const fault = await faultIn(heard, wire, redaction);
    const outcome =
      fault === null
        ? await afterAnswer(heard, { task, hands, functions, signal, turns })
        : afterFault(fault, work);
    return { ...outcome, ...(use === null ? {} : { use }) };
  } catch (cause) {
    // What the model has cost must be counted even where the rest of the turn breaks.
    console.error({ event: "model_turn_broke", taskId: work.taskId, cause });
    const fault = "A fault of the service interrupted the agent's turn.";
    return { kind: "again", afterMs: PAUSE_MS, fault, ...(use === null ? {} : { use }) };
  }
}

function within(signal: AbortSignal, timeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}

/** What ends or stops the attempt before the model is asked. */
function beforeTurn(
  task: Task,
  { maxTurns }: ModelExecutor,
  turns: readonly TurnRecord[],
): TurnOutcome | null {
  // The turn had handed its work over, and only the word of it was lost.
  const handed = turns.at(-1)?.handedOver ?? null;
  if (handed !== null && handed.round === task.round) {
    return { kind: "submit", outcome: handed.outcome };
  }
  const question = askFirst(task.context);
  if (question !== null && !task.answers.some((answer) => answer.question === question)) {
    return { kind: "block", why: "input", question, work: {} };
  }
  if (turns.length >= maxTurns) {
    return failed(`The model needed more than ${maxTurns} turns.`, true, { maxTurns });
  }
  if (transcriptBytes(turns) > TRANSCRIPT_BYTES_MAX) {
    const message = `The transcript is too long: the model's turns hold more than ${TRANSCRIPT_BYTES_MAX} bytes.`;
    return failed(message, true, { turns: turns.length });
  }
  return null;
}

/** People who answered the budget's question without raising it want nothing more to be spent. */
function overBudget(task: Task, question: string): TurnOutcome {
  if (!task.answers.some((answer) => answer.question === question)) {
    return { kind: "block", why: "budget", question, work: {} };
  }
  const message = `The budget of $${task.budget?.maxCost} does not pay for the model's next turn.`;
  return { kind: "fail", error: { code: "BUDGET_EXCEEDED", message, retryable: false } };
}

/** The usage of a turn; null for a failed try without reported usage or output. */
function usedBy(heard: Heard, promptBytes: number, { prices }: ModelExecutor): ModelUse | null {
  const { inputTokens, outputTokens } = heard.usage ?? {};
  const isReported = [inputTokens, outputTokens].some((tokens) => (tokens?.total ?? 0) > 0);
  if (!isWhole(heard) && !isReported && heard.characters === 0) return null;
  return useOf(heard.usage, { input: promptBytes, output: heard.characters }, prices);
}

async function faultIn(
  heard: Heard,
  ...context: [Parameters<typeof faultOf>[1], Parameters<typeof faultOf>[2]]
): Promise<ModelFault | null> {
  return isWhole(heard) ? null : faultOf(heard.error?.cause ?? null, ...context);
}

function afterFault(
  fault: ModelFault,
  { taskId, task, executor, secret }: TurnWork<ModelExecutor>,
): TurnOutcome {
  const told = `The model ${executor.model} failed: ${fault.reason}`;
  if (fault.internalReason !== undefined) {
    const reason = redactionOf(...secretsOf(secret)).text(fault.internalReason);
    console.warn({ event: "model_address_failed", taskId, agentId: task.agentId, reason });
  }
  switch (fault.kind) {
    case "again":
      return { kind: "again", afterMs: fault.afterMs, fault: told };
    case "final":
      return failed(told, fault.retryable);
    case "auth": {
      // The binding of Workers AI has no key that anybody could change.
      if (executor.provider === "workers-ai") return failed(told, false);
      const how = `PATCH /agents/${task.agentId ?? ":agentId"} with its executor and the new apiKey`;
      const question = `${told} Give the agent a key that its endpoint takes (${how}), then answer here.`;
      return { kind: "block", why: "auth", question, work: {} };
    }
  }
}

function failed(message: string, retryable: boolean, details?: TaskError["details"]): TurnOutcome {
  const error: TaskError = { code: "AGENT_ERROR", message, retryable };
  return { kind: "fail", error: details === undefined ? error : { ...error, details } };
}
