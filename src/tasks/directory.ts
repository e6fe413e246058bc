import { and, eq, getTableColumns, gte, lte, sql, type Column, type SQL } from "drizzle-orm";
import { readBoth, type Database } from "../db/client.ts";
import { directory } from "../db/schema.ts";
import { TOTAL_COUNTED_MAX } from "../domain/limits.ts";
import { totalOf, type Place, type Total } from "../domain/listing.ts";
import { countsTowardsKey, storedBytes } from "../domain/stored-bytes.ts";
import type { Priority, Task, TaskStatus } from "../domain/task.ts";
import { countRating, ratedIn } from "./ratings.ts";

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

/** What a list shows: `limit` rows, `offset` rows behind its beginning or behind the row `after`. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly after: Place | null;
}

/** `logBytes`: the size of the task's log. */
export function rowOf(id: string, task: Task, logBytes: number): DirectoryRow {
  const isCounted = countsTowardsKey(task.createdBy);
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
    keyId: isCounted ? task.createdBy : null,
    storedBytes: isCounted ? storedBytes(task, logBytes) : 0,
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
  const rated = ratedIn(row);
  if (rated === null) return putUnrated(db, row, written);
  const own = sql`${directory} WHERE ${directory.createdAt} = ${row.createdAt} AND ${directory.id} = ${row.id}`;
  const counting = countRating(db, rated, own).toSQL();
  const binding = db.$client;
  await binding.batch([
    binding.prepare(counting.sql).bind(...counting.params),
    upsert(db, row, written),
  ]);
}

/** The same, but for the mean: the agents lie in another database. */
export async function putUnrated(
  db: Database,
  row: DirectoryRow,
  written: DirectoryRow | null,
): Promise<void> {
  await upsert(db, row, written).run();
}

const COLUMNS = getTableColumns(directory);
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
  page: Page,
): Promise<{ rows: DirectoryRow[] } & Total> {
  const { items: rows, ...total } = await counted(db, filter, pageOf(ROW, filter, page));
  return { rows, ...total };
}

/** The rows of a page alone. */
export async function readRows(
  db: Database,
  filter: DirectoryFilter,
  page: Page,
): Promise<DirectoryRow[]> {
  return db.all<DirectoryRow>(pageOf(ROW, filter, page));
}

/** The same page as `listRows`, of which only the places are told: a fraction of the bytes. */
export async function listPlaces(
  db: Database,
  filter: DirectoryFilter,
  page: Page,
): Promise<{ places: Place[] } & Total> {
  const { items: places, ...total } = await counted(db, filter, pageOf(PLACE, filter, page));
  return { places, ...total };
}

/** Those places, and no count. */
export async function readPlaces(
  db: Database,
  filter: DirectoryFilter,
  page: Page,
): Promise<Place[]> {
  return db.all<Place>(pageOf(PLACE, filter, page));
}

async function counted<Item>(
  db: Database,
  filter: DirectoryFilter,
  page: SQL<Item>,
): Promise<{ items: Item[] } & Total> {
  const count = sql<{ count: number }>`SELECT count(*) AS count FROM (
    SELECT 1 FROM ${directory} ${where(matches(filter))} LIMIT ${TOTAL_COUNTED_MAX + 1})`;
  const [items, counts] = await readBoth(db, page, count);
  return { items, ...totalOf(counts[0]?.count ?? 0) };
}

/** A page as D1 gives it: its columns hold nothing that drizzle would have to make something else of. */
function pageOf<Item>(
  shown: SQL<Item>,
  filter: DirectoryFilter,
  { limit, offset, after }: Page,
): SQL<Item> {
  const { createdAt, id } = directory;
  return sql<Item>`SELECT ${shown} FROM ${directory} ${where(behind(filter, after))}
    ORDER BY ${createdAt} DESC, ${id} DESC LIMIT ${limit} OFFSET ${offset}`;
}

const ROW = columns<DirectoryRow>(COLUMNS);
const PLACE = columns<Place>({ createdAt: directory.createdAt, id: directory.id });

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
    status === undefined ? undefined : eq(directory.status, status),
    agentId === undefined ? undefined : eq(directory.agentId, agentId),
    teamId === undefined ? undefined : eq(directory.teamId, teamId),
    priority === undefined ? undefined : eq(directory.priority, priority),
    createdFrom === undefined ? undefined : gte(directory.createdAt, createdFrom),
    createdTo === undefined ? undefined : lte(directory.createdAt, createdTo),
  );
}

/** What matches and is shown after a row; compared as a pair, both columns seek in the index. */
function behind(filter: DirectoryFilter, after: Place | null): SQL | undefined {
  const { createdAt, id } = directory;
  const isBehind =
    after === null ? undefined : sql`(${createdAt}, ${id}) < (${after.createdAt}, ${after.id})`;
  return and(matches(filter), isBehind);
}
