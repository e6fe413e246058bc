import { getDatabase } from "../../platform/d1/client.ts";
import { getDirectoryDatabase, type DirectoryDatabases } from "../../platform/d1/shards.ts";
import {
  addListTotals,
  mergeNewest,
  type ListPosition,
  type ListTotal,
  type DirectoryFilter,
  type DirectoryRow,
  type DirectoryPage,
} from "../model/listing.ts";
import {
  deleteDirectoryRow,
  listRowPositions,
  listDirectoryRows,
  saveDirectoryRow,
  saveUnratedRow,
  readRowPositions,
  readDirectoryRows,
} from "./directory.store.ts";
import { UNCOUNTED_TOTAL, cacheTotal, isAboveCountLimit } from "./count-cache.ts";
import { deleteRating, ratingOf, saveRemoteRating } from "./ratings.store.ts";

/**
 * Writes the row of a task that lies in `shard`, as `putRow` does. Agents lie in the first database alone,
 * and so a rating is counted there by itself; both are owed until both are written.
 */
export async function saveTaskRow(
  shards: DirectoryDatabases,
  shard: number,
  row: DirectoryRow,
  written: DirectoryRow | null,
): Promise<void> {
  const [first] = shards;
  const own = getDatabase(getDirectoryDatabase(shards, shard));
  if (shard === 0) return saveDirectoryRow(own, row, written);
  const rated = ratingOf(row);
  await both(
    saveUnratedRow(own, row, written),
    rated === null ? null : saveRemoteRating(getDatabase(first), rated),
  );
}

/** Deletes a task's row, and what else is known of the task because of where it lies. */
export async function deleteTaskRow(
  shards: DirectoryDatabases,
  shard: number,
  row: DirectoryRow,
): Promise<void> {
  const [first] = shards;
  const isRatedElsewhere = shard !== 0 && ratingOf(row) !== null;
  await both(
    deleteDirectoryRow(getDatabase(getDirectoryDatabase(shards, shard)), row),
    isRatedElsewhere ? deleteRating(getDatabase(first), row.id) : null,
  );
}

/** One page of the whole directory, newest first, and how many tasks match (counted up to 10,000). */
export async function listTaskRows(
  shards: DirectoryDatabases,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<{ rows: DirectoryRow[] } & ListTotal> {
  const now = Date.now();
  if (isAboveCountLimit(filter, now)) {
    const rows = await uncountedRows(shards, filter, page);
    // A page that is not full is the last: then there are not so many any more.
    if (rows.length === page.limit) return { rows, ...UNCOUNTED_TOTAL };
  }
  const list = await countedList(shards, filter, page);
  cacheTotal(filter, list, now);
  return list;
}

/** The rows of a page alone. */
async function uncountedRows(
  shards: DirectoryDatabases,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<DirectoryRow[]> {
  if (shards.length === 1 || page.offset === 0) return rowsOfAll(shards, filter, page);
  const skipping = skippedBy(page);
  const places = shards.map((shard) => readRowPositions(getDatabase(shard), filter, skipping));
  return rowsBehind(shards, filter, page, await Promise.all(places));
}

async function countedList(
  shards: DirectoryDatabases,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<{ rows: DirectoryRow[] } & ListTotal> {
  const [first] = shards;
  if (shards.length === 1) return listDirectoryRows(getDatabase(first), filter, page);
  if (page.offset > 0) return listBehindOffset(shards, filter, page);
  const lists = await Promise.all(
    shards.map((shard) => listDirectoryRows(getDatabase(shard), filter, page)),
  );
  const rows = mergeNewest(
    lists.map((list) => list.rows),
    page.limit,
  );
  return { rows, ...addListTotals(lists) };
}

async function listBehindOffset(
  shards: DirectoryDatabases,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<{ rows: DirectoryRow[] } & ListTotal> {
  const skipping = skippedBy(page);
  const lists = await Promise.all(
    shards.map((shard) => listRowPositions(getDatabase(shard), filter, skipping)),
  );
  const places = lists.map((list) => list.places);
  return { rows: await rowsBehind(shards, filter, page, places), ...addListTotals(lists) };
}

/**
 * An offset counts the rows of all shards together: each may hold all of those that are skipped. They are
 * asked for those places first, and then for rows behind the last of them.
 */
function skippedBy({ offset, after }: DirectoryPage): DirectoryPage {
  return { limit: offset, offset: 0, after };
}

async function rowsBehind(
  shards: DirectoryDatabases,
  filter: DirectoryFilter,
  { limit, offset }: DirectoryPage,
  places: readonly (readonly ListPosition[])[],
): Promise<DirectoryRow[]> {
  const skipped = mergeNewest(places, offset);
  const last = skipped.at(-1);
  if (skipped.length < offset || last === undefined) return [];
  return rowsOfAll(shards, filter, { limit, offset: 0, after: last });
}

async function rowsOfAll(
  shards: DirectoryDatabases,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<DirectoryRow[]> {
  const lists = await Promise.all(
    shards.map((shard) => readDirectoryRows(getDatabase(shard), filter, page)),
  );
  return mergeNewest(lists, page.limit);
}

/** Waits for two writes to end before the failure of either is told: nothing of them comes later. */
async function both(one: Promise<void>, other: Promise<void> | null): Promise<void> {
  for (const outcome of await Promise.allSettled([one, other])) {
    if (outcome.status === "rejected") throw outcome.reason;
  }
}
