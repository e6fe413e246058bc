import type { NoProgressLimits, Pause } from "./pause.ts";

/** Who executes an agent's tasks: the service, a language model, a remote A2A agent, or a worker process. */
export const EXECUTOR_TYPES = ["builtin", "model", "a2a", "worker"] as const;
export type ExecutorType = (typeof EXECUTOR_TYPES)[number];

export const MODEL_PROVIDERS = ["openai-compatible", "workers-ai", "anthropic", "google"] as const;
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

/** The provider's default base URL; null if the agent must set one or the provider has no URL. */
export const DEFAULT_BASE_URLS: Readonly<Record<ModelProvider, string | null>> = {
  "openai-compatible": null,
  "workers-ai": null,
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};

/** The header that carries each provider's API key, in lower case. */
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

/** A language model that works turn by turn with the tools granted to the agent. */
export interface ModelExecutorConfig {
  readonly type: "model";
  readonly provider: ModelProvider;
  /** The provider's name for the model, such as "gpt-5-mini" or "@cf/meta/llama-4-scout-17b-16e-instruct". */
  readonly model: string;
  /** The base URL, such as https://api.openai.com/v1, optionally with a query; null for Workers AI. */
  readonly baseUrl: string | null;
  /** Names of the extra headers, whose values are sealed; absent if there are none. */
  readonly headerNames?: readonly string[];
  /** Set if the sealed secret contains headers but no API key. */
  readonly isKeyless?: true;
  /** Instructions added to the system prompt; null if there are none. */
  readonly instructions: string | null;
  readonly temperature: number | null;
  readonly prices: TokenPrices;
  /** Maximum number of turns per attempt. An attempt that needs more fails. */
  readonly maxTurns: number;
  /** Maximum number of output tokens per turn. */
  readonly maxOutputTokens: number;
}

/** What an agent's work costs in US dollars, in addition to its tool calls. */
export interface AgentPrice {
  readonly perTask: number;
  readonly perMinute: number;
}

/** A remote agent that supports A2A 1.0. */
export interface A2aExecutorConfig {
  readonly type: "a2a";
  readonly cardUrl: string;
  /** Absent if the agent has no price. */
  readonly price?: AgentPrice;
}

/** Processes that claim the agent's tasks. */
interface WorkerExecutorConfig {
  readonly type: "worker";
  /** Absent if the agent has no price. */
  readonly price?: AgentPrice;
}

/** An agent's executor, without its secrets. */
export type ExecutorConfig =
  | { readonly type: "builtin" }
  | ModelExecutorConfig
  | A2aExecutorConfig
  | WorkerExecutorConfig;

/** An executor's settings as stored in the registry, without the type. */
export type ExecutorSettings =
  | Omit<ModelExecutorConfig, "type">
  | Omit<A2aExecutorConfig, "type">
  | Omit<WorkerExecutorConfig, "type">;

/**
 * Credentials for requests to an agent's endpoint. `header` is the header that carries the key, null for the default;
 * `headers` are extra headers by name, for models only.
 */
export interface AgentSecret {
  readonly apiKey: string | null;
  readonly header: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The agent settings that a task stores when it is assigned. */
export interface AgentTerms {
  readonly executor: ExecutorType;
  /** The maximum number of concurrent tasks; null for unlimited. */
  readonly maxConcurrentTasks: number | null;
  /** Whether a person must approve the work before a task is completed. */
  readonly requireReview: boolean;
  /**
   * Set if the agent was paused while it had the task. The task then waits in the agent's queue, even if the agent has
   * no other tasks there.
   */
  readonly usesQueue?: true;
  /** The limits of the no-progress breaker; absent for the defaults. */
  readonly noProgress?: NoProgressLimits;
  /** Absent if the agent has no price. */
  readonly price?: AgentPrice;
}

/** A registered agent. `sealed` is its sealed AgentSecret; `createdAt` is in milliseconds since 1970. */
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
  /** Whether tool calls must be made under a task. */
  readonly requireTask: boolean;
  /** Null if the agent is not paused. */
  readonly pause: Pause | null;
  /** The limits of the no-progress breaker; null for the defaults. */
  readonly noProgress: NoProgressLimits | null;
  /** Mean (1 to 5) and number of all ratings; null if there are none. */
  readonly rating: { readonly mean: number; readonly count: number } | null;
  readonly createdAt: number;
  /**
   * The key that registered the agent or last changed its executor (for the root key, only its type, provider or
   * address); null for seeded agents and those from earlier releases.
   */
  readonly createdBy: string | null;
}

export function agentTermsOf({
  executor,
  maxConcurrentTasks,
  requireReview,
  noProgress,
}: Pick<Agent, "executor" | "maxConcurrentTasks" | "requireReview" | "noProgress">): AgentTerms {
  const price = "price" in executor ? executor.price : undefined;
  return {
    executor: executor.type,
    maxConcurrentTasks,
    requireReview,
    ...(noProgress !== null && { noProgress }),
    ...(price !== undefined && { price }),
  };
}

/** The parts of an agent that its queue and executor need. */
export interface AgentConfig {
  readonly terms: AgentTerms;
  readonly executor: ExecutorConfig;
  /** The sealed AgentSecret. */
  readonly sealed: string | null;
  readonly enabled: boolean;
  readonly isPaused: boolean;
}

/** The settings for assignments that do not record any, as in logs from the first releases. */
export const BUILTIN_TERMS: AgentTerms = {
  executor: "builtin",
  maxConcurrentTasks: null,
  requireReview: false,
};

/** Whether an agent's tasks wait in a queue for a slot or a worker. */
export function hasQueue({ executor, maxConcurrentTasks, usesQueue }: AgentTerms): boolean {
  return executor === "worker" || maxConcurrentTasks !== null || usesQueue === true;
}

/** Whether an agent's steps run in the queue consumer because they wait for other systems. */
export function isExternalExecutor(executor: ExecutorType): boolean {
  return executor === "model" || executor === "a2a";
}
