import { getDatabase } from "../../platform/d1/client.ts";
import { deleteEndedPushConfigs } from "./webhooks.store.ts";

/** Deletes the disabled A2A configurations of a deleted task. */
export function deleteTaskWebhooks(database: D1Database, taskId: string): Promise<void> {
  return deleteEndedPushConfigs(getDatabase(database), taskId);
}
