import { database } from "../db/client.ts";
import { invalid, type Failure } from "../domain/failure.ts";
import { hex } from "../domain/hex.ts";
import { WEBHOOKS_MAX } from "../domain/limits.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { WebhookChange, WebhookFormat } from "../domain/webhook.ts";
import { egressOf } from "../egress/egress.ts";
import { feedOf } from "../events/port.ts";
import { knownBinding } from "../keys/store.ts";
import { clientFormat, type BodySettings } from "./body.ts";
import { ownLimitFailure, webhooksMaxOf } from "./owner.ts";
import { webhookOf } from "./port.ts";
import {
  asStandardSettings,
  mintSecret,
  namesOf,
  openSettings,
  sealSettings,
  type StandardSettings,
} from "./secret.ts";
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  updateWebhook,
  type StoredWebhook,
  type WebhookLimits,
} from "./store.ts";
import type { ChangeWebhookBody, CreateWebhookBody } from "./wire.ts";

export type WebhookEnv = Pick<
  Env,
  "DB" | "FEED" | "WEBHOOKS" | "CREDENTIALS_KEY" | "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL"
>;

const ID_BYTES = 8;
/** Tries for a change that conflicts with concurrent changes. */
const ROUNDS_MAX = 5;

/** A webhook with its secret, which is shown this once. */
export interface Created {
  readonly webhook: StoredWebhook;
  readonly secret: string;
}

/** The id of a new webhook, of whatever format: random, so that nobody guesses one. */
export function mintWebhookId(): string {
  return `whk_${hex(crypto.getRandomValues(new Uint8Array(ID_BYTES)))}`;
}

/** Creates a webhook, which receives events from now on. */
export async function createWebhook(
  env: WebhookEnv,
  body: CreateWebhookBody,
  createdBy: string,
): Promise<Result<Created, Failure>> {
  const { format, url, description, types = null, agentId = null, teamId = null } = body;
  const { template = null, headers = {} } = body;
  const checked = await check(env, { url, agentId, teamId }, { format, template });
  if (!checked.ok) return checked;
  const id = mintWebhookId();
  const secret = body.secret ?? mintSecret();
  const settings: StandardSettings = { secrets: [{ secret, until: null }], headers };
  const sealed = await sealSettings(env, id, settings);
  if (!sealed.ok) return sealed;
  const webhook: StoredWebhook = {
    id,
    format,
    url,
    description,
    types,
    template,
    headerNames: namesOf(headers),
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
  const limits = { countMax: WEBHOOKS_MAX, countAKeyMax: webhooksMaxOf(createdBy) };
  if (await openWebhook(env, webhook, limits)) return ok({ webhook, secret });
  const reached = await ownLimitFailure(database(env.DB), createdBy);
  return fail(reached ?? { kind: "too_many_webhooks" });
}

/**
 * Adds a webhook of any format to the registry, starting at the feed's end; false if a limit has been
 * reached.
 */
export async function openWebhook(
  env: WebhookEnv,
  webhook: StoredWebhook,
  limits: WebhookLimits,
): Promise<boolean> {
  const object = webhookOf(env.WEBHOOKS, webhook.id);
  // It has its place before anybody can know of it, so that nothing is missed of what comes after.
  await object.begin(webhook.id, await feedOf(env.FEED).last());
  if (!(await insertWebhook(database(env.DB), webhook, limits))) {
    // The row may be another's, of the same id: only the object of a row that does not exist ends.
    await attempted(webhook.id, object.changed(webhook.id));
    return false;
  }
  await tell(env, webhook, true);
  return true;
}

/** Changes the given fields of a webhook. A webhook that is enabled again starts at the feed's end. */
export async function changeWebhook(
  env: WebhookEnv,
  id: string,
  body: ChangeWebhookBody,
  by: string,
): Promise<Result<StoredWebhook, Failure>> {
  const object = webhookOf(env.WEBHOOKS, id);
  const isRefiltered = [body.types, body.agentId, body.teamId].some((one) => one !== undefined);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const before = await findStandard(env, id);
    if (!before.ok) {
      if (round > 0) await object.close();
      return before;
    }
    const change = await changeOf(env, before.value, body);
    if (!change.ok) return change;
    if (round === 0 && isRefiltered && !(await object.catchUp(id))) {
      return fail({ kind: "webhook_behind", webhookId: id });
    }
    if (round === 0 && body.enabled === true) await object.begin(id, await feedOf(env.FEED).last());
    const owner = { by, countAKeyMax: webhooksMaxOf(by) };
    const webhook = await updateWebhook(database(env.DB), before.value, change.value, owner);
    if (webhook === "full")
      return fail({ kind: "too_many_webhooks", countAKeyMax: owner.countAKeyMax });
    if (webhook === null) continue;
    await tell(env, webhook, isRefiltered || body.enabled === true);
    return ok(webhook);
  }
  return fail({ kind: "unavailable", what: `The webhook ${id}, which others are changing,` });
}

