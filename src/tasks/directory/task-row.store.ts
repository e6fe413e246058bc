import { getDatabase } from "../../platform/d1/client.ts";
import { getDirectoryDatabase, type DirectoryDatabases } from "../../platform/d1/shards.ts";
import type { DirectoryRow } from "../model/listing.ts";
import { deleteDirectoryRow, saveDirectoryRow, saveUnratedRow } from "./directory.store.ts";
import { deleteRating, ratingOf, saveRemoteRating } from "./ratings.store.ts";

/**
 * Writes the row of a task into its shard. Agents are in the first shard only, so a rating from another shard
 * is counted there in a second write. Fails unless both are written.
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

/** Deletes the row of a task and, for a task of another shard, its rating in the first shard. */
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

/** Waits until both writes have ended, even if one fails, so that none of them is applied later. */
async function both(one: Promise<void>, other: Promise<void> | null): Promise<void> {
  for (const outcome of await Promise.allSettled([one, other])) {
    if (outcome.status === "rejected") throw outcome.reason;
  }
}
