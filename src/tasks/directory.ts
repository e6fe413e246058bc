import { and, desc, eq, gte, lte, sql, type SQL } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { agents, directory } from "../db/schema.ts";
import { TOTAL_COUNTED_MAX } from "../domain/limits.ts";
import type { Priority, Task, TaskStatus } from "../domain/task.ts";

/** A task as lists know it. `seq` is the event it stands at. Instants in milliseconds since 1970. */
export type DirectoryRow = typeof directory.$inferSelect;

export interface DirectoryFilter {
  readonly status: TaskStatus | undefined;
  readonly agentId: string | undefined;
  readonly teamId: string | undefined;
  readonly priority: Priority | undefined;
  readonly createdFrom: number | undefined;
  readonly createdTo: number | undefined;
}

/** A place in a list: the last row of the page before. */
export interface Place {
  readonly createdAt: number;
  readonly id: string;
}

export function rowOf(id: string, task: Task): DirectoryRow {
  return {
    id,
    seq: task.listedSeq,
    status: task.status,
    task: task.task,
    agentId: task.agentId,
    agentName: task.agentName,
    teamId: task.teamId,
    priority: task.priority,
    deadline: task.deadline,
    attempt: task.attempt,
    rating: task.feedback?.rating ?? null,
    createdAt: task.createdAt,
    startedAt: task.startedAt,
    endedAt: task.endedAt,
  };
}

/**
 * Writes a task's row unless the directory has seen a later event. `written` is what is known to lie
 * there: only what differs is set, for SQLite rewrites each index whose column is set at all. A rating
 * also moves its agent's mean, by the difference to the row, so that a repeat changes nothing.
 */
export async function putRow(
  db: Database,
  row: DirectoryRow,
  written: DirectoryRow | null = null,
): Promise<void> {
  const { id, createdAt } = row;
  const upsert = db
    .insert(directory)
    .values(row)
    .onConflictDoUpdate({
      target: [directory.createdAt, directory.id],
      set: changes(row, written),
      setWhere: sql`excluded.seq > ${directory.seq}`,
    });
  if (row.rating === null || row.agentId === null) {
    await upsert;
    return;
  }
  const own = sql`${directory.createdAt} = ${createdAt} AND ${directory.id} = ${id}`;
  const rated = sql`(SELECT ${directory.rating} FROM ${directory} WHERE ${own})`;
  const rate = db
    .update(agents)
    .set({
      ratingSum: sql`${agents.ratingSum} + ${row.rating} - coalesce(${rated}, 0)`,
      ratingCount: sql`${agents.ratingCount} + (${rated} IS NULL)`,
    })
    .where(
      and(
        eq(agents.id, row.agentId),
        sql`NOT EXISTS (SELECT 1 FROM ${directory} WHERE ${own} AND ${directory.seq} >= ${row.seq})`,
      ),
    );
  await db.batch([rate, upsert]);
}

function changes(row: DirectoryRow, written: DirectoryRow | null): Partial<DirectoryRow> {
  const { id, createdAt, task, teamId, ...changing } = row;
  if (written === null) return changing;
  const before = new Map<string, unknown>(Object.entries(written));
  return Object.fromEntries(
    Object.entries(changing).filter(([column, value]) => before.get(column) !== value),
  );
}

export async function deleteRow(db: Database, { createdAt, id }: Place): Promise<void> {
  await db.delete(directory).where(and(eq(directory.createdAt, createdAt), eq(directory.id, id)));
}

/**
 * One page, newest first, and how many tasks match (counted up to 10,000). Two queries in one round
 * trip, each on an index; `after` continues behind a row at the cost of a first page.
 */
export async function listRows(
  db: Database,
  filter: DirectoryFilter,
  page: { limit: number; offset: number; after: Place | null },
): Promise<{ rows: DirectoryRow[]; total: number; totalExact: boolean }> {
  const matching = matches(filter);
  const [rows, counts] = await db.batch([
    db
      .select()
      .from(directory)
      .where(and(matching, page.after === null ? undefined : behind(page.after)))
      .orderBy(desc(directory.createdAt), desc(directory.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: sql<number>`count(*)` }).from(
      db
        .select({ id: directory.id })
        .from(directory)
        .where(matching)
        .limit(TOTAL_COUNTED_MAX + 1)
        .as("counted"),
    ),
  ]);
  const counted = counts[0]?.count ?? 0;
  return {
    rows,
    total: Math.min(counted, TOTAL_COUNTED_MAX),
    totalExact: counted <= TOTAL_COUNTED_MAX,
  };
}

function matches(filter: DirectoryFilter): SQL | undefined {
  const { status, agentId, teamId, priority, createdFrom, createdTo } = filter;
  return and(
    status === undefined ? undefined : eq(directory.status, status),
    agentId === undefined ? undefined : eq(directory.agentId, agentId),
    teamId === undefined ? undefined : eq(directory.teamId, teamId),
    priority === undefined ? undefined : eq(directory.priority, priority),
    createdFrom === undefined ? undefined : gte(directory.createdAt, createdFrom),
    createdTo === undefined ? undefined : lte(directory.createdAt, createdTo),
  );
}

/** Rows that a list shows after this one; compared as a pair, both columns seek in the index. */
function behind({ createdAt, id }: Place): SQL {
  return sql`(${directory.createdAt}, ${directory.id}) < (${createdAt}, ${id})`;
}
