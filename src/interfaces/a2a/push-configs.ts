import * as z from "zod";
import type { StoredWebhook } from "../../events/model/webhook.ts";
import { createKeyLimitFailure } from "../../keys/model/key-limits.ts";
import { sha256Hex, signHmac } from "../../platform/crypto/hash.ts";
import { removeWebhook } from "../../events/webhooks/manage-webhooks.ts";
import {
  canAddTaskWebhook,
  readTaskWebhook,
  readTaskWebhooks,
  saveTaskWebhook,
} from "../../events/webhooks/task-webhooks.ts";
import { formatA2aTaskId, type A2aTaskRef } from "./task-run.ts";
import { createFieldFailure } from "../../kernel/failure.ts";
import type { JsonObject, Json } from "../../kernel/json.ts";
import { A2A_PUSH_CONFIGS_MAX } from "./limits.ts";
import { preview as quoted, fail, ok, type Result } from "../../kernel/result.ts";
import { createEgress } from "../../platform/egress/egress.ts";
import type { A2aCallContext } from "./call-context.ts";
import { toRequestFailure, type A2aRequestFailure } from "./failures.ts";
import { findA2aTask } from "./tasks.ts";
import type { CreatePushConfigParams } from "./schemas.ts";
import { openWebhookSettings } from "../../events/webhooks/settings.ts";
import type { SealEnv } from "../../platform/crypto/seal.ts";

type PushConfigInput = Omit<CreatePushConfigParams, "taskId">;

/** A stored configuration: a webhook of the format "a2a" with its unsealed settings. */
interface StoredPushConfig {
  readonly webhook: StoredWebhook;
  readonly settings: PushSettings;
}

/** Checks that notifications may be sent to the URL of a configuration. */
export async function checkPushUrl(
  { env }: A2aCallContext,
  { url }: PushConfigInput,
  path = "",
): Promise<Result<null, A2aRequestFailure>> {
  const checked = await createEgress(env).checkUrl(url, true);
  return checked.ok
    ? ok(null)
    : fail(toRequestFailure(createFieldFailure(`${path}url`, checked.failure)));
}

/**
 * Rejects a message with a configuration above the key's limit before the message has an effect. `savePushConfig`
 * checks the limit again. `addressed` returns the message's task, or null if the message starts a new run.
 */
export async function checkPushLimit(
  call: A2aCallContext,
  config: PushConfigInput,
  addressed: () => Promise<A2aTaskRef | null>,
): Promise<Result<null, A2aRequestFailure>> {
  const { env, key } = call;
  const max = key.limits?.pushConfigurations;
  if (max === undefined || (await canAddTaskWebhook(env, key.id, max))) return ok(null);
  const ref = await addressed();
  const exceeded = keyLimitFailure(key.id, max);
  if (ref === null) return fail(exceeded);
  // A configuration that exists is replaced, so a repeated message is not rejected.
  const { configId } = buildPushSettings(call, ref, config);
  const existing = await readTaskWebhook(env, await pushWebhookIdOf(ref, configId));
  return existing?.createdBy === key.id ? ok(null) : fail(exceeded);
}

/** CreateTaskPushNotificationConfig. Replaces a configuration with the same id. */
export async function createPushConfig(
  call: A2aCallContext,
  { taskId, ...config }: CreatePushConfigParams,
): Promise<Result<object, A2aRequestFailure>> {
  const found = await findA2aTask(call, taskId);
  if (!found.ok) return found;
  const { ref, view, isOpen } = found.value;
  if (!isOpen) {
    const message = `A task that is ${view.task.status} no longer changes, so there is nothing to notify.`;
    return fail({ name: "unsupported_operation", message });
  }
  const checked = await checkPushUrl(call, config);
  if (!checked.ok) return checked;
  const opened = await savePushConfig(call, ref, config);
  return opened.ok ? ok(toPushConfigView(ref, opened.value)) : opened;
}

/** Saves a configuration. Replaces one with the same id. */
export async function savePushConfig(
  call: A2aCallContext,
  ref: A2aTaskRef,
  config: PushConfigInput,
): Promise<Result<StoredPushConfig, A2aRequestFailure>> {
  const { env, key } = call;
  const settings = buildPushSettings(call, ref, config);
  const id = await pushWebhookIdOf(ref, settings.configId);
  const existing = await readTaskWebhook(env, id);
  if (existing !== null && existing.url === config.url && existing.enabled) {
    const stored = await unsealPushSettings(env, existing);
    const isSame = JSON.stringify(stored) === JSON.stringify(settings);
    if (isSame) return ok({ webhook: existing, settings });
  }
  const max = key.limits?.pushConfigurations;
  const limits = {
    countMax: A2A_PUSH_CONFIGS_MAX,
    ...(max === undefined ? {} : { webhooksPerKeyMax: max }),
  };
  const webhook = { id, url: config.url, taskId: ref.taskId, settings, createdBy: key.id };
  const saved = await saveTaskWebhook(env, webhook, limits);
  if (!saved.ok) return fail(toRequestFailure(saved.failure));
  if (saved.value === null) {
    const ofTask = await readTaskWebhooks(env, ref.taskId);
    if (max !== undefined && ofTask.length < A2A_PUSH_CONFIGS_MAX)
      return fail(keyLimitFailure(key.id, max));
    const message = `A task may have at most ${A2A_PUSH_CONFIGS_MAX} push notification configurations; delete one first.`;
    return fail({ name: "exhausted", message });
  }
  // A task that ended during the request sends no more notifications.
  const found = await findA2aTask(call, formatA2aTaskId(ref));
  if (found.ok && !found.value.isOpen) await removeWebhook(env, "a2a", id);
  return ok({ webhook: saved.value, settings });
}

