import { sha256 } from "../../bytes/sha256.ts";
import { database } from "../../db/client.ts";
import { webhookOf } from "../../webhooks/port.ts";
import { openWebhook } from "../../webhooks/register.ts";
import { replaceWebhook, type StoredWebhook, type WebhookLimits } from "../../webhooks/store.ts";
import { idOf, type Address } from "./ids.ts";

const ID_CHARACTERS = 32;

/** The webhook of a configuration: always the same, so that two requests at once are about one row. */
export async function webhookIdOf(address: Address, configId: string): Promise<string> {
  const hash = await sha256(JSON.stringify(["a2a", idOf(address), configId]));
  return `whk_${hash.slice(0, ID_CHARACTERS)}`;
}

/**
 * Inserts a task's webhook, or updates the one with the same id: there is always exactly one. False if the
 * task or the creating key has reached its limit.
 */
export async function putWebhook(
  env: Env,
  webhook: StoredWebhook,
  limits: WebhookLimits,
): Promise<boolean> {
  if (await replaced(env, webhook, limits)) return true;
  try {
    if (await openWebhook(env, webhook, limits)) return true;
  } catch (fault) {
    // Another request may have put the same one in meanwhile.
    if (await replaced(env, webhook, limits)) return true;
    throw fault;
  }
  return replaced(env, webhook, limits);
}

async function replaced(
  env: Env,
  webhook: StoredWebhook,
  { countAKeyMax }: WebhookLimits,
): Promise<boolean> {
  if (!(await replaceWebhook(database(env.DB), webhook, countAKeyMax))) return false;
  await webhookOf(env.WEBHOOKS, webhook.id).changed(webhook.id);
  return true;
}
