import type { ModelExecutorConfig } from "../../agents/model/agent.ts";
import { initialQuestion } from "../../tasks/model/context.ts";
import { attemptFilePrefix } from "../../tasks/model/file-key.ts";
import type { ModelUsage, Task, TaskError } from "../../tasks/model/task.ts";
import { listAgentAuthorizations } from "../authorization.ts";
import type { ExecutionContext, TurnOutcome, TurnRequest } from "../contract.ts";
import { createRedactor } from "../../tools/model/redaction.ts";
import {
  requestLlmResponse,
  isCompleteResponse,
  redactResponse,
  type LlmResponse,
} from "./response.ts";
import { handleLlmResponse } from "./response-handler.ts";
import { classifyLlmError, type LlmFailure } from "./failure.ts";
import { buildLlmPrompt, createDataFence } from "./prompt.ts";
import { buildLlmFunctions } from "./function-tools.ts";
import {
  LLM_FUNCTIONS_MAX,
  LLM_REQUEST_TIMEOUT_MS,
  LLM_RETRY_DELAY_MS,
  LLM_TRANSCRIPT_BYTES_MAX,
  LLM_TURN_TIMEOUT_MS,
} from "./limits.ts";
import { createLanguageModel } from "./provider.ts";
import { parseAttemptTurns, measureTranscriptBytes, type LlmTurnRecord } from "./transcript.ts";
import { limitOutputTokens, toModelUsage } from "./token-budget.ts";
import { createLlmTransport } from "./transport.ts";

const ENCODER = new TextEncoder();

/**
 * One turn of an agent that is a language model: the model is asked once, the calls that it asks for are
 * made, and what came of both is what the turn leaves. A crash repeats it from the start. `ai` is the
 * Workers AI binding, null where the deployment has none.
 */
export async function runLlmTurn(
  request: TurnRequest<ModelExecutorConfig>,
  context: ExecutionContext,
  ai: Ai | null,
): Promise<TurnOutcome> {
  const { task, executor } = request;
  const signal = withTimeout(request.signal, LLM_TURN_TIMEOUT_MS);
  const turns = parseAttemptTurns(task.work, attemptFilePrefix(request.taskId, task.attempt));
  const earlyOutcome = checkBeforeTurn(task, executor, turns);
  if (earlyOutcome !== null) return earlyOutcome;
  const granted = await context.listCapabilities(null, LLM_FUNCTIONS_MAX);
  if (granted === null) {
    return createLlmFailOutcome(
      `${task.agentName ?? "The agent"} is no longer registered and enabled.`,
      true,
    );
  }
  const functions = buildLlmFunctions(granted);
  const prompt = buildLlmPrompt(
    task,
    executor.instructions,
    turns,
    createDataFence(request.taskId),
  );
  const promptBytes = ENCODER.encode(JSON.stringify([prompt, functions.offered])).byteLength;
  const tokensMax = limitOutputTokens(task, executor, promptBytes);
  if (!tokensMax.ok) return toOverBudgetOutcome(task, tokensMax.failure);
  const transport = createLlmTransport(request.egress, request.secret !== null);
  const model = await createLanguageModel(executor, request.secret, transport, ai);
  if (!model.ok) return createLlmFailOutcome(model.failure, true);

  const redaction = createRedactor(...listAgentAuthorizations(request.secret));
  const options = {
    prompt,
    tools: [...functions.offered],
    maxOutputTokens: tokensMax.value,
    ...(executor.temperature === null ? {} : { temperature: executor.temperature }),
  };
  const response = redactResponse(
    await requestLlmResponse(
      model.value,
      options,
      withTimeout(signal, LLM_REQUEST_TIMEOUT_MS),
      transport,
    ),
    redaction,
    functions.offered,
  );
  const usage = measureTurnUsage(response, promptBytes, executor);
  try {
    const fault = await classifyResponse(response, transport, redaction);
    const outcome =
      fault === null
        ? await handleLlmResponse(response, { task, context, functions, signal, turns })
        : toErrorOutcome(fault, request);
    return { ...outcome, ...(usage === null ? {} : { use: usage }) };
  } catch (cause) {
    // What the model has cost must be counted even where the rest of the turn breaks.
    console.error({ event: "model_turn_broke", taskId: request.taskId, cause });
    const fault = "A fault of the service interrupted the agent's turn.";
    return {
      kind: "again",
      afterMs: LLM_RETRY_DELAY_MS,
      fault,
      ...(usage === null ? {} : { use: usage }),
    };
  }
}

