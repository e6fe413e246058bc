import type { ModelExecutorConfig, TokenPrices } from "../../agents/model/agent.ts";
import { initialQuestion } from "../../tasks/model/fields.ts";
import { attemptFilePrefix } from "../../tasks/model/files.ts";
import { hasAnswer, type ModelUsage, type Task } from "../../tasks/model/task.ts";
import { listAgentAuthorizations } from "../authorization.ts";
import {
  type ExecutionContext,
  type ModelUseFailure,
  type TurnOutcome,
  type TurnRequest,
  createAgentUnavailableOutcome,
  createFailOutcome,
} from "../contract.ts";
import { createRedactor, type Redactor } from "../../tools/model/redaction.ts";
import {
  requestLlmResponse,
  isCompleteResponse,
  redactResponse,
  type LlmResponse,
} from "./response.ts";
import { handleLlmResponse } from "./response-handler.ts";
import { classifyLlmError, type LlmFailure } from "./failure.ts";
import { buildLlmPrompt, createDataFence } from "./prompt.ts";
import { buildLlmFunctions } from "./functions.ts";
import {
  LLM_FUNCTIONS_MAX,
  LLM_REQUEST_TIMEOUT_MS,
  LLM_RETRY_DELAY_MS,
  LLM_TRANSCRIPT_BYTES_MAX,
  LLM_TURN_TIMEOUT_MS,
  LLM_OUTPUT_TOKENS_MIN,
} from "./limits.ts";
import { createLanguageModel } from "./provider.ts";
import { parseAttemptTurns, measureTranscriptBytes, type LlmTurnRecord } from "./transcript.ts";
import { LlmTransport } from "./transport.ts";
import { log } from "../../platform/log.ts";
import { remainingCost, turnCostQuestion } from "../../tasks/model/budget.ts";
import { jsonSizeOf } from "../../kernel/json.ts";
import { sumDollars } from "../../kernel/units.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { LanguageModelV3Usage } from "@ai-sdk/provider";

/**
 * Runs one turn: sends one request to the model, then makes the model's calls. After a crash, the turn is repeated.
 * `ai` is the Workers AI binding.
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
  if (granted === null) return createAgentUnavailableOutcome(task.agentName);
  const functions = buildLlmFunctions(granted);
  const prompt = buildLlmPrompt(
    task,
    executor.instructions,
    turns,
    createDataFence(request.taskId),
  );
  const promptBytes = jsonSizeOf([prompt, functions.offered]);
  const tokensMax = limitOutputTokens(task, executor, promptBytes);
  if (!tokensMax.ok) return toOverBudgetOutcome(task, tokensMax.failure);
  const transport = new LlmTransport(request.egress, request.secret !== null);
  const model = await createLanguageModel(executor, request.secret, transport, ai);
  if (!model.ok) return createFailOutcome(model.failure, true);

  const reserved = await context.reserveModelUse(
    estimateTurnUsage(promptBytes, tokensMax.value, executor),
  );
  if (!reserved.ok) return toOverLimitOutcome(reserved.failure);

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
  await reserved.value.settle(usage);
  const use = usage === null ? {} : { use: usage };
  try {
    const outcome = isCompleteResponse(response)
      ? await handleLlmResponse(response, { task, context, functions, signal, turns })
      : toErrorOutcome(
          await classifyLlmError(response.error?.cause ?? null, transport, redaction),
          request,
          redaction,
        );
    return { ...outcome, ...use };
  } catch (cause) {
    // The model's cost is counted even if the rest of the turn fails.
    log.error("llm_turn_failed", { taskId: request.taskId, error: cause });
    const failure = "An internal error interrupted the agent's turn.";
    return { kind: "again", afterMs: LLM_RETRY_DELAY_MS, failure, ...use };
  }
}

function withTimeout(signal: AbortSignal, timeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}

/** The outcome of a turn that needs no request to the model; null for a normal turn. */
function checkBeforeTurn(
  task: Task,
  { maxTurns }: ModelExecutorConfig,
  turns: readonly LlmTurnRecord[],
): TurnOutcome | null {
  // The last turn may have submitted an outcome that was then lost in a crash.
  const submitted = turns.at(-1)?.handedOver ?? null;
  if (submitted !== null && submitted.round === task.round) {
    return { kind: "submit", outcome: submitted.outcome };
  }
  const question = initialQuestion(task.context);
  if (question !== null && !hasAnswer(task, question)) {
    return { kind: "block", why: "input", question, work: {} };
  }
  if (turns.length >= maxTurns) {
    return createFailOutcome(`The model did not finish within ${maxTurns} turns.`, true, {
      maxTurns,
    });
  }
  if (measureTranscriptBytes(turns) > LLM_TRANSCRIPT_BYTES_MAX) {
    const message = `The transcript is too long: the model's turns exceed ${LLM_TRANSCRIPT_BYTES_MAX} bytes.`;
    return createFailOutcome(message, true, { turns: turns.length });
  }
  return null;
}

