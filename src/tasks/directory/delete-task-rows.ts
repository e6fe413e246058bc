import { deleteTaskWebhooks } from "../../events/webhooks/delete-task-webhooks.ts";
import type { DirectoryDatabases } from "../../platform/d1/client.ts";
import type { DirectoryRow } from "../model/listing.ts";
import { deleteTaskRow } from "./sharded-directory.store.ts";

/** Deletes the row of a task and, at the same time, the webhooks that it has kept. Fails unless both are deleted. */
export async function deleteTaskRows(
  shards: DirectoryDatabases,
  shard: number,
  row: DirectoryRow,
): Promise<void> {
  await Promise.all([deleteTaskRow(shards, shard, row), deleteTaskWebhooks(shards[0], row.id)]);
}
