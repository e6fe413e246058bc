import { and, eq, isNotNull, isNull, sql, type SQL } from "drizzle-orm";
import type { AuditedBatch } from "../platform/d1/audited-batch.ts";
import type { Database } from "../platform/d1/client.ts";
import { agentsTable } from "../platform/d1/schema.ts";
import type { Pause } from "./model/pause.ts";

/** Why the agent is paused; null if it is not, or if it does not exist. */
export async function findPause(db: Database, agentId: string): Promise<Pause | null> {
  const row = await db
    .select({ pause: agentsTable.pause })
    .from(agentsTable)
    .where(eq(agentsTable.id, agentId))
    .get();
  return row?.pause ?? null;
}

/** Stores a pause unless the agent is already paused. */
export async function savePause(
  db: Database,
  agentId: string,
  pause: Pause,
  batch: AuditedBatch,
): Promise<void> {
  await batch([pauseWhere(db, pause, eq(agentsTable.id, agentId))]);
}

/** Pauses all agents that are not paused, and returns their ids. */
export async function savePauseOfAll(
  db: Database,
  pause: Pause,
  batch: AuditedBatch,
): Promise<string[]> {
  const [paused] = await batch([pauseWhere(db, pause)]);
  return idsOf(paused);
}

/** Ends an agent's pause, if it is paused. */
export async function deletePause(
  db: Database,
  agentId: string,
  now: number,
  batch: AuditedBatch,
): Promise<void> {
  await batch([resumeWhere(db, now, eq(agentsTable.id, agentId))]);
}

/** Ends the pauses of a request for all agents, and returns the ids of these agents. */
export async function deletePausesOfAll(
  db: Database,
  now: number,
  batch: AuditedBatch,
): Promise<string[]> {
  const isPausedWithAll = sql`${agentsTable.pause} ->> 'cause' = 'pause-all'`;
  const [resumed] = await batch([resumeWhere(db, now, isPausedWithAll)]);
  return idsOf(resumed);
}

function pauseWhere(db: Database, pause: Pause, where?: SQL) {
  return db
    .update(agentsTable)
    .set({ pause })
    .where(and(where, isNull(agentsTable.pause)))
    .returning({ id: agentsTable.id });
}

function resumeWhere(db: Database, now: number, where: SQL) {
  return db
    .update(agentsTable)
    .set({ pause: null, resumedAt: now })
    .where(and(where, isNotNull(agentsTable.pause)))
    .returning({ id: agentsTable.id });
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
