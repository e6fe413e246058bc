import type { TaskEventData } from "./events.ts";
import type { AgentChoice, Task } from "./task.ts";
import { mergeContext } from "./context.ts";

/** What an attempt begins with. */
export const INITIAL_ATTEMPT_STATE = {
  notBefore: null,
  workStartSeq: 0,
  lease: null,
  files: [],
  startedAt: null,
  workedMs: 0,
  workingSince: null,
  endedAt: null,
  progress: 0,
  currentPhase: null,
  work: {},
  blocked: null,
  answers: [],
  round: 0,
  reviewComments: [],
  outcome: null,
  error: null,
} satisfies Partial<Task>;

/** The task as its next attempt begins: whoever asked for it, and whatever was lost of the one before. */
export function startAttempt(
  task: Task,
  data: TaskEventData["retried"],
  at: number,
): Partial<Task> {
  const error = data.automatic?.error ?? task.error;
  if (error === null) throw new Error("A log may hold retried only after failed");
  const earlier = {
    attempt: task.attempt,
    agentId: task.agentId,
    agentName: task.agentName,
    error,
    startedAt: task.startedAt,
    failedAt: task.endedAt ?? at,
  };
  const attempts = [...task.attempts, earlier];
  const earlierAgents = attempts.flatMap(({ agentId }) => (agentId === null ? [] : [agentId]));
  return {
    ...INITIAL_ATTEMPT_STATE,
    ...kept(task, data),
    status: "pending",
    attempt: data.attempt,
    attempts,
    automaticRetries: automaticRetries(task, data.automatic),
    notBefore: data.automatic?.notBefore ?? null,
    ...agentFields(data.choice),
    requestedAgentId: data.reassign ? null : task.requestedAgentId,
    excludedAgentIds: excluded(task, data, earlierAgents),
    context: data.context === null ? task.context : mergeContext(task.context, data.context),
    lastStepAt: at,
  };
}

/**
 * An automatic attempt keeps answers and review comments. After a lost lease it also keeps the agent's `work`,
 * which `workFor` clears if the agent or the type of its executor has changed at the next assignment.
 */
function kept(task: Task, { automatic, choice }: TaskEventData["retried"]): Partial<Task> {
  if (automatic === undefined) return {};
  const { answers, reviewComments, round, work } = task;
  return { answers, reviewComments, round, ...(choice === null ? {} : { work }) };
}

/** What is taken from an agent that goes away says nothing of lost leases. */
function automaticRetries(task: Task, automatic: TaskEventData["retried"]["automatic"]): number {
  if (automatic === undefined) return 0;
  return task.automaticRetries + (automatic.error.code === "LEASE_EXPIRED" ? 1 : 0);
}

/** Only people change their mind about who may not have the task. */
function excluded(
  task: Task,
  { automatic, reassign }: TaskEventData["retried"],
  earlierAgents: readonly string[],
): readonly string[] {
  if (automatic !== undefined) return task.excludedAgentIds;
  return reassign ? [...new Set(earlierAgents)] : [];
}

export function agentFields(
  choice: AgentChoice | null,
): Pick<Task, "agentId" | "agentName" | "choice"> {
  return { agentId: choice?.agentId ?? null, agentName: choice?.agentName ?? null, choice };
}
