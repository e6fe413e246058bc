import type { Schemas } from "../api/client.ts";
import { parseHeaders } from "../api/header-lines.ts";
import type { ExecutorType } from "./filters.ts";

type Executor = Schemas["Executor"];
type ExecutorInput = Schemas["ExecutorInput"];
export type ModelProvider = NonNullable<Schemas["ModelExecutorInput"]["provider"]>;

export const PROVIDERS = [
  "openai-compatible",
  "anthropic",
  "google",
  "workers-ai",
] as const satisfies readonly ModelProvider[];

export const PROVIDER_LABELS: Readonly<Record<ModelProvider, string>> = {
  "openai-compatible": "OpenAI-compatible",
  anthropic: "Anthropic",
  google: "Google Gemini",
  "workers-ai": "Cloudflare Workers AI",
};

/** What to do with a stored secret, which the API does not show. */
export type SecretAction = "keep" | "replace" | "delete";

/** What is typed into the fields of an executor. Fields of other types are ignored. */
export interface ExecutorDraft {
  readonly type: ExecutorType;
  readonly provider: ModelProvider;
  readonly model: string;
  readonly baseUrl: string;
  readonly keyAction: SecretAction;
  readonly apiKey: string;
  readonly headersAction: SecretAction;
  /** One `Name: value` per line. */
  readonly headers: string;
  readonly instructions: string;
  readonly temperature: string;
  readonly inputPrice: string;
  readonly outputPrice: string;
  readonly maxTurns: string;
  readonly maxOutputTokens: string;
  readonly cardUrl: string;
  readonly apiKeyHeader: string;
  readonly taskPrice: string;
  readonly minutePrice: string;
}

export const EMPTY_EXECUTOR: ExecutorDraft = {
  type: "builtin",
  provider: "openai-compatible",
  model: "",
  baseUrl: "",
  keyAction: "replace",
  apiKey: "",
  headersAction: "replace",
  headers: "",
  instructions: "",
  temperature: "",
  inputPrice: "",
  outputPrice: "",
  maxTurns: "",
  maxOutputTokens: "",
  cardUrl: "",
  apiKeyHeader: "",
  taskPrice: "",
  minutePrice: "",
};

export function executorDraft(executor: Executor): ExecutorDraft {
  switch (executor.type) {
    case "builtin":
      return { ...EMPTY_EXECUTOR, type: "builtin" };
    case "worker":
      return { ...EMPTY_EXECUTOR, type: "worker", ...priceDraft(executor.price) };
    case "a2a":
      return {
        ...EMPTY_EXECUTOR,
        type: "a2a",
        cardUrl: executor.cardUrl,
        keyAction: executor.hasApiKey ? "keep" : "replace",
        ...priceDraft(executor.price),
      };
    case "model":
      return {
        ...EMPTY_EXECUTOR,
        type: "model",
        provider: executor.provider,
        model: executor.model,
        baseUrl: executor.baseUrl ?? "",
        keyAction: executor.hasApiKey ? "keep" : "replace",
        headersAction: executor.headerNames === undefined ? "replace" : "keep",
        instructions: executor.instructions ?? "",
        temperature: executor.temperature === undefined ? "" : String(executor.temperature),
        inputPrice: String(executor.prices.inputPerMillion),
        outputPrice: String(executor.prices.outputPerMillion),
        maxTurns: String(executor.maxTurns),
        maxOutputTokens: String(executor.maxOutputTokens),
      };
  }
}

function priceDraft(price: Schemas["AgentPrice"] | undefined) {
  if (price === undefined) return {};
  return { taskPrice: String(price.perTask), minutePrice: String(price.perMinute) };
}

/** The executor to send; null if it is unchanged. An executor is always replaced as a whole. */
export function changedExecutor(before: ExecutorDraft, draft: ExecutorDraft): ExecutorInput | null {
  const body = executorBody(draft);
  return JSON.stringify(body) === JSON.stringify(executorBody(before)) ? null : body;
}

export function executorBody(draft: ExecutorDraft): ExecutorInput {
  switch (draft.type) {
    case "builtin":
      return { type: "builtin" };
    case "worker":
      return { type: "worker", ...priceOf(draft) };
    case "a2a":
      return {
        type: "a2a",
        cardUrl: draft.cardUrl.trim(),
        ...apiKeyOf(draft),
        ...(draft.apiKeyHeader.trim() !== "" && { apiKeyHeader: draft.apiKeyHeader.trim() }),
        ...priceOf(draft),
      };
    case "model":
      return modelBody(draft);
  }
}

function modelBody(draft: ExecutorDraft): Schemas["ModelExecutorInput"] {
  const inputPerMillion = numberOf(draft.inputPrice);
  const outputPerMillion = numberOf(draft.outputPrice);
  const temperature = numberOf(draft.temperature);
  const maxTurns = numberOf(draft.maxTurns);
  const maxOutputTokens = numberOf(draft.maxOutputTokens);
  const hasPrices = inputPerMillion !== null || outputPerMillion !== null;
  return {
    type: "model",
    provider: draft.provider,
    model: draft.model.trim(),
    ...(draft.baseUrl.trim() !== "" && { baseUrl: draft.baseUrl.trim() }),
    ...apiKeyOf(draft),
    ...headersOf(draft),
    ...(draft.instructions !== "" && { instructions: draft.instructions }),
    ...(temperature !== null && { temperature }),
    ...(hasPrices && {
      prices: {
        ...(inputPerMillion !== null && { inputPerMillion }),
        ...(outputPerMillion !== null && { outputPerMillion }),
      },
    }),
    ...(maxTurns !== null && { maxTurns }),
    ...(maxOutputTokens !== null && { maxOutputTokens }),
  };
}

function priceOf(draft: ExecutorDraft) {
  const perTask = numberOf(draft.taskPrice);
  const perMinute = numberOf(draft.minutePrice);
  if (perTask === null && perMinute === null) return {};
  return {
    price: { ...(perTask !== null && { perTask }), ...(perMinute !== null && { perMinute }) },
  };
}

function apiKeyOf({ keyAction, apiKey }: ExecutorDraft): { apiKey?: string | null } {
  if (keyAction === "delete") return { apiKey: null };
  return keyAction === "replace" && apiKey !== "" ? { apiKey } : {};
}

function headersOf(draft: ExecutorDraft): { headers?: Record<string, string> | null } {
  if (draft.headersAction === "delete") return { headers: null };
  const headers = draft.headersAction === "replace" ? parseHeaders(draft.headers) : null;
  return headers === null ? {} : { headers };
}

/** A number field's value; null if it is empty. */
export function numberOf(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}