/** People who have answered the question without raising the budget do not want to spend more. */
function toOverBudgetOutcome(task: Task, question: string): TurnOutcome {
  if (!hasAnswer(task, question)) {
    return { kind: "block", why: "budget", question, work: {} };
  }
  const message = `The budget of $${task.budget?.maxCost} does not cover the model's next turn.`;
  return { kind: "fail", error: { code: "BUDGET_EXCEEDED", message, retryable: false } };
}

/**
 * Waits until the agent is resumed, if the limit has paused it, or for a person. The attempt's work would be lost if it
 * failed.
 */
function toOverLimitOutcome({ message, isAgentPaused }: ModelUseFailure): TurnOutcome {
  if (isAgentPaused) return { kind: "hold", work: {} };
  const question = `${message} Raise the limit or wait until it resets, then answer this question.`;
  return { kind: "block", why: "input", question, work: {} };
}

/** The highest usage of a turn, with an estimate of the prompt's tokens. */
function estimateTurnUsage(
  promptBytes: number,
  outputTokens: number,
  { prices }: ModelExecutorConfig,
): ModelUsage {
  const inputTokens = estimateTokens(promptBytes);
  return { inputTokens, outputTokens, cost: priceTokens(inputTokens, outputTokens, prices) };
}

/** The usage of a turn; null for a failed request without reported usage or output. */
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

function toErrorOutcome(
  failure: LlmFailure,
  { taskId, task, executor }: TurnRequest<ModelExecutorConfig>,
  redaction: Redactor,
): TurnOutcome {
  const message = `The model ${executor.model} failed: ${failure.reason}`;
  if (failure.internalReason !== undefined) {
    const error = redaction.text(failure.internalReason);
    log.warn("llm_request_failed", { taskId, agentId: task.agentId, error });
  }
  switch (failure.kind) {
    case "retry":
      return { kind: "again", afterMs: failure.afterMs, failure: message };
    case "final":
      return createFailOutcome(message, failure.retryable);
    case "unauthorized": {
      // The Workers AI binding has no key to change.
      if (executor.provider === "workers-ai") return createFailOutcome(message, false);
      const how = `PATCH /agents/${task.agentId ?? ":agentId"} with the agent's executor and the new apiKey`;
      const question = `${message} Set a key that the endpoint accepts (${how}), then answer this question.`;
      return { kind: "block", why: "auth", question, work: {} };
    }
  }
}

/** The average size of a token. A good enough estimate for every language. */
const BYTES_PER_TOKEN = 4;
const MILLION = 1_000_000;

/** The output tokens that the budget allows for the next turn. A failure contains the question to ask people. */
export function limitOutputTokens(
  { budget, spend }: Pick<Task, "budget" | "spend">,
  { prices, maxOutputTokens }: Pick<ModelExecutorConfig, "prices" | "maxOutputTokens">,
  promptBytes: number,
): Result<number, string> {
  const left = remainingCost(budget, spend);
  const isFree = prices.inputPerMillion <= 0 && prices.outputPerMillion <= 0;
  if (left === null || isFree) return ok(maxOutputTokens);
  const remaining = left - (estimateTokens(promptBytes) * prices.inputPerMillion) / MILLION;
  const affordable =
    prices.outputPerMillion > 0
      ? Math.floor((remaining * MILLION) / prices.outputPerMillion)
      : Infinity;
  const isEnough = remaining > 0 && affordable >= Math.min(LLM_OUTPUT_TOKENS_MIN, maxOutputTokens);
  return isEnough ? ok(Math.min(maxOutputTokens, affordable)) : fail(turnCostQuestion(budget));
}

/** The usage of a turn, estimated from sizes if the provider does not report plausible figures. */
export function toModelUsage(
  usage: LanguageModelV3Usage | null,
  bytes: { readonly input: number; readonly output: number },
  prices: TokenPrices,
): ModelUsage {
  const inputTokens = readTokenCount(usage?.inputTokens.total, bytes.input);
  const outputTokens = readTokenCount(usage?.outputTokens.total, bytes.output);
  return { inputTokens, outputTokens, cost: priceTokens(inputTokens, outputTokens, prices) };
}

function priceTokens(inputTokens: number, outputTokens: number, prices: TokenPrices): number {
  const { inputPerMillion, outputPerMillion } = prices;
  return sumDollars([(inputTokens * inputPerMillion + outputTokens * outputPerMillion) / MILLION]);
}

function readTokenCount(tokens: number | undefined, bytes: number): number {
  const isReported =
    tokens !== undefined && Number.isSafeInteger(tokens) && (tokens > 0 || bytes === 0);
  return isReported ? Math.max(0, tokens) : estimateTokens(bytes);
}

function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
