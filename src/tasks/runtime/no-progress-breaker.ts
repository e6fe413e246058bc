import {
  checkFailedAttempts,
  checkSpend,
  type BreakerEnv,
} from "../../agents/no-progress-breaker.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { log } from "../../platform/log.ts";
import { withTimeout } from "../../platform/promises.ts";
import { BREAKER_RETRY_MS } from "../limits.ts";
import {
  isBreakerDue,
  isSpendCheckDue,
  listUnreportedFailures,
  markSpend,
  spendWithoutProgress,
  UNCHECKED,
  type BreakerCheck,
} from "../model/no-progress.ts";
import type { Task } from "../model/task.ts";
import type { TaskStore } from "./task.store.ts";

/**
 * Reports the task's failed attempts and its spend without progress to the breaker, which may pause the agent. If this
 * fails, or the object crashes, a later alarm repeats it.
 */
export async function runBreaker(env: BreakerEnv, taskId: string, store: TaskStore): Promise<void> {
  const task = store.load();
  const check = store.sideState.get("breaker");
  const now = Date.now();
  if (task === null || now < store.checkRetryAt || !isCheckDue(store, task)) return;
  try {
    const next = await withTimeout(STORE_TIMEOUT_MS, runChecks(env, taskId, task, check, now));
    store.commit([], { writeSideState: () => store.sideState.put("breaker", next) });
  } catch (error) {
    log.warn("no_progress_check_failed", { taskId, error });
    store.checkRetryAt = Date.now() + BREAKER_RETRY_MS;
  }
}

/** Whether the breaker must check the task before its agent goes on. */
export function isCheckDue(store: TaskStore, task: Task): boolean {
  return isBreakerDue(task, store.sideState.get("breaker"), Date.now());
}

async function runChecks(
  env: BreakerEnv,
  taskId: string,
  task: Task,
  check: BreakerCheck | null,
  now: number,
): Promise<BreakerCheck> {
  const failures = listUnreportedFailures(task, check, now);
  for (const failure of failures) await checkFailedAttempts(env, { ...failure, taskId }, now);
  const before = check ?? UNCHECKED;
  const next = { ...before, reportedAttempt: failures.at(-1)?.attempt ?? before.reportedAttempt };
  const { agentId } = task;
  if (agentId === null || !isSpendCheckDue(task, check)) return next;
  const counts = spendWithoutProgress(task, check);
  const isPaused = await checkSpend(env, agentId, { taskId, counts: { ...counts } }, now);
  const checked = markSpend(task);
  return { ...next, checked, paused: isPaused ? checked : next.paused };
}
