import type { Schemas } from "../api/client.ts";
import {
  changedExecutor,
  executorBody,
  EMPTY_EXECUTOR,
  executorDraft,
  numberOf,
  type ExecutorDraft,
} from "./executor-form.ts";

type Agent = Schemas["Agent"];

/** What is typed into the form of an agent. */
export interface AgentDraft {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Separated by commas. */
  readonly skills: string;
  readonly teams: readonly string[];
  readonly enabled: boolean;
  /** Empty for no maximum. */
  readonly maxConcurrentTasks: string;
  readonly requireReview: boolean;
  readonly requireTask: boolean;
  readonly executor: ExecutorDraft;
}

export const EMPTY_AGENT: AgentDraft = {
  id: "",
  name: "",
  description: "",
  skills: "",
  teams: [],
  enabled: true,
  maxConcurrentTasks: "",
  requireReview: false,
  requireTask: false,
  executor: EMPTY_EXECUTOR,
};

export function agentDraft(agent: Agent): AgentDraft {
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description,
    skills: agent.skills.join(", "),
    teams: agent.teams,
    enabled: agent.enabled,
    maxConcurrentTasks: agent.maxConcurrentTasks === null ? "" : String(agent.maxConcurrentTasks),
    requireReview: agent.requireReview,
    requireTask: agent.requireTask ?? false,
    executor: executorDraft(agent.executor),
  };
}

/** The body for a new agent. Empty texts are omitted, because the card of an A2A agent can supply them. */
export function newAgentBody(draft: AgentDraft): Schemas["RegisterAgentBody"] {
  const skills = splitList(draft.skills);
  return {
    id: draft.id.trim(),
    ...(draft.name.trim() !== "" && { name: draft.name.trim() }),
    ...(draft.description.trim() !== "" && { description: draft.description.trim() }),
    ...(skills.length > 0 && { skills: [...skills] }),
    teams: [...draft.teams],
    enabled: draft.enabled,
    maxConcurrentTasks: numberOf(draft.maxConcurrentTasks),
    requireReview: draft.requireReview,
    requireTask: draft.requireTask,
    executor: executorBody(draft.executor),
  };
}

/** The fields that differ from the agent. */
export function agentChanges(agent: Agent, draft: AgentDraft): Schemas["UpdateAgentBody"] {
  const before = agentDraft(agent);
  const executor = changedExecutor(before.executor, draft.executor);
  const skills = splitList(draft.skills);
  return {
    ...(draft.name !== before.name && { name: draft.name.trim() }),
    ...(draft.description !== before.description && { description: draft.description.trim() }),
    ...(skills.join("\n") !== agent.skills.join("\n") &&
      draft.skills !== before.skills && { skills: [...skills] }),
    ...(draft.teams.toSorted().join("\n") !== agent.teams.toSorted().join("\n") && {
      teams: [...draft.teams],
    }),
    ...(draft.enabled !== before.enabled && { enabled: draft.enabled }),
    ...(draft.maxConcurrentTasks.trim() !== before.maxConcurrentTasks && {
      maxConcurrentTasks: numberOf(draft.maxConcurrentTasks),
    }),
    ...(draft.requireReview !== before.requireReview && { requireReview: draft.requireReview }),
    ...(draft.requireTask !== before.requireTask && { requireTask: draft.requireTask }),
    ...(executor !== null && { executor }),
  };
}

function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
