import { and, eq, sql, type SQL } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { agents, ratedElsewhere } from "../db/schema.ts";

/** A task's rating, as of the event `seq` of its log. */
export interface Rated {
  readonly taskId: string;
  readonly agentId: string;
  readonly seq: number;
  readonly rating: number;
}

/** The rating that a task's row tells, if it has one. */
export function ratedIn(row: {
  readonly id: string;
  readonly agentId: string | null;
  readonly seq: number;
  readonly rating: number | null;
}): Rated | null {
  const { id: taskId, agentId, seq, rating } = row;
  return agentId === null || rating === null ? null : { taskId, agentId, seq, rating };
}

/**
 * Moves an agent's mean by the difference of a task's rating to the one that is `counted` (one row of a
 * table with its `seq` and `rating`, or none). To be written in one transaction with that row.
 */
export function countRating(db: Database, { agentId, seq, rating }: Rated, counted: SQL) {
  const before = sql`(SELECT rating FROM ${counted})`;
  return db
    .update(agents)
    .set({
      ratingSum: sql`${agents.ratingSum} + ${rating} - coalesce(${before}, 0)`,
      ratingCount: sql`${agents.ratingCount} + (${before} IS NULL)`,
    })
    .where(
      and(eq(agents.id, agentId), sql`NOT EXISTS (SELECT 1 FROM ${counted} AND seq >= ${seq})`),
    );
}

/** Counts a rating of a task whose row lies in another database; a repeat and an older one change nothing. */
export async function rateElsewhere(db: Database, rated: Rated): Promise<void> {
  const { taskId, seq, rating } = rated;
  const counted = sql`${ratedElsewhere} WHERE ${ratedElsewhere.taskId} = ${taskId}`;
  const note = db
    .insert(ratedElsewhere)
    .values({ taskId, seq, rating })
    .onConflictDoUpdate({
      target: ratedElsewhere.taskId,
      set: { seq, rating },
      setWhere: sql`excluded.seq > ${ratedElsewhere.seq}`,
    });
  await db.batch([countRating(db, rated, counted), note]);
}

/** Forgets how such a task was rated, which goes on counting in its agent's mean. */
export async function forgetRating(db: Database, taskId: string): Promise<void> {
  await db.delete(ratedElsewhere).where(eq(ratedElsewhere.taskId, taskId));
}
