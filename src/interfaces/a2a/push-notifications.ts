import * as z from "zod";
import {
  type DeleteTaskPushNotificationConfigRequest,
  type GetTaskPushNotificationConfigRequest,
  type ListTaskPushNotificationConfigsRequest,
  type ListTaskPushNotificationConfigsResponse,
  StreamResponse,
  type TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import { TaskNotFoundError } from "@a2a-js/sdk/errors";
import type { StoredWebhook } from "../../events/model/webhook.ts";
import { removePushConfig } from "../../events/webhooks/remove-webhook.ts";
import type { PushMessageWriter } from "../../events/webhooks/message.ts";
import { openWebhookSettings } from "../../events/webhooks/settings.ts";
import {
  canAddTaskWebhook,
  catchUpTaskWebhook,
  readFeedPosition,
  readTaskWebhook,
  readTaskWebhooks,
  saveTaskWebhook,
} from "../../events/webhooks/task-webhooks.ts";
import type { Json } from "../../kernel/json.ts";
import { preview } from "../../kernel/result.ts";
import { findActiveKey } from "../../keys/authenticate.ts";
import { createKeyLimitFailure } from "../../keys/model/key-limits.ts";
import { sha256Hex, signHmac } from "../../platform/crypto/hash.ts";
import type { SealEnv } from "../../platform/crypto/seal.ts";
import { createEgress } from "../../platform/egress/egress.ts";
import { outcomeOf } from "../../tasks/model/task.ts";
import type { A2aCallContext } from "./call-context.ts";
import { ServiceError, invalidParam, orThrow, toRequestError } from "./errors.ts";
import { A2A_PUSH_CONFIGS_MAX } from "./limits.ts";
import { type A2aTaskRef, formatA2aTaskId } from "./task-run.ts";
import { a2aStateOf, isTerminalState } from "./task-state.ts";
import { findA2aTask, lookUpA2aTask, readA2aTaskViews } from "./tasks.ts";
import { buildA2aTask, toStatusUpdate } from "./view.ts";

/** Checks that notifications may be sent to a configuration's URL. */
export async function checkPushUrl(
  { env }: A2aCallContext,
  { url }: TaskPushNotificationConfig,
  path = "",
): Promise<void> {
  const checked = await createEgress(env).checkUrl(url, true);
  if (!checked.ok) throw invalidParam(`${path}url`, checked.failure);
}

/**
 * Rejects a message whose configuration would exceed the key's limit, before the message takes effect. `savePushConfig`
 * checks the limit again. `addressed` returns the message's task, or null if the message starts a new run.
 */
export async function checkPushLimit(
  call: A2aCallContext,
  config: TaskPushNotificationConfig,
  addressed: () => Promise<A2aTaskRef | null>,
): Promise<void> {
  const { env, key } = call;
  const max = key.limits?.pushConfigurations;
  if (max === undefined || (await canAddTaskWebhook(env, key.id, max))) return;
  const ref = await addressed();
  if (ref === null) throw keyLimitError(key.id, max);
  // Allow a repeated message, which replaces its configuration. Configurations of ended tasks do not count.
  const { configId } = buildPushSettings(call, ref, config);
  const existing = await readTaskWebhook(env, await pushWebhookIdOf(ref, configId));
  const isAllowed =
    existing?.createdBy === key.id || (await lookUpA2aTask(call, ref))?.isOpen === false;
  if (!isAllowed) throw keyLimitError(key.id, max);
}

/** CreateTaskPushNotificationConfig. Replaces any configuration with the same id. */
export async function createPushConfig(
  call: A2aCallContext,
  config: TaskPushNotificationConfig,
): Promise<TaskPushNotificationConfig> {
  const { view } = await findA2aTask(call, config.taskId);
  await checkPushUrl(call, config, call.version === "0.3" ? "pushNotificationConfig." : "");
  return toPushConfig(view, config.url, await savePushConfig(call, view, config));
}

/** Saves a configuration, replacing any with the same id. For an ended task, no notifications are sent. */
export async function savePushConfig(
  call: A2aCallContext,
  ref: A2aTaskRef,
  config: TaskPushNotificationConfig,
): Promise<PushSettings> {
  const { env, key } = call;
  const { url } = config;
  const { taskId } = ref;
  const settings = buildPushSettings(call, ref, config);
  const id = await pushWebhookIdOf(ref, settings.configId);
  const existing = await readTaskWebhook(env, id);
  const isSame =
    existing?.url === url &&
    JSON.stringify(await unsealPushSettings(env, existing)) === JSON.stringify(settings);
  if (isSame && existing.enabled) return settings;
  // Read the position before the task, so that an open task's webhook receives the event that ends the task.
  const start = await readFeedPosition(env);
  const { isOpen } = await findA2aTask(call, formatA2aTaskId(ref));
  if (isSame && !isOpen) return settings;
  const isCounted = isOpen || existing?.enabled === true;
  const max = isCounted ? key.limits?.pushConfigurations : undefined;
  const limits = {
    countMax: A2A_PUSH_CONFIGS_MAX,
    ...(max === undefined ? {} : { webhooksPerKeyMax: max }),
  };
  const webhook = { id, url, taskId, settings, createdBy: key.id, enabled: isOpen, start };
  if (orThrow(await saveTaskWebhook(env, webhook, limits)) === null) {
    const ofTask = await readTaskWebhooks(env, taskId);
    if (max !== undefined && ofTask.length < A2A_PUSH_CONFIGS_MAX) throw keyLimitError(key.id, max);
    const message = `A task can have at most ${A2A_PUSH_CONFIGS_MAX} push notification configurations. Delete one first.`;
    throw new ServiceError("RESOURCE_EXHAUSTED", message);
  }
  if (isOpen && !(await findA2aTask(call, formatA2aTaskId(ref))).isOpen) {
    await catchUpTaskWebhook(env, id);
  }
  return settings;
}

/** Returns the oldest configuration if no id is given, which A2A 0.3 allows. */
export async function getPushConfig(
  call: A2aCallContext,
  { taskId, id }: GetTaskPushNotificationConfigRequest,
): Promise<TaskPushNotificationConfig> {
  const { configs } = await listPushConfigs(call, { taskId });
  const found = configs.find((config) => id === "" || config.id === id);
  if (found !== undefined) return found;
  throw new TaskNotFoundError(`The task has no push notification configuration ${preview(id)}.`);
}

export async function listPushConfigs(
  call: A2aCallContext,
  { taskId }: Pick<ListTaskPushNotificationConfigsRequest, "taskId">,
): Promise<ListTaskPushNotificationConfigsResponse> {
  const { view } = await findA2aTask(call, taskId);
  const webhooks = await readTaskWebhooks(call.env, view.taskId);
  const configs = await Promise.all(
    webhooks.map(async (webhook) => {
      const settings = await unsealPushSettings(call.env, webhook);
      return settings?.life === view.run ? [toPushConfig(view, webhook.url, settings)] : [];
    }),
  );
  return { configs: configs.flat(), nextPageToken: "" };
}

/** Succeeds even if the configuration does not exist. */
export async function deletePushConfig(
  call: A2aCallContext,
  { taskId, id }: DeleteTaskPushNotificationConfigRequest,
): Promise<void> {
  const { view } = await findA2aTask(call, taskId);
  await removePushConfig(call.env, await pushWebhookIdOf(view, id));
}

/** A configuration without its secrets. */
function toPushConfig(
  ref: A2aTaskRef,
  url: string,
  { configId, authentication }: PushSettings,
): TaskPushNotificationConfig {
  return {
    tenant: "",
    taskId: formatA2aTaskId(ref),
    id: configId,
    url,
    token: "",
    authentication:
      authentication === null ? undefined : { scheme: authentication.scheme, credentials: "" },
  };
}

function keyLimitError(id: string, max: number): Error {
  return toRequestError(createKeyLimitFailure({ id, max }, "pushConfigurations"));
}

const WEBHOOK_ID_HASH_CHARACTERS = 32;

/** The id of a configuration's webhook. It is deterministic, so concurrent requests change the same row. */
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
  /** Absent for A2A 1.0. */
  version: z.literal("0.3").optional(),
});

