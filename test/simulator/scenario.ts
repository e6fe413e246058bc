import { BUILTIN_TERMS, type AgentTerms } from "../../src/agents/model/agent.ts";
import type { FeedFilter } from "../../src/events/model/feed.ts";
import type { Rng } from "../support/rng.ts";

/** The participants and settings of one world. */
export interface Scenario {
  readonly agents: Readonly<Record<string, AgentTerms>>;
  readonly taskIds: readonly string[];
  readonly retentionDays: number;
  /** The number of directory databases. */
  readonly shards: number;
  /** Whether the files of built-in agents are small enough to be stored in the task's log. */
  readonly areFilesSmall: boolean;
  /** The pause before each step of a built-in agent. Without one, steps share an alarm run. */
  readonly stepIntervalMs: number;
  /** Whether clients give tasks that have not started to other agents. */
  readonly changesAgents: boolean;
  /** The filter of each webhook, by id. If there are no webhooks, a fake replaces the feed. */
  readonly webhooks: Readonly<Record<string, FeedFilter>>;
  /** The new filter that the webhook `some` gets while faults occur, or null to keep its filter. */
  readonly newFilter: FeedFilter | null;
}

const AGENTS: readonly (readonly [string, Partial<AgentTerms>])[] = [
  ["worker", { executor: "worker" }],
  ["few-workers", { executor: "worker", maxConcurrentTasks: 1, requireReview: true }],
  ["model", { executor: "model" }],
  ["one-model", { executor: "model", maxConcurrentTasks: 1 }],
  ["a2a", { executor: "a2a" }],
  ["one-a2a", { executor: "a2a", maxConcurrentTasks: 1, requireReview: true }],
  ["builtin", { executor: "builtin" }],
  ["one-builtin", { executor: "builtin", maxConcurrentTasks: 1 }],
];

/** Every third seed shards the directory. The others do not, so they keep their earlier results. */
const SHARDED_EACH = 3;
const SHARDS = 3;
/** Every seventh seed stores files in the log, which involves no R2 calls that could fail. */
const SMALL_FILES_EACH = 7;
/** In every fourth world, steps share alarm runs. */
const SHARED_RUN_EACH = 4;
const STEP_INTERVAL_MS = 500;
/** In every seventh world, clients change the agents of tasks. */
const CHANGED_AGENTS_EACH = 7;
/** Every fifth seed has webhooks and the real feed. */
const WEBHOOKS_EACH = 5;
/** In every second world with webhooks, one filter changes. */
const NEW_FILTER_EACH = 2 * WEBHOOKS_EACH;

const EVERYTHING: FeedFilter = { types: null, agentId: null, teamId: null, taskId: null };
const SOME: readonly [FeedFilter, ...FeedFilter[]] = [
  { ...EVERYTHING, types: ["created", "completed", "failed", "cancelled"] },
  { ...EVERYTHING, agentId: "worker" },
];

/**
 * Draws one to three agents of any kind, and usually one task. Additional tasks compete with it.
 */
export function drawScenario(seed: number, rng: Rng): Scenario {
  const picked = Array.from({ length: rng.between(1, 3) }, () => AGENTS[rng.below(AGENTS.length)]);
  const agents = picked.flatMap((agent): [string, AgentTerms][] => {
    return agent === undefined ? [] : [[agent[0], { ...BUILTIN_TERMS, ...agent[1] }]];
  });
  const tasks = rng.pick([1, 1, 1, 1, 2, 3]);
  return {
    agents: Object.fromEntries(agents),
    taskIds: Array.from({ length: tasks }, (_, index) => `task-${index}`),
    retentionDays: rng.oneIn(5) ? 1 : 0,
    shards: seed % SHARDED_EACH === 0 ? SHARDS : 1,
    areFilesSmall: seed % SMALL_FILES_EACH === 1,
    stepIntervalMs: seed % SHARED_RUN_EACH === 1 ? 0 : STEP_INTERVAL_MS,
    changesAgents: seed % CHANGED_AGENTS_EACH === 6,
    webhooks: seed % WEBHOOKS_EACH === 2 ? webhooksOf(rng) : {},
    newFilter: seed % NEW_FILTER_EACH === 7 ? rng.pick(SOME) : null,
  };
}

/** Draws two webhooks: one that receives every event, and one with a filter. */
function webhooksOf(rng: Rng): Record<string, FeedFilter> {
  return { all: EVERYTHING, some: rng.pick([...SOME, { ...EVERYTHING, taskId: "task-0" }]) };
}
