import type { Failure } from "../../kernel/failure.ts";
import { ok, type Result } from "../../kernel/result.ts";
import { unaudited } from "../../platform/d1/audited-batch.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import type { StoredWebhook, WebhookLimits } from "../model/webhook.ts";
import { subscribeWebhook } from "./manage-webhooks.ts";
import { sealWebhookSettings } from "./settings.ts";
import { feedStub } from "../feed.rpc.ts";
import { webhookStub } from "./webhook.rpc.ts";
import {
  canAddPushConfig,
  findWebhook,
  insertWebhook,
  listTaskWebhooks,
  replaceWebhook,
} from "./webhooks.store.ts";

/**
 * A webhook for one task. `settings` are stored sealed. `start` is a feed position; `enabled` states whether the task
 * was still open when it was read after `start`.
 */
interface TaskWebhook extends Pick<StoredWebhook, "id" | "url" | "createdBy" | "enabled"> {
  readonly taskId: string;
  readonly settings: object;
  readonly start: number;
}

export function readTaskWebhook(env: Pick<Env, "DB">, id: string): Promise<StoredWebhook | null> {
  return findWebhook(getDatabase(env.DB), id);
}

/** The A2A configurations of one task, oldest first. */
export function readTaskWebhooks(
  env: Pick<Env, "DB">,
  taskId: string,
): Promise<readonly StoredWebhook[]> {
  return listTaskWebhooks(getDatabase(env.DB), "a2a", taskId);
}

/** Whether a key can create another A2A configuration. `saveTaskWebhook` checks this again. */
export function canAddTaskWebhook(
  env: Pick<Env, "DB">,
  keyId: string,
  webhooksPerKeyMax: number,
): Promise<boolean> {
  return canAddPushConfig(getDatabase(env.DB), keyId, webhooksPerKeyMax);
}

/** The current end of the feed. Later events have later positions. */
export function readFeedPosition(env: Pick<Env, "FEED">): Promise<number> {
  return feedStub(env.FEED).readLastPosition();
}

/** Makes a webhook read all events so far, because its task may have ended before the webhook was inserted. */
export async function catchUpTaskWebhook(env: Pick<Env, "WEBHOOKS">, id: string): Promise<void> {
  await webhookStub(env.WEBHOOKS, id).catchUp(id);
}

/**
 * Inserts an A2A configuration that receives all events after `start`, or replaces an existing one without missing an
 * event. Null if the task or the creating key has reached its limit. Replacing a configuration never disables it.
 */
export async function saveTaskWebhook(
  env: Env,
  { id, url, taskId, settings, createdBy, enabled, start }: TaskWebhook,
  limits: WebhookLimits,
): Promise<Result<StoredWebhook | null, Failure>> {
  const sealed = await sealWebhookSettings(env, id, settings);
  if (!sealed.ok) return sealed;
  const webhook: StoredWebhook = {
    id,
    format: "a2a",
    url,
    description: "",
    types: null,
    template: null,
    headerNames: null,
    agentId: null,
    teamId: null,
    taskId,
    sealed: sealed.value,
    enabled,
    disabledReason: null,
    disabledAt: null,
    createdBy,
    createdAt: Date.now(),
  };
  const db = getDatabase(env.DB);
  const replace = () => replaceExistingWebhook(env, webhook, limits);
  if (await replace()) return ok(webhook);
  try {
    const insert = () => insertWebhook(db, webhook, limits, unaudited(db));
    if (await subscribeWebhook(env, webhook, insert, start)) return ok(webhook);
  } catch (error) {
    // A concurrent request may have inserted the same webhook.
    if (await replace()) return ok(webhook);
    throw error;
  }
  return ok((await replace()) ? webhook : null);
}

async function replaceExistingWebhook(
  env: Env,
  webhook: StoredWebhook,
  { webhooksPerKeyMax }: WebhookLimits,
): Promise<boolean> {
  if (!(await replaceWebhook(getDatabase(env.DB), webhook, webhooksPerKeyMax))) return false;
  await webhookStub(env.WEBHOOKS, webhook.id).reloadSettings(webhook.id);
  return true;
}
