import { getDatabase } from "../../platform/d1/client.ts";
import { deleteEndedPushConfigs } from "./webhooks.store.ts";

/** Deletes the remaining webhooks of a deleted task. */
export function deleteTaskWebhooks(database: D1Database, taskId: string): Promise<void> {
  return deleteEndedPushConfigs(getDatabase(database), taskId);
}
