import { toIsoTime } from "../../kernel/text.ts";
import { readListedDetails } from "../model/listed-details.ts";
import type { DirectoryRow } from "../model/listing.ts";
import type { Task } from "../model/task.ts";
import { dropEndedWait, type TaskWait } from "../model/waiting.ts";
import type { ListedTaskResponse, TaskResponse } from "./task-schemas.ts";

export function waitView(wait: TaskWait | null): TaskResponse["waitingFor"] {
  if (wait === null) return null;
  const since = toIsoTime(wait.since);
  switch (wait.kind) {
    case "agent": {
      const { agentId, ...rest } = wait;
      return { ...rest, since, ...(agentId === null ? {} : { agentId }) };
    }
    case "retry":
    case "turn":
      return { ...wait, since, at: toIsoTime(wait.at) };
    default:
      return { ...wait, since };
  }
}

/** The usage in all attempts. `tokens` is present only if a language model worked on the task. */
export function spendView({
  spend,
  tokens,
}: Pick<Task, "spend" | "tokens">): TaskResponse["spend"] {
  const isModel = tokens.input + tokens.output > 0;
  if (spend.toolCalls === 0 && spend.agentCost === undefined && !isModel) return undefined;
  return { ...spend, tokens: isModel ? tokens : undefined };
}

type StateFields = Pick<
  ListedTaskResponse,
  "progress" | "waitingFor" | "error" | "spend" | "budget"
>;

/** The state of a task in lists. Rows from earlier releases contain little of it. */
export function listedStateView(row: DirectoryRow, now: number): StateFields {
  const details = readListedDetails(row);
  const progress = row.status === "completed" ? 100 : details?.progress;
  if (details === null) return { progress, waitingFor: null };
  const { error, budget } = details;
  return {
    progress,
    waitingFor: waitView(dropEndedWait(details.waitingFor, now)),
    error:
      error === null
        ? undefined
        : { ...error, attempt: row.attempt, at: toIsoTime(row.endedAt ?? row.createdAt) },
    spend: spendView(details),
    budget: budget ?? undefined,
  };
}
