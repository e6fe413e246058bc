import { database } from "../../db/client.ts";
import { invalid } from "../../domain/failure.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { Key } from "../../domain/key.ts";
import { A2A_PUSH_CONFIGS_MAX } from "../../domain/limits.ts";
import { shown as quoted } from "../../domain/problem.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { TaskStatus } from "../../domain/task.ts";
import { egressOf } from "../../egress/egress.ts";
import { removeWebhook } from "../../webhooks/register.ts";
import { sealSettings } from "../../webhooks/secret.ts";
import {
  findWebhook,
  hasRoomForPush,
  webhooksOfTask,
  type StoredWebhook,
} from "../../webhooks/store.ts";
import type { Door } from "./door.ts";
import { faultOf, faultOfFailure, type Fault } from "./faults.ts";
import { idOf, type Address } from "./ids.ts";
import { findTask } from "./log.ts";
import { putWebhook, webhookIdOf } from "./push-place.ts";
import { settingsFor, settingsOf, type PushSettings } from "./push-settings.ts";
import { isOver, stateOf } from "./states.ts";
import type { CreateConfigParams } from "./wire.ts";

type Config = Omit<CreateConfigParams, "taskId">;

/** A configuration as it is kept: a webhook of the format "a2a", and what lies sealed in it. */
interface Kept {
  readonly webhook: StoredWebhook;
  readonly settings: PushSettings;
}

/** Whether notifications may go to where a configuration says. */
export async function checkPush(
  { env }: Door,
  { url }: Config,
  path = "",
): Promise<Result<null, Fault>> {
  const checked = await egressOf(env).check(url, true);
  return checked.ok ? ok(null) : fail(faultOfFailure(invalid(`${path}url`, checked.failure)));
}

/**
 * Rejects a message with a configuration above the key's limit before the message has an effect. `openPush`
 * checks the limit again. `addressed` returns the message's task, or null if the message starts a new life.
 */
export async function checkPushLimit(
  door: Door,
  config: Config,
  addressed: () => Promise<Address | null>,
): Promise<Result<null, Fault>> {
  const { env, key } = door;
  const max = key.limits?.pushConfigurations;
  const db = database(env.DB);
  if (max === undefined || (await hasRoomForPush(db, key.id, max))) return ok(null);
  const address = await addressed();
  if (address === null) return fail(tooMany(key, max));
  // A configuration that exists is replaced, so a repeated message is not rejected.
  const { configId } = settingsFor(door, address, config);
  const before = await findWebhook(db, await webhookIdOf(address, configId));
  return before?.createdBy === key.id ? ok(null) : fail(tooMany(key, max));
}

/** CreateTaskPushNotificationConfig. One of the same id is replaced. */
export async function createConfig(
  door: Door,
  { taskId, ...config }: CreateConfigParams,
): Promise<Result<object, Fault>> {
  const found = await findTask(door, taskId);
  if (!found.ok) return found;
  const { address, life, isLast } = found.value;
  if (!isLast || isOver(stateOf(life.task))) return fail(over(life.task.status));
  const checked = await checkPush(door, config);
  if (!checked.ok) return checked;
  const opened = await openPush(door, address, config);
  return opened.ok ? ok(configView(address, opened.value)) : opened;
}

