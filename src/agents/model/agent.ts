/** Who executes an agent's tasks: the service, a language model, a remote A2A agent, or a worker process. */
export const EXECUTOR_TYPES = ["builtin", "model", "a2a", "worker"] as const;
export type ExecutorType = (typeof EXECUTOR_TYPES)[number];

export const MODEL_PROVIDERS = ["openai-compatible", "workers-ai", "anthropic", "google"] as const;
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

/** The provider's base URL if the agent sets none; null if the agent must set one, or the provider has none. */
export const DEFAULT_BASE_URLS: Readonly<Record<ModelProvider, string | null>> = {
  "openai-compatible": null,
  "workers-ai": null,
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};

/** The header that carries the provider's API key, in lower case. */
export const API_KEY_HEADERS: Readonly<Record<ModelProvider, string>> = {
  "openai-compatible": "authorization",
  "workers-ai": "authorization",
  anthropic: "x-api-key",
  google: "x-goog-api-key",
};

/** US dollars per million tokens. */
export interface TokenPrices {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
}

/** A language model that works with its granted tools, one turn at a time. */
export interface ModelExecutorConfig {
  readonly type: "model";
  readonly provider: ModelProvider;
  /** The provider's name for the model: "gpt-5-mini", "@cf/meta/llama-4-scout-17b-16e-instruct". */
  readonly model: string;
  /** The base URL, such as https://api.openai.com/v1, optionally with a query; null for Workers AI. */
  readonly baseUrl: string | null;
  /** Names of the headers with sealed values; absent if there are none. */
  readonly headerNames?: readonly string[];
  /** The sealed secret has headers and no API key. */
  readonly isKeyless?: true;
  /** Instructions that are added to the system prompt; null if there are none. */
  readonly instructions: string | null;
  readonly temperature: number | null;
  readonly prices: TokenPrices;
  /** Turns per attempt; an attempt that needs more fails. */
  readonly maxTurns: number;
  /** Tokens that the model may write in one turn. */
  readonly maxOutputTokens: number;
}

/** A remote agent that supports A2A 1.0. */
export interface A2aExecutorConfig {
  readonly type: "a2a";
  readonly cardUrl: string;
}

/** The executor of an agent, without its secrets. */
export type ExecutorConfig =
  | { readonly type: "builtin" }
  | ModelExecutorConfig
  | A2aExecutorConfig
  | { readonly type: "worker" };

/** The settings of an executor without its type, as the registry stores them. */
export type ExecutorSettings = Omit<ModelExecutorConfig, "type"> | Omit<A2aExecutorConfig, "type">;

/**
 * Credentials for requests to an agent's endpoint. `header` is the name of the key's header, null for
 * the default; `headers` are extra headers by name, for models only.
 */
export interface AgentSecret {
  readonly apiKey: string | null;
  readonly header: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The agent's terms, which a task stores at its assignment. */
export interface AgentTerms {
  readonly executor: ExecutorType;
  /** The maximum number of concurrent tasks; null for any number. */
  readonly maxConcurrentTasks: number | null;
  /** Whether people approve the work before a task is completed. */
  readonly requireReview: boolean;
}

/** A registered agent. `sealed` is its sealed AgentSecret; `createdAt` in milliseconds since 1970. */
export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly skills: readonly string[];
  readonly teams: readonly string[];
  readonly enabled: boolean;
  readonly executor: ExecutorConfig;
  readonly sealed: string | null;
  readonly maxConcurrentTasks: number | null;
  readonly requireReview: boolean;
  /** Whether each tool call must be made under a task. */
  readonly requireTask: boolean;
  /** Mean of all feedback, 1 to 5; null without feedback. */
  readonly rating: { readonly mean: number; readonly count: number } | null;
  readonly createdAt: number;
  /** The key that registered it; null for seeded agents and agents from earlier releases. */
  readonly createdBy: string | null;
}

export function agentTermsOf({
  executor,
  maxConcurrentTasks,
  requireReview,
}: Pick<Agent, "executor" | "maxConcurrentTasks" | "requireReview">): AgentTerms {
  return { executor: executor.type, maxConcurrentTasks, requireReview };
}

/** The part of an agent that its queue and executor need. */
export interface AgentConfig {
  readonly terms: AgentTerms;
  readonly executor: ExecutorConfig;
  /** The sealed AgentSecret. */
  readonly sealed: string | null;
  readonly enabled: boolean;
}

/** The terms of an assignment that states none, as in logs of the first releases. */
export const BUILTIN_TERMS: AgentTerms = {
  executor: "builtin",
  maxConcurrentTasks: null,
  requireReview: false,
};

/** Whether an agent's tasks wait in a queue for a slot or a worker. */
export function hasQueue({ executor, maxConcurrentTasks }: AgentTerms): boolean {
  return executor === "worker" || maxConcurrentTasks !== null;
}

/** Whether an agent's steps run in the queue consumer, because they wait for other systems. */
export function isExternalExecutor(executor: ExecutorType): boolean {
  return executor === "model" || executor === "a2a";
}
