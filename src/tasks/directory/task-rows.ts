import { deleteTaskWebhooks } from "../../events/webhooks/delete-task-webhooks.ts";
import { type DirectoryDatabases, getDatabase } from "../../platform/d1/client.ts";
import type { DirectoryRow } from "../model/listing.ts";
import { saveDirectoryRow } from "./directory.store.ts";
import { deleteTaskRow, saveShardRow } from "./sharded-directory.store.ts";

/** Writes a task's row to the task's shard. */
export function saveTaskRow(
  shards: DirectoryDatabases,
  shard: number,
  row: DirectoryRow,
  written: DirectoryRow | null,
): Promise<void> {
  if (shard > 0) return saveShardRow(shards, shard, row, written);
  return saveDirectoryRow(getDatabase(shards[0]), row, written);
}

/** Deletes a task's row and its stored webhooks in parallel. Fails unless both are deleted. */
export async function deleteTaskRows(
  shards: DirectoryDatabases,
  shard: number,
  row: DirectoryRow,
): Promise<void> {
  await Promise.all([deleteTaskRow(shards, shard, row), deleteTaskWebhooks(shards[0], row.id)]);
}
