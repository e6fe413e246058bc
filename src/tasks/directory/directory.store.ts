import { and, eq, getTableColumns, gte, lte, sql, type Column, type SQL } from "drizzle-orm";
import { queryBoth, type Database } from "../../platform/d1/client.ts";
import { directoryTable } from "../../platform/d1/schema.ts";
import { TOTAL_COUNTED_MAX } from "../../kernel/limits.ts";
import {
  toListTotal,
  type DirectoryFilter,
  type DirectoryPage,
  type DirectoryRow,
  type ListPosition,
  type ListTotal,
} from "../model/listing.ts";
import { countsTowardsKey, computeStoredBytes } from "../model/stored-bytes.ts";
import { endedAtOf, feedbackOf, type Task } from "../model/task.ts";
import { updateAgentRating, ratingOf } from "./ratings.store.ts";

/** `logBytes`: the size of the task's log. */
export function toDirectoryRow(id: string, task: Task, logBytes: number): DirectoryRow {
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
    storedBytes: isCounted ? computeStoredBytes(task, logBytes) : 0,
  };
}

/**
 * Writes a task's row unless the directory has seen a later event. `written` is what is known to lie
 * there: only what differs is set, for SQLite rewrites each index whose column is set at all. A rating
 * also moves its agent's mean, by the difference to the row, so that a repeat changes nothing.
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

/** The same, but for the mean: the agents lie in another database. */
export async function saveUnratedRow(
  db: Database,
  row: DirectoryRow,
  written: DirectoryRow | null,
): Promise<void> {
  await upsert(db, row, written).run();
}

const COLUMNS = getTableColumns(directoryTable);
const FIELDS = Object.entries(COLUMNS).map(([field, { name }]) => ({ field, name }));
/** Of a row that lies there already the others never differ. */
const CHANGING = FIELDS.filter(
  ({ field }) => !["id", "createdAt", "task", "teamId", "keyId"].includes(field),
);
const INSERT = `insert into directory (${FIELDS.map(({ name }) => name).join(", ")})
  values (${FIELDS.map(() => "?").join(", ")}) on conflict (created_at, id) do update set`;

/** By hand: drizzle takes as long to word it as D1 to carry it out. */
function upsert(
  { $client: binding }: Database,
  row: DirectoryRow,
  written: DirectoryRow | null,
): D1PreparedStatement {
  const values = new Map(Object.entries(row));
  const before = new Map(Object.entries(written ?? {}));
  const sets = CHANGING.filter(({ field }) => before.get(field) !== values.get(field));
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
 * One page, newest first, and how many tasks match (counted up to 10,000). Two queries in one round
 * trip, each on an index; `after` continues behind a row at the cost of a first page.
 */
export async function listDirectoryRows(
  db: Database,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<{ rows: DirectoryRow[] } & ListTotal> {
  const { items: rows, ...total } = await counted(db, filter, pageOf(ROW, filter, page));
  return { rows, ...total };
}

/** The rows of a page alone. */
export async function readDirectoryRows(
  db: Database,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<DirectoryRow[]> {
  return db.all<DirectoryRow>(pageOf(ROW, filter, page));
}

/** The same page as `listRows`, of which only the places are told: a fraction of the bytes. */
export async function listRowPositions(
  db: Database,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<{ places: ListPosition[] } & ListTotal> {
  const { items: places, ...total } = await counted(db, filter, pageOf(PLACE, filter, page));
  return { places, ...total };
}

/** Those places, and no count. */
export async function readRowPositions(
  db: Database,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<ListPosition[]> {
  return db.all<ListPosition>(pageOf(PLACE, filter, page));
}

async function counted<Item>(
  db: Database,
  filter: DirectoryFilter,
  page: SQL<Item>,
): Promise<{ items: Item[] } & ListTotal> {
  const count = sql<{ count: number }>`SELECT count(*) AS count FROM (
    SELECT 1 FROM ${directoryTable} ${where(matches(filter))} LIMIT ${TOTAL_COUNTED_MAX + 1})`;
  const [items, counts] = await queryBoth(db, page, count);
  return { items, ...toListTotal(counts[0]?.count ?? 0) };
}

/** A page as D1 gives it: its columns hold nothing that drizzle would have to make something else of. */
function pageOf<Item>(
  shown: SQL<Item>,
  filter: DirectoryFilter,
  { limit, offset, after }: DirectoryPage,
): SQL<Item> {
  const { createdAt, id } = directoryTable;
  return sql<Item>`SELECT ${shown} FROM ${directoryTable} ${where(behind(filter, after))}
    ORDER BY ${createdAt} DESC, ${id} DESC LIMIT ${limit} OFFSET ${offset}`;
}

const ROW = columns<DirectoryRow>(COLUMNS);
const PLACE = columns<ListPosition>({ createdAt: directoryTable.createdAt, id: directoryTable.id });

/** Columns under the names that an item has for them. */
function columns<Item>(named: Readonly<Record<keyof Item & string, Column>>): SQL<Item> {
  const each = Object.entries<Column>(named).map(
    ([name, column]) => `"${column.name}" AS "${name}"`,
  );
  return sql<Item>`${sql.raw(each.join(", "))}`;
}

function where(condition: SQL | undefined): SQL {
  return condition === undefined ? sql`` : sql`WHERE ${condition}`;
}

function matches(filter: DirectoryFilter): SQL | undefined {
  const { status, agentId, teamId, priority, createdFrom, createdTo } = filter;
  return and(
    status === undefined ? undefined : eq(directoryTable.status, status),
    agentId === undefined ? undefined : eq(directoryTable.agentId, agentId),
    teamId === undefined ? undefined : eq(directoryTable.teamId, teamId),
    priority === undefined ? undefined : eq(directoryTable.priority, priority),
    createdFrom === undefined ? undefined : gte(directoryTable.createdAt, createdFrom),
    createdTo === undefined ? undefined : lte(directoryTable.createdAt, createdTo),
  );
}

/** What matches and is shown after a row; compared as a pair, both columns seek in the index. */
function behind(filter: DirectoryFilter, after: ListPosition | null): SQL | undefined {
  const { createdAt, id } = directoryTable;
  const isBehind =
    after === null ? undefined : sql`(${createdAt}, ${id}) < (${after.createdAt}, ${after.id})`;
  return and(matches(filter), isBehind);
}
