import { database } from "../db/client.ts";
import { invalid, type Failure } from "../domain/failure.ts";
import { hex } from "../domain/hex.ts";
import { WEBHOOKS_MAX } from "../domain/limits.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { WebhookFormat } from "../domain/webhook.ts";
import { egressOf } from "../egress/egress.ts";
import { feedOf } from "../events/port.ts";
import { knownBinding } from "../keys/store.ts";
import { webhookOf } from "./port.ts";
import { mintSecret, sealSettings, type StandardSettings } from "./secret.ts";
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  updateWebhook,
  type StoredWebhook,
} from "./store.ts";
import type { ChangeWebhookBody, CreateWebhookBody } from "./wire.ts";

export type WebhookEnv = Pick<
  Env,
  "DB" | "FEED" | "WEBHOOKS" | "CREDENTIALS_KEY" | "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL"
>;

const ID_BYTES = 8;

/** A webhook with its secret, which is shown this once. */
export interface Created {
  readonly webhook: StoredWebhook;
  readonly secret: string;
}

/** The id of a new webhook, of whatever format: random, so that nobody guesses one. */
export function mintWebhookId(): string {
  return `whk_${hex(crypto.getRandomValues(new Uint8Array(ID_BYTES)))}`;
}

/** Makes a standard webhook, which is told of what happens from now on. */
export async function createWebhook(
  env: WebhookEnv,
  body: CreateWebhookBody,
  createdBy: string,
): Promise<Result<Created, Failure>> {
  const { url, description, types = null, agentId = null, teamId = null } = body;
  const checked = await check(env, { url, agentId, teamId });
  if (!checked.ok) return checked;
  const id = mintWebhookId();
  const secret = body.secret ?? mintSecret();
  const settings: StandardSettings = { secrets: [{ secret, until: null }] };
  const sealed = await sealSettings(env, id, settings);
  if (!sealed.ok) return sealed;
  const webhook: StoredWebhook = {
    id,
    format: "standard",
    url,
    description,
    types,
    agentId,
    teamId,
    taskId: null,
    sealed: sealed.value,
    enabled: true,
    disabledReason: null,
    disabledAt: null,
    createdBy,
    createdAt: Date.now(),
  };
  const isOpen = await openWebhook(env, webhook, WEBHOOKS_MAX);
  return isOpen ? ok({ webhook, secret }) : fail({ kind: "too_many_webhooks" });
}

/**
 * Puts a webhook of any format into the registry and lets it begin at the feed's end; false when
 * `countMax` of its format (and its task, where it has one) are there already.
 */
export async function openWebhook(
  env: WebhookEnv,
  webhook: StoredWebhook,
  countMax: number,
): Promise<boolean> {
  const object = webhookOf(env.WEBHOOKS, webhook.id);
  // It has its place before anybody can know of it, so that nothing is missed of what comes after.
  await object.begin(webhook.id, await feedOf(env.FEED).last());
  if (!(await insertWebhook(database(env.DB), webhook, countMax))) {
    await object.close();
    return false;
  }
  await tell(env, webhook, true);
  return true;
}

/** Changes what is given of a standard webhook. One that is enabled again begins at the feed's end. */
export async function changeWebhook(
  env: WebhookEnv,
  id: string,
  body: ChangeWebhookBody,
): Promise<Result<StoredWebhook, Failure>> {
  const before = await findStandard(env, id);
  if (!before.ok) return before;
  // One that is enabled again must have an address that messages may go to.
  const url = body.url ?? (body.enabled === true ? before.value.url : undefined);
  const checked = await check(env, { ...body, url });
  if (!checked.ok) return checked;
  const object = webhookOf(env.WEBHOOKS, id);
  const isRefiltered = [body.types, body.agentId, body.teamId].some((one) => one !== undefined);
  if (isRefiltered) await object.catchUp(id);
  if (body.enabled === true) await object.begin(id, await feedOf(env.FEED).last());
  const cleared = body.enabled === true ? { disabledReason: null, disabledAt: null } : {};
  const webhook = await updateWebhook(database(env.DB), id, { ...body, ...cleared });
  if (webhook === null) {
    await object.close();
    return fail(unknown(id));
  }
  await tell(env, webhook, isRefiltered || body.enabled === true);
  return ok(webhook);
}

/** Deletes a webhook of a format with its deliveries; false when there is none. */
export async function removeWebhook(
  env: WebhookEnv,
  format: WebhookFormat,
  id: string,
): Promise<boolean> {
  if (!(await deleteWebhook(database(env.DB), format, id))) return false;
  await attempted(id, webhookOf(env.WEBHOOKS, id).close());
  await attempted(id, feedOf(env.FEED).refresh());
  return true;
}

/** Makes a row known that was written; `isHearing`: of events that it was not told of before. */
async function tell(
  env: WebhookEnv,
  { id, taskId }: StoredWebhook,
  isHearing: boolean,
): Promise<void> {
  const object = webhookOf(env.WEBHOOKS, id);
  await attempted(id, object.changed(id));
  // Those that are for one task are looked up for each event.
  if (taskId === null) await attempted(id, feedOf(env.FEED).refresh());
  // What has come since the row was written, and before the feed knew of that.
  if (isHearing) await attempted(id, object.poke(id));
}

/**
 * The row is the truth and is written, so what follows fails nobody: the feed reads the registry every
 * minute, and an object its row with the next poke or alarm.
 */
async function attempted(webhookId: string, step: Promise<unknown>): Promise<void> {
  try {
    await step;
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : "unknown";
    console.warn({ event: "webhook_not_told", webhookId, reason });
  }
}

export async function findStandard(
  env: Pick<Env, "DB">,
  id: string,
): Promise<Result<StoredWebhook, Failure>> {
  const webhook = await findWebhook(database(env.DB), id);
  return webhook?.format === "standard" ? ok(webhook) : fail(unknown(id));
}

export function unknown(id: string): Failure {
  return { kind: "not_found", what: "webhook", id };
}

/** Whether the guard lets us go to a URL, and there are the agent and the team of a filter. */
async function check(
  env: WebhookEnv,
  { url, agentId = null, teamId = null }: Pick<ChangeWebhookBody, "url" | "agentId" | "teamId">,
): Promise<Result<null, Failure>> {
  const address = url === undefined ? ok(null) : await egressOf(env).check(url, true);
  if (!address.ok) return fail(invalid("url", address.failure));
  if (agentId === null && teamId === null) return ok(null);
  const known = await knownBinding(database(env.DB), { agentId, teamId });
  if (agentId !== null && !known.agent) {
    return fail({ kind: "not_found", what: "agent", id: agentId });
  }
  if (teamId !== null && !known.team) return fail({ kind: "not_found", what: "team", id: teamId });
  return ok(null);
}
