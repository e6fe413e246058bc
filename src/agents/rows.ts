import type { agents } from "../db/schema.ts";
import type { AgentTerms, Executor, ExecutorSettings } from "../domain/agent.ts";

/** An agent as the registry holds it. `sealed` is its AgentSecret's seal; `createdAt` in milliseconds since 1970. */
export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly skills: readonly string[];
  readonly teams: readonly string[];
  readonly enabled: boolean;
  readonly executor: Executor;
  readonly sealed: string | null;
  readonly maxConcurrentTasks: number | null;
  readonly requireReview: boolean;
  /** Whether each tool call must be made under a task. */
  readonly requireTask: boolean;
  /** Mean of all feedback, 1 to 5; null where there is none. */
  readonly rating: { readonly mean: number; readonly count: number } | null;
  readonly createdAt: number;
  /** The key that registered it; null for seeded agents and agents from earlier releases. */
  readonly createdBy: string | null;
}

type AgentRow = typeof agents.$inferSelect;

export function agentIn(row: AgentRow, teams: readonly string[]): Agent {
  const { id, name, description, skills, enabled, sealed, maxConcurrentTasks } = row;
  const { requireReview, requireTask, ratingSum, ratingCount: count, createdAt, createdBy } = row;
  return {
    id,
    name,
    description,
    skills,
    teams,
    enabled,
    executor: executorIn(row),
    sealed,
    maxConcurrentTasks,
    requireReview,
    requireTask,
    rating: count === 0 ? null : { mean: ratingSum / count, count },
    createdAt,
    createdBy,
  };
}

/** `settingsOf` has split every executor that is stored: its settings fit its type. */
export function executorIn({
  executor,
  executorSettings,
}: Pick<AgentRow, "executor" | "executorSettings">): Executor {
  return { type: executor, ...executorSettings } as Executor;
}

/** What lies beside the type of an executor in its row. */
export function settingsOf(executor: Executor): ExecutorSettings | null {
  if (executor.type === "builtin" || executor.type === "worker") return null;
  const { type: _type, ...settings } = executor;
  return settings;
}

/** What a task must know of the agent. */
export function termsIn({
  executor,
  maxConcurrentTasks,
  requireReview,
}: Pick<Agent, "executor" | "maxConcurrentTasks" | "requireReview">): AgentTerms {
  return { executor: executor.type, maxConcurrentTasks, requireReview };
}
