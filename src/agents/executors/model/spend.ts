import type { LanguageModelV3Usage } from "@ai-sdk/provider";
import type { ModelExecutor, TokenPrices } from "../../../domain/agent.ts";
import { costLeft, turnQuestion } from "../../../domain/budget.ts";
import { sumOf } from "../../../domain/money.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import type { ModelUse, Task } from "../../../domain/task.ts";
import { OUTPUT_TOKENS_MIN } from "./limits.ts";

/** What a token takes of a prompt or an answer, near enough in every language. */
const BYTES_PER_TOKEN = 4;
const MILLION = 1_000_000;

/**
 * The tokens that the next turn may write within the task's budget, or the question to people when
 * the rest pays for no useful turn. The prompt's own cost is estimated.
 */
export function outputTokensMax(
  { budget, spend }: Pick<Task, "budget" | "spend">,
  { prices, maxOutputTokens }: Pick<ModelExecutor, "prices" | "maxOutputTokens">,
  promptBytes: number,
): Result<number, string> {
  const left = costLeft(budget, spend);
  const isFree = prices.inputPerMillion <= 0 && prices.outputPerMillion <= 0;
  if (left === null || isFree) return ok(maxOutputTokens);
  const rest = left - (estimate(promptBytes) * prices.inputPerMillion) / MILLION;
  const paidFor =
    prices.outputPerMillion > 0 ? Math.floor((rest * MILLION) / prices.outputPerMillion) : Infinity;
  const isEnough = rest > 0 && paidFor >= Math.min(OUTPUT_TOKENS_MIN, maxOutputTokens);
  return isEnough ? ok(Math.min(maxOutputTokens, paidFor)) : fail(turnQuestion(budget));
}

/** What a turn has used; estimated by size where the provider does not say, or says nothing sensible. */
export function useOf(
  usage: LanguageModelV3Usage | null,
  bytes: { readonly input: number; readonly output: number },
  prices: TokenPrices,
): ModelUse {
  const inputTokens = told(usage?.inputTokens.total, bytes.input);
  const outputTokens = told(usage?.outputTokens.total, bytes.output);
  const cost =
    (inputTokens * prices.inputPerMillion + outputTokens * prices.outputPerMillion) / MILLION;
  return { inputTokens, outputTokens, cost: sumOf([cost]) };
}

function told(tokens: number | undefined, bytes: number): number {
  const isTold =
    tokens !== undefined && Number.isSafeInteger(tokens) && (tokens > 0 || bytes === 0);
  return isTold ? Math.max(0, tokens) : estimate(bytes);
}

function estimate(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