/**
 * The sealed settings of an "a2a" webhook: the id of the configuration within its task, the run that it is for
 * (`life`), the origin for links, the key that created the configuration, the secrets that authenticate the service to
 * the receiver, and the A2A version.
 */
type PushSettings = Readonly<z.infer<typeof pushSettingsSchema>>;

/**
 * The settings for a requested configuration. If the client specifies no id, the id is an HMAC of the content, so a
 * configuration that is repeated with each message is stored only once per task.
 */
function buildPushSettings(
  { env, key, origin, version }: A2aCallContext,
  { run }: A2aTaskRef,
  { id, url, token, authentication }: TaskPushNotificationConfig,
): PushSettings {
  const known = { token: token === "" ? null : token, authentication: authentication ?? null };
  const configId =
    id === ""
      ? `push-${signHmac(env.SIGNING_KEY, "push-config", JSON.stringify([key.id, url, known]))}`
      : id;
  const legacy = version === "0.3" ? { version } : {};
  return { configId, life: run, origin, keyId: key.id, ...known, ...legacy };
}

/** The settings that `savePushConfig` sealed; null for anything else. */
function parsePushSettings(settings: Json): PushSettings | null {
  return pushSettingsSchema.safeParse(settings).data ?? null;
}

/** The settings of a stored webhook; null if they cannot be unsealed. */
async function unsealPushSettings(
  env: SealEnv,
  { id, sealed }: StoredWebhook,
): Promise<PushSettings | null> {
  const opened = await openWebhookSettings(env, id, sealed);
  return opened.ok ? parsePushSettings(opened.value) : null;
}

