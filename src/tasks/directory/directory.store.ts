import { STORED_BYTES_UNIT } from "../limits.ts";
import { queryBoth, type Database } from "../../platform/d1/client.ts";
import { agentsTable, directoryTable, remoteRatingsTable } from "../../platform/d1/schema.ts";
import { sortKeys } from "../../kernel/json.ts";
import { toListTotal, TOTAL_COUNTED_MAX } from "../../kernel/limits.ts";
import {
  type DirectoryFilter,
  type DirectoryPage,
  type DirectoryRow,
  type DirectoryWrite,
  type ListPosition,
  type ListTotal,
} from "../model/listing.ts";
import { countsTowardsKey } from "../../keys/model/key.ts";
import { listedDetailsOf } from "../model/listed-details.ts";
import { endedAtOf, feedbackOf, type Task } from "../model/task.ts";
import { and, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import { selectCount, selectPage } from "./page-query.store.ts";

/**
 * Converts a task to its directory row. `readLogBytes` returns the size of the task's log. It is called only if the
 * task counts towards a key's storage limit.
 */
export function toDirectoryRow(id: string, task: Task, readLogBytes: () => number): DirectoryRow {
  const isCounted = countsTowardsKey(task.createdBy);
  return {
    id,
    seq: task.directoryVersion,
    status: task.status,
    task: task.task,
    agentId: task.agentId,
    agentName: task.agentName,
    teamId: task.teamId,
    priority: task.priority,
    deadline: task.deadline,
    attempt: task.attempt,
    rating: feedbackOf(task)?.rating ?? null,
    createdAt: task.createdAt,
    startedAt: task.startedAt,
    endedAt: endedAtOf(task),
    keyId: isCounted ? task.createdBy : null,
    storedBytes: isCounted ? computeStoredBytes(task, readLogBytes()) : 0,
    contextId: task.contextId,
    details: JSON.stringify(listedDetailsOf(task)),
    title: task.title,
    labels: task.labels === null ? null : JSON.stringify(task.labels, sortKeys),
    externalId: task.externalId,
  };
}

/** The size of a task's log and files, rounded up to a multiple of STORED_BYTES_UNIT. */
function computeStoredBytes({ fileBytes }: Pick<Task, "fileBytes">, logBytes: number): number {
  return Math.ceil((logBytes + fileBytes) / STORED_BYTES_UNIT) * STORED_BYTES_UNIT;
}

/**
 * Writes a task's row unless the stored row has the same or a newer version. If `written`, the stored row, is known,
 * only columns that differ are set, because SQLite rewrites the indexes on every column that is set. `storedBytes` has
 * no index and is always set. If the task has a rating, the agent's mean rating is updated, too.
 */
export async function saveDirectoryRow(
  db: Database,
  row: DirectoryRow,
  written: DirectoryRow | null = null,
): Promise<void> {
  const rated = ratingOf(row);
  if (rated === null) return saveUnratedRow(db, row, written);
  const own = sql`${directoryTable} WHERE ${directoryTable.createdAt} = ${row.createdAt} AND ${directoryTable.id} = ${row.id}`;
  const counting = updateAgentRating(db, rated, own).toSQL();
  const binding = db.$client;
  await binding.batch([
    binding.prepare(counting.sql).bind(...counting.params),
    upsert(db, row, written),
  ]);
}

/** Like `saveDirectoryRow`, but does not change the agent's mean rating, which may be in another database. */
export async function saveUnratedRow(
  db: Database,
  row: DirectoryRow,
  written: DirectoryRow | null,
): Promise<void> {
  await upsert(db, row, written).run();
}

/**
 * Writes rows in one transaction. Only rows that have no rating and whose fields are exactly those of this release are
 * accepted. A row that is not newer than the stored one changes nothing. Returns the accepted writes.
 */
export async function saveUnratedRows(
  db: Database,
  writes: readonly DirectoryWrite[],
): Promise<readonly DirectoryWrite[]> {
  const accepted = writes.filter(({ row }) => row.rating === null && hasExactFields(row));
  const upserts = accepted.map(({ row, written }) => upsert(db, row, written));
  if (upserts.length > 0) await db.$client.batch(upserts);
  return accepted;
}

const COLUMNS = getTableColumns(directoryTable);
const FIELDS = Object.entries(COLUMNS).map(([field, { name }]) => ({ field, name }));
/** The columns of a stored row that can change. */
const CHANGING = FIELDS.filter(
  ({ field }) => !["id", "createdAt", "task", "teamId", "keyId", "contextId"].includes(field),
);
const INSERT = `insert into directory (${FIELDS.map(({ name }) => name).join(", ")})
  values (${FIELDS.map(() => "?").join(", ")}) on conflict (created_at, id) do update set`;

/** A task's object that runs another release may send a row with different fields. */
function hasExactFields(row: DirectoryRow): boolean {
  const isComplete = FIELDS.every(({ field }) => Object.hasOwn(row, field));
  return isComplete && Object.keys(row).length === FIELDS.length;
}

/** The SQL is written by hand, because Drizzle takes as long to build it as D1 takes to run it. */
function upsert(
  { $client: binding }: Database,
  row: DirectoryRow,
  written: DirectoryRow | null,
): D1PreparedStatement {
  const values = new Map(Object.entries(row));
  const before = new Map(Object.entries(written ?? {}));
  // The log can grow without a new version of the row, so the `storedBytes` of the stored row may differ from that of
  // `written`.
  const sets = CHANGING.filter(
    ({ field }) => field === "storedBytes" || before.get(field) !== values.get(field),
  );
  const set = sets.map(({ name }) => `${name} = excluded.${name}`).join(", ");
  return binding
    .prepare(`${INSERT} ${set} where excluded.seq > directory.seq`)
    .bind(...FIELDS.map(({ field }) => values.get(field) ?? null));
}

export async function deleteDirectoryRow(
  db: Database,
  { createdAt, id }: ListPosition,
): Promise<void> {
  await db
    .delete(directoryTable)
    .where(and(eq(directoryTable.createdAt, createdAt), eq(directoryTable.id, id)));
}

/**
 * One page, newest first, and the number of matching tasks, counted up to TOTAL_COUNTED_MAX. Uses indexes and a single
 * round trip.
 */
export async function readCountedPage<Item>(
  db: Database,
  columns: SQL<Item>,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<{ items: Item[] } & ListTotal> {
  const query = selectPage(columns, filter, page);
  const [items, counts] = await queryBoth(db, query, selectCount(filter, TOTAL_COUNTED_MAX + 1));
  return { items, ...toListTotal(counts[0]?.count ?? 0) };
}

/** One page without a count. */
export async function readPage<Item>(
  db: Database,
  columns: SQL<Item>,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<Item[]> {
  return db.all<Item>(selectPage(columns, filter, page));
}

/** A task's rating as of the event `seq` in its log. */
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
 * Updates the sum and count of an agent's ratings. A task's new rating replaces the one already counted, if any.
 * `counted` selects the row with the `seq` and `rating` already counted. Run this in the same transaction as the write
 * to that row.
 */
function updateAgentRating(db: Database, { agentId, seq, rating }: TaskRating, counted: SQL) {
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

/** Counts the rating of a task in another shard. A repeated or older rating changes nothing. */
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

/** Deletes the rating of a task in another shard. The agent's mean rating does not change. */
export async function deleteRating(db: Database, taskId: string): Promise<void> {
  await db.delete(remoteRatingsTable).where(eq(remoteRatingsTable.taskId, taskId));
}
