import { and, desc, eq, sql } from "drizzle-orm";
import type { Database } from "../platform/d1/client.ts";
import { agentsTable, failedAttemptsTable } from "../platform/d1/schema.ts";
import { FAILED_ATTEMPTS_LIMIT_MAX, SUCCESSES_SEARCHED_MAX } from "./limits.ts";
import type { NoProgressLimits } from "./model/pause.ts";

type FailedAttemptRow = typeof failedAttemptsTable.$inferSelect;

/** An agent's settings for the breaker; null for an unknown agent. */
export interface BreakerSettings {
  readonly noProgress: NoProgressLimits | null;
  readonly resumedAt: number | null;
}

const SETTINGS = { noProgress: agentsTable.noProgress, resumedAt: agentsTable.resumedAt };

export async function findBreakerSettings(
  db: Database,
  agentId: string,
): Promise<BreakerSettings | null> {
  const row = await db.select(SETTINGS).from(agentsTable).where(eq(agentsTable.id, agentId)).get();
  return row ?? null;
}

/**
 * Records a failed attempt once, unless the agent was deleted, or is disabled, which makes its attempts fail. Returns the
 * agent's settings and when its latest attempts failed.
 */
export async function recordFailedAttempt(
  db: Database,
  failure: FailedAttemptRow,
): Promise<{ settings: BreakerSettings | null; failedAt: readonly number[] }> {
  const { agentId, failedAt, taskId, attempt } = failure;
  const isOfAgent = eq(failedAttemptsTable.agentId, agentId);
  const oldestKept = sql`(SELECT failed_at FROM failed_attempts WHERE agent_id = ${agentId}
    ORDER BY failed_at DESC LIMIT 1 OFFSET ${FAILED_ATTEMPTS_LIMIT_MAX - 1})`;
  const [, , settings, failures] = await db.batch([
    db
      .insert(failedAttemptsTable)
      .select(
        sql`SELECT id, ${failedAt}, ${taskId}, ${attempt} FROM agents WHERE id = ${agentId} AND enabled`,
      )
      .onConflictDoNothing(),
    db
      .delete(failedAttemptsTable)
      .where(and(isOfAgent, sql`${failedAttemptsTable.failedAt} < ${oldestKept}`)),
    db.select(SETTINGS).from(agentsTable).where(eq(agentsTable.id, agentId)),
    db
      .select({ failedAt: failedAttemptsTable.failedAt })
      .from(failedAttemptsTable)
      .where(isOfAgent)
      .orderBy(desc(failedAttemptsTable.failedAt)),
  ]);
  return { settings: settings[0] ?? null, failedAt: failures.map((row) => row.failedAt) };
}

/**
 * When one of the agent's latest tasks in this database last succeeded: was completed, or submitted for the review that
 * it waits for. Null if none did.
 */
export async function findLastSuccess(db: Database, agentId: string): Promise<number | null> {
  const row = await db.get<{ at: number | null }>(sql`
    SELECT max(CASE status
      WHEN 'completed' THEN ended_at
      WHEN 'review' THEN details ->> '$.waitingFor.since'
    END) AS at
    FROM (SELECT status, ended_at, details FROM directory WHERE agent_id = ${agentId}
      ORDER BY created_at DESC LIMIT ${SUCCESSES_SEARCHED_MAX})`);
  return row.at;
}
