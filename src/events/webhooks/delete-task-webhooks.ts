import { getDatabase } from "../../platform/d1/client.ts";
import { deleteEndedPushConfigs } from "./webhooks.store.ts";

/** Deletes the webhooks that a deleted task has kept since its end. */
export function deleteTaskWebhooks(database: D1Database, taskId: string): Promise<void> {
  return deleteEndedPushConfigs(getDatabase(database), taskId);
}