/**
 * Writes a push notification (section 4.3.3): the whole task if its results are available, otherwise its new status.
 * The notification shows what the configuration's key may see of the task as of the event. If the key is no longer
 * active, the webhook is deleted.
 */
export const writePushMessage: PushMessageWriter = async (env, event, sealed) => {
  const settings = parsePushSettings(sealed);
  const key = settings === null ? null : await findActiveKey(env, settings.keyId);
  if (settings === null || key === null) return "end";
  if (event.taskId === null || event.approvalId !== undefined) return null;
  const views = await readA2aTaskViews({ env, key }, event.taskId, event.seq);
  // The task was deleted, or the key may no longer see it.
  if (!views.ok) return "end";
  const view = views.value.at(-1);
  // The configuration is for one run, and not every event is an A2A update.
  if (view?.run !== settings.life) return null;
  if (view.lastUpdate.seq !== event.seq) return null;
  const task = buildA2aTask({ env, origin: settings.origin }, view, 0);
  const isDelivery = outcomeOf(view.task) !== null;
  const response: StreamResponse = isDelivery
    ? { payload: { $case: "task", value: task } }
    : toStatusUpdate(view);
  const { token, authentication } = settings;
  const headers = {
    "Content-Type": "application/a2a+json",
    "User-Agent": "Bosun-A2A/1",
    ...(token === null ? {} : { "X-A2A-Notification-Token": token }),
    ...(authentication === null
      ? {}
      : { Authorization: `${authentication.scheme} ${authentication.credentials}`.trim() }),
  };
  const isLast = isTerminalState(a2aStateOf(view.task));
  if (settings.version !== "0.3")
    return { headers, body: JSON.stringify(StreamResponse.toJSON(response)), isLast };
  // An A2A 0.3 client receives the whole task in each notification.
  const { V03PushNotificationSerializer } = await import("@a2a-js/sdk/compat/v0_3/server");
  const { body, contentType } = new V03PushNotificationSerializer().serialize(response, task);
  return { headers: { ...headers, "Content-Type": contentType }, body, isLast };
};
