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

/** The rating in a task's row; null if there is none. */
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
 * Changes an agent's mean by the difference between a task's rating and the `counted` one (a row with `seq` and
 * `rating`, or none). Run it in one transaction with the write of that row.
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

/** Counts the rating of a task of another shard. A repeat or an older rating changes nothing. */
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

/** Deletes the rating of such a task. Its agent's mean stays the same. */
export async function deleteRating(db: Database, taskId: string): Promise<void> {
  await db.delete(remoteRatingsTable).where(eq(remoteRatingsTable.taskId, taskId));
}