function withTimeout(signal: AbortSignal, timeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}

/** What ends or stops the attempt before the model is asked. */
function checkBeforeTurn(
  task: Task,
  { maxTurns }: ModelExecutorConfig,
  turns: readonly LlmTurnRecord[],
): TurnOutcome | null {
  // The turn had handed its work over, and only the word of it was lost.
  const submitted = turns.at(-1)?.handedOver ?? null;
  if (submitted !== null && submitted.round === task.round) {
    return { kind: "submit", outcome: submitted.outcome };
  }
  const question = initialQuestion(task.context);
  if (question !== null && !task.answers.some((answer) => answer.question === question)) {
    return { kind: "block", why: "input", question, work: {} };
  }
  if (turns.length >= maxTurns) {
    return createLlmFailOutcome(`The model needed more than ${maxTurns} turns.`, true, {
      maxTurns,
    });
  }
  if (measureTranscriptBytes(turns) > LLM_TRANSCRIPT_BYTES_MAX) {
    const message = `The transcript is too long: the model's turns hold more than ${LLM_TRANSCRIPT_BYTES_MAX} bytes.`;
    return createLlmFailOutcome(message, true, { turns: turns.length });
  }
  return null;
}

/** People who answered the budget's question without raising it want nothing more to be spent. */
function toOverBudgetOutcome(task: Task, question: string): TurnOutcome {
  if (!task.answers.some((answer) => answer.question === question)) {
    return { kind: "block", why: "budget", question, work: {} };
  }
  const message = `The budget of $${task.budget?.maxCost} does not pay for the model's next turn.`;
  return { kind: "fail", error: { code: "BUDGET_EXCEEDED", message, retryable: false } };
}

/** The usage of a turn; null for a failed try without reported usage or output. */
function measureTurnUsage(
  response: LlmResponse,
  promptBytes: number,
  { prices }: ModelExecutorConfig,
): ModelUsage | null {
  const { inputTokens, outputTokens } = response.usage ?? {};
  const isReported = [inputTokens, outputTokens].some((tokens) => (tokens?.total ?? 0) > 0);
  if (!isCompleteResponse(response) && !isReported && response.characters === 0) return null;
  return toModelUsage(response.usage, { input: promptBytes, output: response.characters }, prices);
}

async function classifyResponse(
  response: LlmResponse,
  ...context: [Parameters<typeof classifyLlmError>[1], Parameters<typeof classifyLlmError>[2]]
): Promise<LlmFailure | null> {
  return isCompleteResponse(response)
    ? null
    : classifyLlmError(response.error?.cause ?? null, ...context);
}

function toErrorOutcome(
  fault: LlmFailure,
  { taskId, task, executor, secret }: TurnRequest<ModelExecutorConfig>,
): TurnOutcome {
  const message = `The model ${executor.model} failed: ${fault.reason}`;
  if (fault.internalReason !== undefined) {
    const reason = createRedactor(...listAgentAuthorizations(secret)).text(fault.internalReason);
    console.warn({ event: "model_address_failed", taskId, agentId: task.agentId, reason });
  }
  switch (fault.kind) {
    case "again":
      return { kind: "again", afterMs: fault.afterMs, fault: message };
    case "final":
      return createLlmFailOutcome(message, fault.retryable);
    case "auth": {
      // The binding of Workers AI has no key that anybody could change.
      if (executor.provider === "workers-ai") return createLlmFailOutcome(message, false);
      const how = `PATCH /agents/${task.agentId ?? ":agentId"} with its executor and the new apiKey`;
      const question = `${message} Give the agent a key that its endpoint takes (${how}), then answer here.`;
      return { kind: "block", why: "auth", question, work: {} };
    }
  }
}

function createLlmFailOutcome(
  message: string,
  retryable: boolean,
  details?: TaskError["details"],
): TurnOutcome {
  const error: TaskError = { code: "AGENT_ERROR", message, retryable };
  return { kind: "fail", error: details === undefined ? error : { ...error, details } };
}
