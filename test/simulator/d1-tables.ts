import type { DirectoryRow } from "../../src/tasks/model/listing.ts";
import {
  webhookFilterOf,
  type EnabledWebhook,
  type StoredWebhook,
} from "../../src/events/model/webhook.ts";
import type { AgentConfig, AgentTerms } from "../../src/agents/model/agent.ts";
import type {
  AgentLoads,
  CandidateFilter,
  CandidateSearch,
} from "../../src/tasks/model/assignment.ts";
import type { TaskStatus } from "../../src/tasks/model/task.ts";
import type { TaskRating } from "../../src/tasks/directory/directory.store.ts";

export interface AgentRow {
  readonly terms: AgentTerms;
  enabled: boolean;
  ratingSum: number;
  ratingCount: number;
}

const LIVE: ReadonlySet<TaskStatus> = new Set(["pending", "assigned", "in_progress"]);

/**
 * The tables of one D1 database. `d1-tables.test.ts` compares the directory and the ratings with
 * the rows that the real store writes using SQL.
 */
export class D1Tables {
  readonly directory = new Map<string, DirectoryRow>();
  readonly ratedElsewhere = new Map<string, TaskRating>();
  readonly agents: ReadonlyMap<string, AgentRow>;
  readonly webhooks = new Map<string, StoredWebhook>();

  constructor(agents: Readonly<Record<string, AgentTerms>>) {
    const rows = Object.entries(agents).map(([id, terms]): [string, AgentRow] => [
      id,
      { terms, enabled: true, ratingSum: 0, ratingCount: 0 },
    ]);
    this.agents = new Map(rows);
  }

  /**
   * Inserts a row or updates an older one, changing only what differs from `written`, and counts a
   * rating in the agent's mean.
   */
  put(row: DirectoryRow, written: DirectoryRow | null): void {
    const before = this.directory.get(row.id);
    if (before !== undefined && before.seq >= row.seq) return;
    if (row.agentId !== null && row.rating !== null) {
      this.#count(row.agentId, row.rating, before?.rating ?? null);
    }
    this.directory.set(
      row.id,
      before === undefined ? row : { ...before, ...changed(row, written) },
    );
  }

  delete(id: string): void {
    this.directory.delete(id);
  }

  /** Counts the rating of a task whose row is in another database. */
  rate(rated: TaskRating): void {
    const before = this.ratedElsewhere.get(rated.taskId);
    if (before !== undefined && before.seq >= rated.seq) return;
    this.#count(rated.agentId, rated.rating, before?.rating ?? null);
    this.ratedElsewhere.set(rated.taskId, rated);
  }

  loads(): AgentLoads {
    const loads = new Map<string, number>();
    for (const { agentId, status } of this.directory.values()) {
      if (agentId !== null && LIVE.has(status)) loads.set(agentId, (loads.get(agentId) ?? 0) + 1);
    }
    return loads;
  }

  candidates({ agentId, excludedAgentIds }: CandidateFilter): CandidateSearch {
    const fitting = [...this.agents].filter(
      ([id, { enabled }]) =>
        enabled && (agentId === null || agentId === id) && !excludedAgentIds.includes(id),
    );
    const loads = this.loads();
    const named = agentId === null ? undefined : this.agents.get(agentId);
    return {
      candidates: fitting.map(([id, { terms, ratingSum, ratingCount }]) => ({
        agentId: id,
        agentName: id.toUpperCase(),
        skills: [],
        categories: [],
        load: loads.get(id) ?? 0,
        rating: ratingCount === 0 ? null : ratingSum / ratingCount,
        executor: terms.executor,
        maxConcurrentTasks: terms.maxConcurrentTasks,
      })),
      agentKnown: named !== undefined,
      agentEnabled: named?.enabled === true,
      teamKnown: false,
    };
  }

  agentConfig(agentId: string): AgentConfig | null {
    const agent = this.agents.get(agentId);
    if (agent === undefined) return null;
    const { terms, enabled } = agent;
    return { terms, executor: { type: "builtin" }, sealed: null, enabled, isPaused: false };
  }

  enabledWebhooks(): EnabledWebhook[] {
    const enabled = [...this.webhooks.values()].filter((webhook) => webhook.enabled);
    return enabled.map((webhook) => ({ id: webhook.id, ...webhookFilterOf(webhook) }));
  }

  #count(agentId: string, rating: number, before: number | null): void {
    const agent = this.agents.get(agentId);
    if (agent === undefined) return;
    agent.ratingSum += rating - (before ?? 0);
    agent.ratingCount += before === null ? 1 : 0;
  }
}

/** Omits immutable columns and columns known to be up to date. */
function changed(row: DirectoryRow, written: DirectoryRow | null): Partial<DirectoryRow> {
  const { id, createdAt, task, teamId, keyId, ...changing } = row;
  if (written === null) return changing;
  const names = namesOf(changing).filter(
    (name) => name === "storedBytes" || changing[name] !== written[name],
  );
  return Object.fromEntries(names.map((name) => [name, changing[name]]));
}

function namesOf<Row extends object>(row: Row): (keyof Row)[] {
  return Object.keys(row) as (keyof Row)[];
}
