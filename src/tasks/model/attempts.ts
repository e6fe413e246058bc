import { retryCauseOf, type RetryCause, type TaskEventData } from "./events.ts";
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

/** What changes in a task when its next attempt begins. */
export function startAttempt(
  task: Task,
  data: TaskEventData["retried"],
  at: number,
): Partial<Task> {
  const cause = retryCauseOf(data);
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
    ...keptFields(task, cause),
    status: "pending",
    attempt: data.attempt,
    attempts,
    automaticRetries: automaticRetries(task, cause),
    notBefore: data.automatic?.notBefore ?? null,
    ...agentFields(data.choice),
    requestedAgentId: data.reassign ? null : task.requestedAgentId,
    excludedAgentIds: excluded(task, cause, data.reassign, earlierAgents),
    context: data.context === null ? task.context : mergeContext(task.context, data.context),
    lastStepAt: at,
  };
}

/**
 * An automatic attempt keeps answers and review comments. After a lost lease it also keeps the agent's `work`,
 * which the next assignment clears if the agent or the type of its executor has changed.
 */
function keptFields(
  { answers, reviewComments, round, work }: Task,
  cause: RetryCause,
): Partial<Task> {
  if (cause === "requested") return {};
  return { answers, reviewComments, round, ...(cause === "agent_changed" ? {} : { work }) };
}

/** Only expired leases count; an ended key or a changed agent says nothing about the worker. */
function automaticRetries(task: Task, cause: RetryCause): number {
  if (cause === "requested") return 0;
  return task.automaticRetries + (cause === "lease_expired" ? 1 : 0);
}

/** Only a client changes which agents are excluded. */
function excluded(
  task: Task,
  cause: RetryCause,
  reassign: boolean,
  earlierAgents: readonly string[],
): readonly string[] {
  if (cause !== "requested") return task.excludedAgentIds;
  return reassign ? [...new Set(earlierAgents)] : [];
}

export function agentFields(
  choice: AgentChoice | null,
): Pick<Task, "agentId" | "agentName" | "choice"> {
  return { agentId: choice?.agentId ?? null, agentName: choice?.agentName ?? null, choice };
}
