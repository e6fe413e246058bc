import type { TaskError, Task, TaskBudget, TaskSpend } from "./task.ts";
import { errorOf } from "./task.ts";
import { ENFORCED_LIMITS } from "./budget.ts";
import { findWait, type TaskWait } from "./waiting.ts";

/** The budget limits that are enforced. */
type EnforcedBudget = Pick<TaskBudget, (typeof ENFORCED_LIMITS)[number]>;

/**
 * What a list shows of a task in addition to the columns of its directory row. It is stored in one column, which no
 * query filters by. Like the row, it is as of the task's last transition; progress events do not update it.
 */
export interface ListedDetails {
  /** The `seq` of the row that the details belong to. An earlier release updates the row but not the details. */
  readonly seq: number;
  readonly progress: number;
  readonly waitingFor: TaskWait | null;
  readonly error: Omit<TaskError, "details"> | null;
  readonly spend: TaskSpend;
  readonly tokens: Task["tokens"];
  readonly budget: EnforcedBudget | null;
  /** As in the task; absent if it is empty. An index contains its last day (see the migration 0022). */
  readonly dayCosts?: Task["dayCosts"];
}

export function listedDetailsOf(task: Task): ListedDetails {
  const { directoryVersion: seq, progress, spend, tokens, dayCosts } = task;
  return {
    seq,
    progress,
    waitingFor: listedWaitOf(task),
    error: listedErrorOf(task),
    spend,
    tokens,
    budget: enforcedBudgetOf(task),
    ...(dayCosts.length === 0 ? {} : { dayCosts }),
  };
}

/** The details of a directory row; null if it was last written by a release that stores none. */
export function readListedDetails({
  seq,
  details,
}: {
  readonly seq: number;
  readonly details: string | null;
}): ListedDetails | null {
  if (details === null) return null;
  const stored: ListedDetails = JSON.parse(details);
  return stored.seq === seq ? stored : null;
}

/** A turn that succeeds does not update the row, so the row does not say that turns have failed. */
function listedWaitOf(task: Task): TaskWait | null {
  const wait = findWait(task);
  return wait?.kind === "turn" ? null : wait;
}

function listedErrorOf(task: Task): ListedDetails["error"] {
  const error = errorOf(task);
  if (error === null) return null;
  const { code, message, retryable } = error;
  return { code, message, retryable };
}

function enforcedBudgetOf({ budget }: Task): EnforcedBudget | null {
  const limits = ENFORCED_LIMITS.flatMap((name) => {
    const limit = budget?.[name];
    return limit === undefined ? [] : [[name, limit] as const];
  });
  return limits.length === 0 ? null : Object.fromEntries(limits);
}
