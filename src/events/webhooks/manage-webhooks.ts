import { randomBytes } from "node:crypto";
import { getDatabase } from "../../platform/d1/client.ts";
import { createConflictFailure, createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { WEBHOOKS_MAX, WEBHOOKS_PER_KEY_MAX } from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import {
  addSigningSecret,
  type SigningSecret,
  type StoredWebhook,
  type WebhookChange,
} from "../model/webhook.ts";
import { createEgress } from "../../platform/egress/egress.ts";
import { feedStub } from "../feed.rpc.ts";
import { checkAgentAndTeam } from "../../agents/read-agent.ts";
import { toClientFormat, type BodySettings } from "./message-body.ts";
import { webhookStub } from "./webhook.rpc.ts";
import {
  toStandardSettings,
  generateSigningSecret,
  headerNamesOf,
  openWebhookSettings,
  sealWebhookSettings,
  type StandardSettings,
} from "./settings.ts";
import {
  countWebhooksOfKey,
  findWebhook,
  insertWebhook,
  replaceSealedSettings,
  updateWebhook,
} from "./webhooks.store.ts";
import type { ChangeWebhookBody, CreateWebhookBody } from "./schemas.ts";
import { stateOfWebhook } from "./audit-state.ts";
import { audited, type AuditEnv } from "../../governance/audit/audited.ts";
import { changeEntry, type Actor } from "../../governance/model/audit-entry.ts";
import { omitUndefined } from "../../kernel/json.ts";
import { ROOT_KEY_ID } from "../../keys/model/key.ts";
import { log } from "../../platform/log.ts";

/** How many webhooks a key can own. The root key belongs to the operator, so only the total limit applies to it. */
function webhookLimitOf(keyId: string): number {
  return keyId === ROOT_KEY_ID ? WEBHOOKS_MAX : WEBHOOKS_PER_KEY_MAX;
}

export type WebhookEnv = Pick<
  Env,
  "DB" | "FEED" | "WEBHOOKS" | "CREDENTIALS_KEY" | "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL"
> &
  AuditEnv;

const WEBHOOK_ID_BYTES = 8;
/** How many times to try a change that conflicts with concurrent changes. */
const CONFLICT_RETRIES_MAX = 5;

/** A webhook with its secret, which is shown only once. */
export interface CreatedWebhook {
  readonly webhook: StoredWebhook;
  readonly secret: string;
}

/** Generates an unguessable id for a webhook of any format. */
export function generateWebhookId(): string {
  return `whk_${randomBytes(WEBHOOK_ID_BYTES).toString("hex")}`;
}

/** Creates a webhook that receives events from now on. */
export async function createWebhook(
  env: WebhookEnv,
  body: CreateWebhookBody,
  by: Actor,
): Promise<Result<CreatedWebhook, Failure>> {
  const { format, url, description, types = null, agentId = null, teamId = null } = body;
  const { template = null, headers = {} } = body;
  const checked = await validateWebhook(env, { url, agentId, teamId }, { format, template });
  if (!checked.ok) return checked;
  const id = generateWebhookId();
  const createdBy = by.keyId;
  const secret = body.secret ?? generateSigningSecret();
  const settings: StandardSettings = { secrets: [{ secret, until: null }], headers };
  const sealed = await sealWebhookSettings(env, id, settings);
  if (!sealed.ok) return sealed;
  const webhook: StoredWebhook = {
    id,
    format,
    url,
    description,
    types,
    template,
    headerNames: headerNamesOf(headers),
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
  const webhooksPerKeyMax = webhookLimitOf(createdBy);
  const limits = { countMax: WEBHOOKS_MAX, webhooksPerKeyMax };
  const entry = changeEntry("webhook", id, null, stateOfWebhook(webhook));
  const insert = () =>
    audited(env, by, (record) =>
      insertWebhook(getDatabase(env.DB), webhook, limits, record(entry)),
    );
  if (await subscribeWebhook(env, webhook, insert)) return ok({ webhook, secret });
  const isOfKey =
    webhooksPerKeyMax < WEBHOOKS_MAX &&
    (await countWebhooksOfKey(getDatabase(env.DB), createdBy)) >= webhooksPerKeyMax;
  const max = isOfKey ? webhooksPerKeyMax : WEBHOOKS_MAX;
  return fail({ kind: "too_many_webhooks", max, isOfKey });
}

/**
 * Adds a webhook of any format to the registry with `insert`, starting after `start` or at the end of the feed; false if
 * `insert` returns false.
 */
export async function subscribeWebhook(
  env: WebhookEnv,
  webhook: StoredWebhook,
  insert: () => Promise<boolean>,
  start?: number,
): Promise<boolean> {
  const object = webhookStub(env.WEBHOOKS, webhook.id);
  // Set the object's position before the webhook is visible, so that it misses no later event.
  await object.startAt(webhook.id, start ?? (await feedStub(env.FEED).readLastPosition()));
  if (!(await insert())) {
    // Another request may have inserted the same id, so the object checks whether the row exists.
    await logFailure(webhook.id, object.reloadSettings(webhook.id));
    return false;
  }
  await notifyChange(env, webhook, true);
  return true;
}

/** Updates a webhook. If it is enabled again, it starts at the end of the feed. */
export async function changeWebhook(
  env: WebhookEnv,
  id: string,
  body: ChangeWebhookBody,
  by: Actor,
): Promise<Result<StoredWebhook, Failure>> {
  const object = webhookStub(env.WEBHOOKS, id);
  const changesFilter = [body.types, body.agentId, body.teamId].some((one) => one !== undefined);
  return retryOnConflict(id, async (round) => {
    const before = await findClientWebhook(env, id);
    if (!before.ok) {
      if (round > 0) await object.deleteState();
      return before;
    }
    const change = await buildChange(env, before.value, body);
    if (!change.ok) return change;
    if (round === 0 && changesFilter && !(await object.catchUp(id))) {
      return fail({ kind: "webhook_behind", webhookId: id });
    }
    if (round === 0 && body.enabled === true)
      await object.startAt(id, await feedStub(env.FEED).readLastPosition());
    const owner = { by: by.keyId, webhooksPerKeyMax: webhookLimitOf(by.keyId) };
    const { sealed, ...fields } = change.value;
    const replaced = {
      addressReplaced: (fields.url ?? before.value.url) === before.value.url ? undefined : true,
      secretsReplaced: sealed === undefined ? undefined : true,
    };
    const db = getDatabase(env.DB);
    const webhook = await audited(env, by, async (record) => {
      const current = await findWebhook(db, id);
      if (current === null) return null;
      const after = { ...stateOfWebhook({ ...current, ...omitUndefined(fields) }), ...replaced };
      const batch = record(changeEntry("webhook", id, stateOfWebhook(current), after));
      return updateWebhook(db, before.value, change.value, owner, batch);
    });
    if (webhook === "full")
      return fail({ kind: "too_many_webhooks", max: owner.webhooksPerKeyMax, isOfKey: true });
    if (webhook === null) return null;
    await notifyChange(env, webhook, changesFilter || body.enabled === true);
    return ok(webhook);
  });
}

/**
 * Sets a new secret for a webhook. Messages are also signed with earlier secrets for a while. If the stored settings
 * cannot be decrypted, the earlier secrets and the headers are lost.
 */
export async function rotateWebhookSecret(
  env: WebhookEnv,
  id: string,
  given: string | undefined,
  by: Actor,
): Promise<Result<readonly [SigningSecret, ...SigningSecret[]], Failure>> {
  const secret = given ?? generateSigningSecret();
  return retryOnConflict(id, async () => {
    const webhook = await findClientWebhook(env, id);
    if (!webhook.ok) return webhook;
    const before = webhook.value.sealed;
    const opened = await openWebhookSettings(env, id, before);
    const known: StandardSettings = opened.ok ? toStandardSettings(opened.value) : { secrets: [] };
    const secrets = addSigningSecret(known.secrets, secret, Date.now());
    const sealed = await sealWebhookSettings(env, id, { ...known, secrets });
    if (!sealed.ok) return sealed;
    const { headers = {} } = known;
    const change = { sealed: sealed.value, headerNames: headerNamesOf(headers) };
    const entry = { action: "webhook.secret_rotated", subjectId: id } as const;
    const isReplaced = await audited(env, by, (record) =>
      replaceSealedSettings(getDatabase(env.DB), webhook.value, change, record(entry)),
    );
    if (!isReplaced) return null;
    await webhookStub(env.WEBHOOKS, id).reloadSettings(id);
    return ok(secrets);
  });
}

/** Retries a change to a webhook while `change` returns null because of a concurrent change. */
async function retryOnConflict<Value>(
  id: string,
  change: (round: number) => Promise<Result<Value, Failure> | null>,
): Promise<Result<Value, Failure>> {
  for (let round = 0; round < CONFLICT_RETRIES_MAX; round += 1) {
    const changed = await change(round);
    if (changed !== null) return changed;
  }
  return fail(createConflictFailure(`The webhook ${id}`));
}

/** The changes that a request body makes to a webhook. */
async function buildChange(
  env: WebhookEnv,
  before: StoredWebhook,
  { headers, ...body }: ChangeWebhookBody,
): Promise<Result<WebhookChange & { readonly sealed?: string }, Failure>> {
  const { template = before.template, format = toClientFormat(before.format) } = body;
  // Enabling a webhook checks its address again.
  const url = body.url ?? (body.enabled === true ? before.url : undefined);
  const changesBody = body.template !== undefined || body.format !== undefined;
  const settings = changesBody ? { format, template } : null;
  const checked = await validateWebhook(env, { ...body, url }, settings);
  if (!checked.ok) return checked;
  const cleared = body.enabled === true ? { disabledReason: null, disabledAt: null } : {};
  const change = { ...body, ...cleared };
  if (headers === undefined) {
    if (before.headerNames === null || !isOtherOrigin(before.url, body.url)) return ok(change);
    const message =
      "must be sent again or set to null, because stored values are not sent to another origin";
    return fail(createFieldFailure("headers", message));
  }
  const opened = await openWebhookSettings(env, before.id, before.sealed);
  if (!opened.ok)
    return fail(createFieldFailure("headers", `cannot be changed. ${opened.failure}`));
  const { secrets } = toStandardSettings(opened.value);
  const sealed = await sealWebhookSettings(env, before.id, { secrets, headers: headers ?? {} });
  if (!sealed.ok) return sealed;
  return ok({ ...change, sealed: sealed.value, headerNames: headerNamesOf(headers ?? {}) });
}

function isOtherOrigin(before: string, after: string | undefined): boolean {
  if (after === undefined) return false;
  const origin = URL.parse(before)?.origin;
  return origin !== URL.parse(after)?.origin;
}

/** Announces a changed row. `mayMissEvents` means that the webhook may match events that it did not match before. */
async function notifyChange(
  env: WebhookEnv,
  { id, taskId }: StoredWebhook,
  mayMissEvents: boolean,
): Promise<void> {
  const object = webhookStub(env.WEBHOOKS, id);
  await logFailure(id, object.reloadSettings(id));
  // The feed does not cache a task's webhooks, so it needs no refresh for them.
  if (taskId === null) await logFailure(id, feedStub(env.FEED).refreshSubscribers());
  // Events may have arrived before the feed knew of the change.
  if (mayMissEvents) await logFailure(id, object.notify(id));
}

/** Notifies webhooks that they are disabled because their key has ended, without waiting for their next event. */
export async function notifyDisabledWebhooks(
  env: WebhookEnv,
  ids: readonly string[],
): Promise<void> {
  const [first] = ids;
  if (first === undefined) return;
  await Promise.all(
    ids.map((id) => logFailure(id, webhookStub(env.WEBHOOKS, id).reloadSettings(id))),
  );
  await logFailure(first, feedStub(env.FEED).refreshSubscribers());
}

/**
 * Logs a failure instead of throwing, because the row is the source of truth and is already written. The feed rereads
 * the registry after a minute, and an object reads its row at the next notification or alarm.
 */
export async function logFailure(webhookId: string, step: Promise<unknown>): Promise<void> {
  try {
    await step;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown";
    log.warn("webhook_notify_failed", { webhookId, error: reason });
  }
}

export async function findClientWebhook(
  env: Pick<Env, "DB">,
  id: string,
): Promise<Result<StoredWebhook, Failure>> {
  const webhook = await findWebhook(getDatabase(env.DB), id);
  return webhook === null || webhook.format === "a2a" ? fail(webhookNotFound(id)) : ok(webhook);
}

export function webhookNotFound(id: string): Failure {
  return { kind: "not_found", what: "webhook", id };
}

/** Checks that the URL is allowed, the template can be parsed, and the filter's agent and team exist. */
async function validateWebhook(
  env: WebhookEnv,
  { url, agentId = null, teamId = null }: Pick<ChangeWebhookBody, "url" | "agentId" | "teamId">,
  body: BodySettings | null,
): Promise<Result<null, Failure>> {
  if (body !== null && body.template !== null) {
    const { findBodyTemplateProblem } = await import("./body-template.ts");
    const problem = findBodyTemplateProblem(body.format, body.template);
    if (problem !== null) return fail(createFieldFailure("template", problem));
  }
  const address = url === undefined ? ok(null) : await createEgress(env).checkUrl(url, true);
  if (!address.ok) return fail(createFieldFailure("url", address.failure));
  return checkAgentAndTeam(env, { agentId, teamId });
}
