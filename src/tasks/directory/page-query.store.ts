import {
  and,
  eq,
  getTableColumns,
  gte,
  inArray,
  lte,
  sql,
  type Column,
  type SQL,
} from "drizzle-orm";
import { directoryTable, taskLabelsTable } from "../../platform/d1/schema.ts";
import type {
  DirectoryFilter,
  DirectoryPage,
  DirectoryRow,
  ListPosition,
  SortedPosition,
} from "../model/listing.ts";
import type { TaskStatus } from "../model/task.ts";

/** D1 accepts at most this many SELECTs in a compound SELECT. */
const SELECTS_PER_COMPOUND_MAX = 5;

/** The columns of whole rows. */
export const ROW = selectColumns<DirectoryRow>(getTableColumns(directoryTable));
/** Only a row's position, which is much smaller than the whole row. */
export const POSITION = selectColumns<ListPosition>({
  createdAt: directoryTable.createdAt,
  id: directoryTable.id,
});

/** Selects columns and names them after the item's fields. */
function selectColumns<Item>(named: Readonly<Record<keyof Item & string, Column>>): SQL<Item> {
  const each = Object.entries<Column>(named).map(
    ([name, column]) => `"directory"."${column.name}" AS "${name}"`,
  );
  return sql<Item>`${sql.raw(each.join(", "))}`;
}

/** How many characters of a title are compared when sorting. No title is longer. */
const TITLE_KEY_CHARACTERS_MAX = 200;
/** The white space and the byte order mark that are ignored at the start of a task's text. */
const WHITE_SPACE = sql.raw("char(9, 10, 13, 32, 65279)");
const TITLE_OR_TEXT = sql`coalesce(${directoryTable.title}, ${directoryTable.task})`;
/** What a list in the order of titles sorts by. SQLite's `lower` changes only the letters A to Z. */
const TITLE_KEY = sql`lower(substr(ltrim(${TITLE_OR_TEXT}, ${WHITE_SPACE}), 1, ${sql.raw(String(TITLE_KEY_CHARACTERS_MAX))}))`;

/** Where a query reads its rows from, in list order. */
interface Source {
  readonly from: SQL;
  /** The columns of the source's index that contain the row's position. */
  readonly position: { readonly createdAt: Column; readonly id: Column };
  readonly conditions: readonly SQL[];
}

/** Selects a page in the order of titles. SQLite reads and sorts all matching rows. */
function selectTitlePage<Item>(
  columns: SQL<Item>,
  filter: DirectoryFilter,
  { limit, offset, after, sort }: DirectoryPage,
): SQL<Item> {
  const source = sourceOf(filter);
  const { createdAt, id } = source.position;
  const isDescending = sort === "-title";
  const behind = after === null ? undefined : isBehindTitle(source, after, isDescending);
  const condition = and(...source.conditions, matches(source, filter), behind);
  const matching = condition === undefined ? sql`` : sql`WHERE ${condition}`;
  return sql<Item>`SELECT ${columns}, ${TITLE_KEY} AS "titleKey" FROM ${source.from} ${matching}
    ORDER BY "titleKey" ${sql.raw(isDescending ? "DESC" : "ASC")}, ${createdAt} DESC, ${id} DESC LIMIT ${limit} OFFSET ${offset}`;
}

function isBehindTitle(
  { position }: Source,
  { createdAt, id, titleKey = "" }: SortedPosition,
  isDescending: boolean,
): SQL {
  const comparison = sql.raw(isDescending ? "<" : ">");
  return sql`(${TITLE_KEY} ${comparison} ${titleKey} OR (${TITLE_KEY} = ${titleKey} AND (${position.createdAt}, ${position.id}) < (${createdAt}, ${id})))`;
}

/** Selects a page, newest first unless `page` has another order, without Drizzle's conversions, because no column needs any. */
export function selectPage<Item>(
  columns: SQL<Item>,
  filter: DirectoryFilter,
  page: DirectoryPage,
): SQL<Item> {
  if (page.sort !== undefined) return selectTitlePage(columns, filter, page);
  const { limit, offset, after } = page;
  const source = sourceOf(filter);
  const selectFrom = (statuses: readonly TaskStatus[] | undefined): SQL<Item> =>
    sql<Item>`SELECT ${columns} FROM ${source.from} ${where(source, { ...filter, status: statuses }, after)}`;
  const parts = partsOf(filter).map(selectFrom);
  const { createdAt, id } = source.position;
  // Without a union, only the columns of the index prove that the rows are in order.
  const order =
    parts.length === 1
      ? sql`ORDER BY ${createdAt} DESC, ${id} DESC`
      : sql`ORDER BY "createdAt" DESC, "id" DESC`;
  const merged = mergeParts(parts, sql`${order} LIMIT ${limit + offset}`);
  return sql<Item>`${merged} ${order} LIMIT ${limit} OFFSET ${offset}`;
}

