import { mergeContext } from "./context.ts";
import { type RetryCause, retryCauseOf, type TaskEventOf } from "./events.ts";
import {
  type AgentChoice,
  endedAtOf,
  errorOf,
  type Task,
  type TaskBase,
  type WaitingTask,
} from "./task.ts";
import { leaveStatus } from "./variants.ts";

/** The fields that each attempt starts with. */
export const INITIAL_ATTEMPT_STATE = {
  notBefore: null,
  lease: null,
  files: [],
  startedAt: null,
  workedMs: 0,
  progress: 0,
  currentPhase: null,
  work: {},
  answers: [],
  round: 0,
  reviewComments: [],
} satisfies Partial<TaskBase>;

/** The task at the start of its next attempt. */
export function startAttempt(task: Task, { data, at }: TaskEventOf<"retried">): WaitingTask {
  const cause = retryCauseOf(data);
  const error = data.automatic?.error ?? errorOf(task);
  if (error === null) throw new Error('A log must have "failed" before "retried"');
  const { attempt, agentId, agentName, startedAt } = task;
  const failedAt = endedAtOf(task) ?? at;
  const attempts = [...task.attempts, { attempt, agentId, agentName, error, startedAt, failedAt }];
  const isRequested = cause === "requested";
  const earlierAgentIds = attempts.flatMap(({ agentId: id }) => (id === null ? [] : [id]));
  const requestedExclusions = data.reassign ? [...new Set(earlierAgentIds)] : [];
  // Only expired leases count: an ended key or a changed agent is not a failure of the worker.
  const retries = task.automaticRetries + (cause === "lease_expired" ? 1 : 0);
  return {
    ...leaveStatus(task, at),
    ...INITIAL_ATTEMPT_STATE,
    ...inheritedFields(task, cause),
    ...agentFields(data.choice),
    status: "pending",
    attempt: data.attempt,
    attempts,
    automaticRetries: isRequested ? 0 : retries,
    notBefore: data.automatic?.notBefore ?? null,
    requestedAgentId: data.reassign ? null : task.requestedAgentId,
    excludedAgentIds: isRequested ? requestedExclusions : task.excludedAgentIds,
    context: data.context === null ? task.context : mergeContext(task.context, data.context),
    lastStepAt: at,
  };
}

/**
 * An automatic attempt keeps answers and review comments. After a lost lease it also keeps the agent's `work`,
 * which the next assignment clears if the agent or the type of its executor has changed.
 */
function inheritedFields(
  { answers, reviewComments, round, work }: Task,
  cause: RetryCause,
): Partial<TaskBase> {
  if (cause === "requested") return {};
  return { answers, reviewComments, round, ...(cause === "agent_changed" ? {} : { work }) };
}

export function agentFields(
  choice: AgentChoice | null,
): Pick<TaskBase, "agentId" | "agentName" | "choice"> {
  return { agentId: choice?.agentId ?? null, agentName: choice?.agentName ?? null, choice };
}
