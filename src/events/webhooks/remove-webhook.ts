import { audited } from "../../governance/audit/audited.ts";
import { changeEntry, type Actor } from "../../governance/model/audit-entry.ts";
import { unaudited } from "../../platform/d1/audited-batch.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import { feedStub } from "../feed.rpc.ts";
import { stateOfWebhook } from "./audit-state.ts";
import { findClientWebhook, logFailure, type WebhookEnv } from "./manage-webhooks.ts";
import { webhookStub } from "./webhook.rpc.ts";
import { deleteWebhook } from "./webhooks.store.ts";

/** Deletes a webhook that a client created, with its deliveries; false if there is none. */
export async function removeWebhook(env: WebhookEnv, id: string, by: Actor): Promise<boolean> {
  return removeBy(env, id, () =>
    audited(env, by, async (record) => {
      const before = await findClientWebhook(env, id);
      if (!before.ok) return false;
      const entry = changeEntry("webhook", id, stateOfWebhook(before.value), null);
      return deleteWebhook(getDatabase(env.DB), "standard", id, record(entry));
    }),
  );
}

/** Deletes an A2A configuration, with its deliveries; false if there is none. */
export function removePushConfig(env: WebhookEnv, id: string): Promise<boolean> {
  const db = getDatabase(env.DB);
  return removeBy(env, id, () => deleteWebhook(db, "a2a", id, unaudited(db)));
}

async function removeBy(
  env: WebhookEnv,
  id: string,
  deleteRow: () => Promise<boolean>,
): Promise<boolean> {
  if (!(await deleteRow())) return false;
  await logFailure(id, webhookStub(env.WEBHOOKS, id).deleteState());
  await logFailure(id, feedStub(env.FEED).refreshSubscribers());
  return true;
}