/** Counts the matching rows, up to `max`. */
export function selectCount(filter: DirectoryFilter, max: number): SQL<{ count: number }> {
  const source = sourceOf(filter);
  return sql<{ count: number }>`SELECT count(*) AS count FROM (
    SELECT 1 FROM ${source.from} ${where(source, filter, null)} LIMIT ${max})`;
}

/**
 * The statuses of each part of a page. SQLite reads the rows of one status in list order and merges such parts without
 * reading more rows than the page needs. With several statuses in one part, it would sort all their rows.
 */
function partsOf(filter: DirectoryFilter): (readonly TaskStatus[] | undefined)[] {
  const { status } = filter;
  const isRead = filter.externalId === undefined && firstLabelOf(filter) === undefined;
  return isRead && status !== undefined ? status.map((one) => [one]) : [status];
}

/** Combines parts in list order. `cut` sorts and limits the rows of parts that are combined first. */
function mergeParts(parts: readonly SQL[], cut: SQL): SQL {
  const union = sql` UNION ALL `;
  if (parts.length <= SELECTS_PER_COMPOUND_MAX) return sql.join([...parts], union);
  const groups: SQL[] = [];
  for (let at = 0; at < parts.length; at += SELECTS_PER_COMPOUND_MAX) {
    const group = sql.join(parts.slice(at, at + SELECTS_PER_COMPOUND_MAX), union);
    groups.push(sql`SELECT * FROM (${group} ${cut})`);
  }
  return sql.join(groups, union);
}

/** An external id matches few rows. A label may match many, but they are stored in list order. */
function sourceOf(filter: DirectoryFilter): Source {
  const position = { createdAt: directoryTable.createdAt, id: directoryTable.id };
  if (filter.externalId !== undefined) {
    const from = sql`${directoryTable} INDEXED BY directory_external`;
    return { from, position, conditions: [] };
  }
  const first = firstLabelOf(filter);
  if (first === undefined) return { from: sql`${directoryTable}`, position, conditions: [] };
  const { key, value, createdAt, id } = taskLabelsTable;
  return {
    // CROSS JOIN makes SQLite read the labels first.
    from: sql`${taskLabelsTable} CROSS JOIN ${directoryTable}
      ON ${directoryTable.createdAt} = ${createdAt} AND ${directoryTable.id} = ${id}`,
    position: { createdAt, id },
    conditions: [eq(key, first[0]), eq(value, first[1])],
  };
}

/** The label whose rows are read; undefined if the rows are read from another index. */
function firstLabelOf({ labels, externalId }: DirectoryFilter) {
  return externalId === undefined ? labels?.[0] : undefined;
}

function where(source: Source, filter: DirectoryFilter, after: ListPosition | null): SQL {
  const { createdAt, id } = source.position;
  // Because the columns are compared as a pair, SQLite can use both for an index seek.
  const isAfter =
    after === null ? undefined : sql`(${createdAt}, ${id}) < (${after.createdAt}, ${after.id})`;
  const condition = and(...source.conditions, matches(source, filter), isAfter);
  return condition === undefined ? sql`` : sql`WHERE ${condition}`;
}

function matches({ position }: Source, filter: DirectoryFilter): SQL | undefined {
  const { status, agentId, teamId, priority, createdFrom, createdTo, contextId } = filter;
  const { externalId, search, labels = [] } = filter;
  const others = labels.filter((label) => label !== firstLabelOf(filter));
  return and(
    matchesStatus(status),
    agentId === undefined ? undefined : eq(directoryTable.agentId, agentId),
    teamId === undefined ? undefined : eq(directoryTable.teamId, teamId),
    priority === undefined ? undefined : eq(directoryTable.priority, priority),
    createdFrom === undefined ? undefined : gte(position.createdAt, createdFrom),
    createdTo === undefined ? undefined : lte(position.createdAt, createdTo),
    contextId === undefined ? undefined : eq(directoryTable.contextId, contextId),
    externalId === undefined ? undefined : eq(directoryTable.externalId, externalId),
    search === undefined ? undefined : containsText(search),
    ...others.map(hasLabel),
  );
}

function matchesStatus(status: readonly TaskStatus[] | undefined): SQL | undefined {
  if (status === undefined) return undefined;
  const [only] = status;
  return status.length === 1 && only !== undefined
    ? eq(directoryTable.status, only)
    : inArray(directoryTable.status, [...status]);
}

/** `instr` has no wildcards. A LIKE pattern would have some, and D1 limits its length to 50 bytes. */
function containsText(search: string): SQL {
  return sql`instr(lower(${TITLE_OR_TEXT}), lower(${search})) > 0`;
}

function hasLabel([key, value]: readonly [key: string, value: string]): SQL {
  return sql`EXISTS (SELECT 1 FROM task_labels AS other WHERE other.key = ${key} AND other.value = ${value}
    AND other.created_at = ${directoryTable.createdAt} AND other.id = ${directoryTable.id})`;
}
