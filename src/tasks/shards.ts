import { database } from "../db/client.ts";
import { shardAt, type Shards } from "../db/shards.ts";
import { addTotals, mergeNewest, type Place, type Total } from "../domain/listing.ts";
import {
  deleteRow,
  listPlaces,
  listRows,
  putRow,
  putUnrated,
  readPlaces,
  readRows,
  type DirectoryFilter,
  type DirectoryRow,
  type Page,
} from "./directory.ts";
import { MANY, noteTotal, wereMany } from "./many.ts";
import { forgetRating, ratedIn, rateElsewhere } from "./ratings.ts";

/**
 * Writes the row of a task that lies in `shard`, as `putRow` does. Agents lie in the first database alone,
 * and so a rating is counted there by itself; both are owed until both are written.
 */
export async function putTaskRow(
  shards: Shards,
  shard: number,
  row: DirectoryRow,
  written: DirectoryRow | null,
): Promise<void> {
  const [first] = shards;
  const own = database(shardAt(shards, shard));
  if (shard === 0) return putRow(own, row, written);
  const rated = ratedIn(row);
  await both(
    putUnrated(own, row, written),
    rated === null ? null : rateElsewhere(database(first), rated),
  );
}

/** Deletes a task's row, and what else is known of the task because of where it lies. */
export async function deleteTaskRow(
  shards: Shards,
  shard: number,
  row: DirectoryRow,
): Promise<void> {
  const [first] = shards;
  const isRatedElsewhere = shard !== 0 && ratedIn(row) !== null;
  await both(
    deleteRow(database(shardAt(shards, shard)), row),
    isRatedElsewhere ? forgetRating(database(first), row.id) : null,
  );
}

/** One page of the whole directory, newest first, and how many tasks match (counted up to 10,000). */
export async function listTaskRows(
  shards: Shards,
  filter: DirectoryFilter,
  page: Page,
): Promise<{ rows: DirectoryRow[] } & Total> {
  const now = Date.now();
  if (wereMany(filter, now)) {
    const rows = await uncountedRows(shards, filter, page);
    // A page that is not full is the last: then there are not so many any more.
    if (rows.length === page.limit) return { rows, ...MANY };
  }
  const list = await countedList(shards, filter, page);
  noteTotal(filter, list, now);
  return list;
}

/** The rows of a page alone. */
async function uncountedRows(
  shards: Shards,
  filter: DirectoryFilter,
  page: Page,
): Promise<DirectoryRow[]> {
  if (shards.length === 1 || page.offset === 0) return rowsOfAll(shards, filter, page);
  const skipping = skippedBy(page);
  const places = shards.map((shard) => readPlaces(database(shard), filter, skipping));
  return rowsBehind(shards, filter, page, await Promise.all(places));
}

async function countedList(
  shards: Shards,
  filter: DirectoryFilter,
  page: Page,
): Promise<{ rows: DirectoryRow[] } & Total> {
  const [first] = shards;
  if (shards.length === 1) return listRows(database(first), filter, page);
  if (page.offset > 0) return listBehindOffset(shards, filter, page);
  const lists = await Promise.all(shards.map((shard) => listRows(database(shard), filter, page)));
  const rows = mergeNewest(
    lists.map((list) => list.rows),
    page.limit,
  );
  return { rows, ...addTotals(lists) };
}

async function listBehindOffset(
  shards: Shards,
  filter: DirectoryFilter,
  page: Page,
): Promise<{ rows: DirectoryRow[] } & Total> {
  const skipping = skippedBy(page);
  const lists = await Promise.all(
    shards.map((shard) => listPlaces(database(shard), filter, skipping)),
  );
  const places = lists.map((list) => list.places);
  return { rows: await rowsBehind(shards, filter, page, places), ...addTotals(lists) };
}

/**
 * An offset counts the rows of all shards together: each may hold all of those that are skipped. They are
 * asked for those places first, and then for rows behind the last of them.
 */
function skippedBy({ offset, after }: Page): Page {
  return { limit: offset, offset: 0, after };
}

async function rowsBehind(
  shards: Shards,
  filter: DirectoryFilter,
  { limit, offset }: Page,
  places: readonly (readonly Place[])[],
): Promise<DirectoryRow[]> {
  const skipped = mergeNewest(places, offset);
  const last = skipped.at(-1);
  if (skipped.length < offset || last === undefined) return [];
  return rowsOfAll(shards, filter, { limit, offset: 0, after: last });
}

async function rowsOfAll(
  shards: Shards,
  filter: DirectoryFilter,
  page: Page,
): Promise<DirectoryRow[]> {
  const lists = await Promise.all(shards.map((shard) => readRows(database(shard), filter, page)));
  return mergeNewest(lists, page.limit);
}

/** Waits for two writes to end before the failure of either is told: nothing of them comes later. */
async function both(one: Promise<void>, other: Promise<void> | null): Promise<void> {
  for (const outcome of await Promise.allSettled([one, other])) {
    if (outcome.status === "rejected") throw outcome.reason;
  }
}