/** Puts a configuration in, in the place of one of the same id. */
export async function openPush(
  door: Door,
  address: Address,
  config: Config,
): Promise<Result<Kept, Fault>> {
  const { env, key } = door;
  const settings = settingsFor(door, address, config);
  const id = await webhookIdOf(address, settings.configId);
  const before = await findWebhook(database(env.DB), id);
  if (before !== null && before.url === config.url && before.enabled) {
    const kept = await settingsOf(env, before);
    const isSame = JSON.stringify(kept) === JSON.stringify(settings);
    if (isSame) return ok({ webhook: before, settings });
  }
  const sealed = await sealSettings(env, id, settings);
  if (!sealed.ok) return fail(faultOfFailure(sealed.failure));
  const webhook: StoredWebhook = {
    id,
    format: "a2a",
    url: config.url,
    description: "",
    types: null,
    template: null,
    headerNames: null,
    agentId: null,
    teamId: null,
    taskId: address.taskId,
    sealed: sealed.value,
    enabled: true,
    disabledReason: null,
    disabledAt: null,
    createdBy: key.id,
    createdAt: Date.now(),
  };
  const max = key.limits?.pushConfigurations;
  const limits = {
    countMax: A2A_PUSH_CONFIGS_MAX,
    ...(max === undefined ? {} : { countAKeyMax: max }),
  };
  if (!(await putWebhook(env, webhook, limits))) {
    const ofTask = await webhooksOfTask(database(env.DB), "a2a", address.taskId);
    if (max !== undefined && ofTask.length < A2A_PUSH_CONFIGS_MAX) return fail(tooMany(key, max));
    const message = `A task may have at most ${A2A_PUSH_CONFIGS_MAX} push notification configurations; delete one first.`;
    return fail(faultOf("exhausted", message));
  }
  // The end of a task that has ended meanwhile is told to nobody: there is nothing to wait for.
  const found = await findTask(door, idOf(address));
  if (found.ok && (!found.value.isLast || isOver(stateOf(found.value.life.task)))) {
    await removeWebhook(env, "a2a", id);
  }
  return ok({ webhook, settings });
}

function tooMany({ id: keyId }: Key, max: number): Fault {
  const limit = "pushConfigurations";
  return faultOfFailure({ kind: "key_limit_reached", keyId, limit, max, retryAfterSeconds: null });
}

export async function getConfig(
  door: Door,
  { taskId, id }: { readonly taskId: string; readonly id: string },
): Promise<Result<object, Fault>> {
  const found = await findTask(door, taskId);
  if (!found.ok) return found;
  const { address } = found.value;
  const kept = (await keptOf(door, address)).find(({ settings }) => settings.configId === id);
  if (kept !== undefined) return ok(configView(address, kept));
  const message = `The task has no push notification configuration ${quoted(id)}.`;
  return fail(faultOf("task_not_found", message));
}

export async function listConfigs(
  door: Door,
  { taskId }: { readonly taskId: string },
): Promise<Result<object, Fault>> {
  const found = await findTask(door, taskId);
  if (!found.ok) return found;
  const { address } = found.value;
  const kept = await keptOf(door, address);
  return ok({ configs: kept.map((one) => configView(address, one)), nextPageToken: "" });
}

/** Deleting what is not there is as good as deleting it. */
export async function deleteConfig(
  door: Door,
  { taskId, id }: { readonly taskId: string; readonly id: string },
): Promise<Result<object, Fault>> {
  const found = await findTask(door, taskId);
  if (!found.ok) return found;
  await removeWebhook(door.env, "a2a", await webhookIdOf(found.value.address, id));
  return ok({});
}

async function keptOf({ env }: Door, { taskId, life }: Address): Promise<Kept[]> {
  const webhooks = await webhooksOfTask(database(env.DB), "a2a", taskId);
  const all = await Promise.all(
    webhooks.map(async (webhook) => ({ webhook, settings: await settingsOf(env, webhook) })),
  );
  return all.flatMap(({ webhook, settings }) =>
    settings?.life === life ? [{ webhook, settings }] : [],
  );
}

/** What was secret in it is not told again. */
function configView(address: Address, { webhook, settings }: Kept): JsonObject {
  const { configId, authentication } = settings;
  return {
    taskId: idOf(address),
    id: configId,
    url: webhook.url,
    ...(authentication === null ? {} : { authentication: { scheme: authentication.scheme } }),
  };
}

function over(status: TaskStatus): Fault {
  const message = `A task that is ${status} never changes any more, so there is nothing to notify of.`;
  return faultOf("unsupported_operation", message);
}
