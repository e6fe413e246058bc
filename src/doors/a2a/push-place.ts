import { sha256 } from "../../bytes/sha256.ts";
import { database } from "../../db/client.ts";
import { webhookOf } from "../../webhooks/port.ts";
import { openWebhook } from "../../webhooks/register.ts";
import { replaceWebhook, type StoredWebhook } from "../../webhooks/store.ts";
import { idOf, type Address } from "./ids.ts";

const ID_CHARACTERS = 32;

/** The webhook of a configuration: always the same, so that two requests at once are about one row. */
export async function webhookIdOf(address: Address, configId: string): Promise<string> {
  const hash = await sha256(JSON.stringify(["a2a", idOf(address), configId]));
  return `whk_${hash.slice(0, ID_CHARACTERS)}`;
}

/**
 * Puts a webhook of a task in, or gives the one of its id the new settings: there is never none, and
 * never two. False when `countMax` of the task are there already.
 */
export async function putWebhook(
  env: Env,
  webhook: StoredWebhook,
  countMax: number,
): Promise<boolean> {
  if (await replaced(env, webhook)) return true;
  try {
    if (await openWebhook(env, webhook, { countMax })) return true;
  } catch (fault) {
    // Another request may have put the same one in meanwhile.
    if (await replaced(env, webhook)) return true;
    throw fault;
  }
  return replaced(env, webhook);
}

async function replaced(env: Env, webhook: StoredWebhook): Promise<boolean> {
  if (!(await replaceWebhook(database(env.DB), webhook))) return false;
  await webhookOf(env.WEBHOOKS, webhook.id).changed(webhook.id);
  return true;
}
