import { and, eq, sql, type SQL } from "drizzle-orm";
import type { Database } from "../../platform/d1/client.ts";
import { agentsTable, remoteRatingsTable } from "../../platform/d1/schema.ts";

/** A task's rating, as of the event `seq` of its log. */
export interface TaskRating {
  readonly taskId: string;
  readonly agentId: string;
  readonly seq: number;
  readonly rating: number;
}

/** The rating that a task's row tells, if it has one. */
export function ratingOf(row: {
  readonly id: string;
  readonly agentId: string | null;
  readonly seq: number;
  readonly rating: number | null;
}): TaskRating | null {
  const { id: taskId, agentId, seq, rating } = row;
  return agentId === null || rating === null ? null : { taskId, agentId, seq, rating };
}

/**
 * Moves an agent's mean by the difference of a task's rating to the one that is `counted` (one row of a
 * table with its `seq` and `rating`, or none). To be written in one transaction with that row.
 */
export function updateAgentRating(
  db: Database,
  { agentId, seq, rating }: TaskRating,
  counted: SQL,
) {
  const before = sql`(SELECT rating FROM ${counted})`;
  return db
    .update(agentsTable)
    .set({
      ratingSum: sql`${agentsTable.ratingSum} + ${rating} - coalesce(${before}, 0)`,
      ratingCount: sql`${agentsTable.ratingCount} + (${before} IS NULL)`,
    })
    .where(
      and(
        eq(agentsTable.id, agentId),
        sql`NOT EXISTS (SELECT 1 FROM ${counted} AND seq >= ${seq})`,
      ),
    );
}

/** Counts a rating of a task whose row lies in another database; a repeat and an older one change nothing. */
export async function saveRemoteRating(db: Database, rated: TaskRating): Promise<void> {
  const { taskId, seq, rating } = rated;
  const counted = sql`${remoteRatingsTable} WHERE ${remoteRatingsTable.taskId} = ${taskId}`;
  const note = db
    .insert(remoteRatingsTable)
    .values({ taskId, seq, rating })
    .onConflictDoUpdate({
      target: remoteRatingsTable.taskId,
      set: { seq, rating },
      setWhere: sql`excluded.seq > ${remoteRatingsTable.seq}`,
    });
  await db.batch([updateAgentRating(db, rated, counted), note]);
}

/** Forgets how such a task was rated, which goes on counting in its agent's mean. */
export async function deleteRating(db: Database, taskId: string): Promise<void> {
  await db.delete(remoteRatingsTable).where(eq(remoteRatingsTable.taskId, taskId));
}
