import { TOTAL_COUNTED_MAX } from "../../kernel/limits.ts";
import {
  type DirectoryDatabases,
  getDatabase,
  getDirectoryDatabase,
} from "../../platform/d1/client.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { COUNT_CACHE_ENTRIES_MAX, COUNT_CACHE_MS } from "../limits.ts";
import {
  addListTotals,
  mergeRows,
  type DirectoryFilter,
  type DirectoryPage,
  type DirectoryRow,
  type ListTotal,
  type SortedPosition,
} from "../model/listing.ts";
import {
  deleteDirectoryRow,
  deleteRating,
  ratingOf,
  readCountedPage,
  readPage,
  saveRemoteRating,
  saveUnratedRow,
} from "./directory.store.ts";
import { POSITION, ROW } from "./page-query.store.ts";

/** Filters that recently matched more than TOTAL_COUNTED_MAX tasks. */
const uncountedFilters = new TtlCache<true>(COUNT_CACHE_MS, COUNT_CACHE_ENTRIES_MAX);

export function clearCountCache(): void {
  uncountedFilters.clear();
}

/** One page across all shards, in the page's order, and the number of matching tasks, counted up to TOTAL_COUNTED_MAX. */
export async function listTaskRows(
  shards: DirectoryDatabases,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<TaskRows> {
  const now = Date.now();
  const name = cacheKeyOf(filter);
  if (uncountedFilters.get(name, now) === true) {
    const list = await readAllShards(shards, readUncountedPage, filter, page);
    // A page that is not full is the last one, so the filter may now match fewer tasks.
    if (list.rows.length === page.limit) return list;
  }
  const list = await readAllShards(shards, readCountedPage, filter, page);
  if (list.totalExact) uncountedFilters.delete(name);
  else uncountedFilters.set(name, true, now);
  return list;
}

export type TaskRows = { rows: (DirectoryRow & SortedPosition)[] } & ListTotal;

/** A page for a filter that matches more than TOTAL_COUNTED_MAX tasks. */
const readUncountedPage: typeof readCountedPage = async (...query) => ({
  items: await readPage(...query),
  total: TOTAL_COUNTED_MAX,
  totalExact: false,
});

/**
 * Reads a page across all shards. An offset counts the rows of all shards together, and one shard may contain all
 * skipped rows. Therefore, the first query reads the positions of up to `offset` rows from each shard, and the second
 * reads the rows after the last skipped one.
 */
async function readAllShards(
  shards: DirectoryDatabases,
  read: typeof readCountedPage,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<TaskRows> {
  const databases = shards.map(getDatabase);
  const { limit, offset, after, sort } = page;
  if (shards.length === 1 || offset === 0) {
    const lists = await Promise.all(databases.map((db) => read(db, ROW, filter, page)));
    const rows = mergeRows(lists.map(itemsOf), limit, sort);
    return { rows, ...addListTotals(lists) };
  }
  const skipping = { limit: offset, offset: 0, after, sort };
  const lists = await Promise.all(databases.map((db) => read(db, POSITION, filter, skipping)));
  const skipped: SortedPosition[] = mergeRows(lists.map(itemsOf), offset, sort);
  const last = skipped.at(-1);
  if (skipped.length < offset || last === undefined) return { rows: [], ...addListTotals(lists) };
  const next = { limit, offset: 0, after: last, sort };
  const pages = await Promise.all(databases.map((db) => readPage(db, ROW, filter, next)));
  return { rows: mergeRows(pages, limit, sort), ...addListTotals(lists) };
}

function itemsOf<Item>({ items }: { readonly items: Item[] }): Item[] {
  return items;
}

function cacheKeyOf(filter: DirectoryFilter): string {
  return JSON.stringify(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/**
 * Writes a task's row to a shard other than the first. Agents are stored only in the first shard, so a rating is
 * counted there in a second write. Fails unless both writes succeed.
 */
export async function saveShardRow(
  shards: DirectoryDatabases,
  shard: number,
  row: DirectoryRow,
  written: DirectoryRow | null,
): Promise<void> {
  const [first] = shards;
  const own = getDatabase(getDirectoryDatabase(shards, shard));
  const rated = ratingOf(row);
  await both(
    saveUnratedRow(own, row, written),
    rated === null ? null : saveRemoteRating(getDatabase(first), rated),
  );
}

/** Deletes a task's row and, if the row is not in the first shard, the task's rating in the first shard. */
export async function deleteTaskRow(
  shards: DirectoryDatabases,
  shard: number,
  row: DirectoryRow,
): Promise<void> {
  const [first] = shards;
  const hasRemoteRating = shard !== 0 && ratingOf(row) !== null;
  await both(
    deleteDirectoryRow(getDatabase(getDirectoryDatabase(shards, shard)), row),
    hasRemoteRating ? deleteRating(getDatabase(first), row.id) : null,
  );
}

/** Waits for both writes to end, even if one fails, so neither is applied later. */
async function both(one: Promise<void>, other: Promise<void> | null): Promise<void> {
  for (const outcome of await Promise.allSettled([one, other])) {
    if (outcome.status === "rejected") throw outcome.reason;
  }
}
