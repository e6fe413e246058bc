import type { LanguageModelV3Usage } from "@ai-sdk/provider";
import type { ModelExecutorConfig, TokenPrices } from "../../agents/model/agent.ts";
import { remainingCost, turnCostQuestion } from "../../tasks/model/budget.ts";
import { sumDollars } from "../../kernel/money.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { ModelUsage, Task } from "../../tasks/model/task.ts";
import { LLM_OUTPUT_TOKENS_MIN } from "./limits.ts";

/** The average size of a token; close enough in every language. */
const BYTES_PER_TOKEN = 4;
const MILLION = 1_000_000;

/**
 * The output tokens that the task's budget allows for the next turn, or the question to people if it allows
 * too few. The cost of the prompt is estimated.
 */
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

/** The usage of a turn; estimated by size if the provider does not report plausible figures. */
export function toModelUsage(
  usage: LanguageModelV3Usage | null,
  bytes: { readonly input: number; readonly output: number },
  prices: TokenPrices,
): ModelUsage {
  const inputTokens = readTokenCount(usage?.inputTokens.total, bytes.input);
  const outputTokens = readTokenCount(usage?.outputTokens.total, bytes.output);
  const cost =
    (inputTokens * prices.inputPerMillion + outputTokens * prices.outputPerMillion) / MILLION;
  return { inputTokens, outputTokens, cost: sumDollars([cost]) };
}

function readTokenCount(tokens: number | undefined, bytes: number): number {
  const isReported =
    tokens !== undefined && Number.isSafeInteger(tokens) && (tokens > 0 || bytes === 0);
  return isReported ? Math.max(0, tokens) : estimateTokens(bytes);
}

function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
