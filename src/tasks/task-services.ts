import { chooseAgentForTask, loadAgentTerms } from "../agents/agent-cache.ts";
import type { AgentTerms } from "../agents/model/agent.ts";
import type { StepRunner } from "../executors/contract.ts";
import type { Failure } from "../kernel/failure.ts";
import { checkCreatorUsage } from "../keys/authenticate.ts";
import type { KeyUsage } from "../keys/model/key-limits.ts";
import { getDatabase } from "../platform/d1/client.ts";
import type { AssignableTask } from "./model/assignment.ts";
import type { AgentChoice } from "./model/task.ts";

/** What the object of a task uses of other slices. The runtime knows only this contract. */
export interface TaskServices {
  readonly runStep: StepRunner;
  /** The best agent for the task now; null if there is none. */
  readonly chooseAgent: (task: AssignableTask) => Promise<AgentChoice | null>;
  /** The terms of an agent for a task of the team; null if the agent cannot take it. */
  readonly loadAgentTerms: (agentId: string, teamId: string | null) => Promise<AgentTerms | null>;
  /** Why the tasks of the key that created this one may not use `more`; null if they may. */
  readonly checkCreatorUsage: (createdBy: string, more: KeyUsage) => Promise<Failure | null>;
}

export function createTaskServices(env: Env, runStep: StepRunner): TaskServices {
  return {
    runStep,
    chooseAgent: (task) => chooseAgentForTask(env, task),
    loadAgentTerms: (agentId, teamId) =>
      loadAgentTerms(getDatabase(env.DB), agentId, teamId, Date.now()),
    checkCreatorUsage: (createdBy, more) => checkCreatorUsage(env, createdBy, more),
  };
}