/** The changes that a request body makes to a webhook. */
async function changeOf(
  env: WebhookEnv,
  before: StoredWebhook,
  { headers, ...body }: ChangeWebhookBody,
): Promise<Result<WebhookChange & { readonly sealed?: string }, Failure>> {
  const { template = before.template, format = clientFormat(before.format) } = body;
  // Enabling a webhook checks its address again.
  const url = body.url ?? (body.enabled === true ? before.url : undefined);
  const isReworded = body.template !== undefined || body.format !== undefined;
  const checked = await check(env, { ...body, url }, isReworded ? { format, template } : null);
  if (!checked.ok) return checked;
  const cleared = body.enabled === true ? { disabledReason: null, disabledAt: null } : {};
  const change = { ...body, ...cleared };
  if (headers === undefined) {
    return before.headerNames !== null && isElsewhere(before.url, body.url)
      ? fail(
          invalid(
            "headers",
            "must be given again, or be null: stored values are not sent to another origin",
          ),
        )
      : ok(change);
  }
  const opened = await openSettings(env, before.id, before.sealed);
  if (!opened.ok) return fail(invalid("headers", `cannot be changed. ${opened.failure}`));
  const { secrets } = asStandardSettings(opened.value);
  const settings: StandardSettings = { secrets, headers: headers ?? {} };
  const sealed = await sealSettings(env, before.id, settings);
  if (!sealed.ok) return sealed;
  return ok({ ...change, sealed: sealed.value, headerNames: namesOf(headers ?? {}) });
}

function isElsewhere(before: string, after: string | undefined): boolean {
  if (after === undefined) return false;
  const origin = URL.parse(before)?.origin;
  return origin !== URL.parse(after)?.origin;
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

/** Notifies webhooks that ended with their key before their next event. */
export async function announceDisabled(env: WebhookEnv, ids: readonly string[]): Promise<void> {
  const [first] = ids;
  if (first === undefined) return;
  await Promise.all(ids.map((id) => attempted(id, webhookOf(env.WEBHOOKS, id).changed(id))));
  await attempted(first, feedOf(env.FEED).refresh());
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
  return webhook === null || webhook.format === "a2a" ? fail(unknown(id)) : ok(webhook);
}

export function unknown(id: string): Failure {
  return { kind: "not_found", what: "webhook", id };
}

/** Checks that the URL is allowed, the template can be parsed, and the filter's agent and team exist. */
async function check(
  env: WebhookEnv,
  { url, agentId = null, teamId = null }: Pick<ChangeWebhookBody, "url" | "agentId" | "teamId">,
  body: BodySettings | null,
): Promise<Result<null, Failure>> {
  if (body !== null && body.template !== null) {
    const { templateProblem } = await import("./template.ts");
    const problem = templateProblem(body.format, body.template);
    if (problem !== null) return fail(invalid("template", problem));
  }
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