export async function getPushConfig(
  call: A2aCallContext,
  { taskId, id }: { readonly taskId: string; readonly id: string },
): Promise<Result<object, A2aRequestFailure>> {
  const found = await findA2aTask(call, taskId);
  if (!found.ok) return found;
  const { ref } = found.value;
  const stored = (await listStoredPushConfigs(call, ref)).find(
    ({ settings }) => settings.configId === id,
  );
  if (stored !== undefined) return ok(toPushConfigView(ref, stored));
  const message = `The task has no push notification configuration ${quoted(id)}.`;
  return fail({ name: "task_not_found", message });
}

export async function listPushConfigs(
  call: A2aCallContext,
  { taskId }: { readonly taskId: string },
): Promise<Result<object, A2aRequestFailure>> {
  const found = await findA2aTask(call, taskId);
  if (!found.ok) return found;
  const { ref } = found.value;
  const stored = await listStoredPushConfigs(call, ref);
  return ok({ configs: stored.map((one) => toPushConfigView(ref, one)), nextPageToken: "" });
}

/** Succeeds also if the configuration does not exist. */
export async function deletePushConfig(
  call: A2aCallContext,
  { taskId, id }: { readonly taskId: string; readonly id: string },
): Promise<Result<object, A2aRequestFailure>> {
  const found = await findA2aTask(call, taskId);
  if (!found.ok) return found;
  await removeWebhook(call.env, "a2a", await pushWebhookIdOf(found.value.ref, id));
  return ok({});
}

async function listStoredPushConfigs(
  { env }: A2aCallContext,
  { taskId, run }: A2aTaskRef,
): Promise<StoredPushConfig[]> {
  const webhooks = await readTaskWebhooks(env, taskId);
  const all = await Promise.all(
    webhooks.map(async (webhook) => {
      const settings = await unsealPushSettings(env, webhook);
      return settings?.life === run ? [{ webhook, settings }] : [];
    }),
  );
  return all.flat();
}

/** A configuration without its secrets. */
function toPushConfigView(ref: A2aTaskRef, { webhook, settings }: StoredPushConfig): JsonObject {
  const { configId, authentication } = settings;
  return {
    taskId: formatA2aTaskId(ref),
    id: configId,
    url: webhook.url,
    ...(authentication === null ? {} : { authentication: { scheme: authentication.scheme } }),
  };
}

function keyLimitFailure(id: string, max: number): A2aRequestFailure {
  return toRequestFailure(createKeyLimitFailure({ id, max }, "pushConfigurations"));
}

const WEBHOOK_ID_HASH_CHARACTERS = 32;

/** The id of a configuration's webhook; always the same, so that concurrent requests change one row. */
async function pushWebhookIdOf(ref: A2aTaskRef, configId: string): Promise<string> {
  const hash = await sha256Hex(JSON.stringify(["a2a", formatA2aTaskId(ref), configId]));
  return `whk_${hash.slice(0, WEBHOOK_ID_HASH_CHARACTERS)}`;
}

const pushSettingsSchema = z.object({
  configId: z.string(),
  life: z.number(),
  origin: z.string(),
  keyId: z.string(),
  token: z.string().nullable(),
  authentication: z.object({ scheme: z.string(), credentials: z.string() }).nullable(),
});

/**
 * The sealed settings of a webhook of the format "a2a": the configuration's id within its task, its run (`life`), the
 * origin of links, the key that created it, and the secrets that authenticate us to the receiver.
 */
export type PushSettings = Readonly<z.infer<typeof pushSettingsSchema>>;

/**
 * The settings of a requested configuration. Without an id, a signature of its content is the id, so that a
 * configuration that a client repeats with each message is stored once.
 */
function buildPushSettings(
  { env, key, origin }: Pick<A2aCallContext, "env" | "key" | "origin">,
  { run }: A2aTaskRef,
  { id, url, token, authentication }: PushConfigInput,
): PushSettings {
  const known = {
    token: token ?? null,
    authentication:
      authentication === undefined
        ? null
        : { scheme: authentication.scheme, credentials: authentication.credentials ?? "" },
  };
  const configId =
    id === undefined || id === ""
      ? `push-${signHmac(env.SIGNING_KEY, "push-config", JSON.stringify([key.id, url, known]))}`
      : id;
  return { configId, life: run, origin, keyId: key.id, ...known };
}

/** The settings that `savePushConfig` sealed; null for anything else. */
export function parsePushSettings(settings: Json): PushSettings | null {
  const read = pushSettingsSchema.safeParse(settings);
  return read.success ? read.data : null;
}

/** The settings in a row; null if they cannot be opened. */
async function unsealPushSettings(
  env: SealEnv,
  { id, sealed }: StoredWebhook,
): Promise<PushSettings | null> {
  const opened: Result<Json, string> = await openWebhookSettings(env, id, sealed);
  return opened.ok ? parsePushSettings(opened.value) : null;
}
