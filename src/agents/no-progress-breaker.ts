import type { AuditEnv } from "../governance/audit/audited.ts";
import { serviceActor } from "../governance/model/audit-entry.ts";
import { getDatabase, listDirectoryDatabases, type DirectoryEnv } from "../platform/d1/client.ts";
import {
  countFailuresInARow,
  decideNoProgress,
  type NoProgressFacts,
} from "./model/no-progress.ts";
import { NO_PROGRESS_DEFAULTS } from "./model/pause.ts";
import { findBreakerSettings, findLastSuccess, recordFailedAttempt } from "./no-progress.store.ts";
import { pauseAgent } from "./pause-agents.ts";
import type { SyncQueueEnv } from "./queue/sync-queue.ts";

export type BreakerEnv = SyncQueueEnv & DirectoryEnv & AuditEnv;

/** Records a failed attempt, and pauses the agent if too many attempts in a row have failed. Can be repeated. */
export async function checkFailedAttempts(
  env: BreakerEnv,
  failure: {
    readonly agentId: string;
    readonly taskId: string;
    readonly attempt: number;
    readonly failedAt: number;
  },
  now: number,
): Promise<void> {
  const { agentId, taskId } = failure;
  const { settings, failedAt } = await recordFailedAttempt(getDatabase(env.DB), failure);
  if (settings === null) return;
  const limits = settings.noProgress ?? NO_PROGRESS_DEFAULTS;
  const { resumedAt } = settings;
  // A success can only lower the count, so it need not be searched below the limit.
  const atMost = countFailuresInARow(failedAt, null, resumedAt);
  if (atMost < (limits.failedAttempts ?? Infinity)) return;
  const lastSuccessAt = await findLastSuccessInAll(env, agentId);
  const failedAttempts = countFailuresInARow(failedAt, lastSuccessAt, resumedAt);
  await pauseIfStuck(env, agentId, { taskId, limits, counts: { failedAttempts } }, now);
}

/**
 * Pauses the agent if a task has reached one of its limits. Returns whether it did; an agent that is already paused
 * stays as it is.
 */
export async function checkSpend(
  env: BreakerEnv,
  agentId: string,
  { taskId, counts }: Omit<NoProgressFacts, "limits">,
  now: number,
): Promise<boolean> {
  const settings = await findBreakerSettings(getDatabase(env.DB), agentId);
  if (settings === null) return false;
  const limits = settings.noProgress ?? NO_PROGRESS_DEFAULTS;
  return pauseIfStuck(env, agentId, { taskId, limits, counts }, now);
}

async function pauseIfStuck(
  env: BreakerEnv,
  agentId: string,
  facts: NoProgressFacts,
  now: number,
): Promise<boolean> {
  const pause = decideNoProgress(facts, now);
  if (pause !== null) await pauseAgent(env, agentId, pause, serviceActor(null));
  return pause !== null;
}

async function findLastSuccessInAll(env: DirectoryEnv, agentId: string): Promise<number | null> {
  const databases = listDirectoryDatabases(env).map(getDatabase);
  const times = await Promise.all(databases.map((db) => findLastSuccess(db, agentId)));
  return times.reduce((latest, at) => Math.max(latest ?? 0, at ?? 0) || null, null);
}
