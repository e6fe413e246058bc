import type { Failure } from "../../kernel/failure.ts";
import type { Json } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { SigningSecret } from "../model/webhook.ts";
import { unseal, seal, parseSealKeys } from "../../platform/crypto/seal.ts";
import { log } from "../../platform/log.ts";

export type WebhookSealEnv = Pick<Env, "CREDENTIALS_KEY">;

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/**
 * The sealed settings of a webhook created by a client: its secrets, newest first, and the values of its extra
 * headers, which are absent in rows from earlier releases.
 */
export type StandardSettings = {
  readonly secrets: readonly SigningSecret[];
  readonly headers?: Readonly<Record<string, string>>;
};

/** A new signing secret as Standard Webhooks writes it. */
export function generateSigningSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `${SECRET_PREFIX}${btoa(String.fromCharCode(...bytes))}`;
}

/** Settings as a webhook's row holds them: they open for the same webhook alone. */
export async function sealWebhookSettings(
  env: WebhookSealEnv,
  webhookId: string,
  settings: object,
): Promise<Result<string, Failure>> {
  const keys = parseSealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  return ok(await seal(keys.value, sealUseOf(webhookId), settings));
}

/** What lies sealed in a webhook's row; the failure is a sentence that says what to do. */
export async function openWebhookSettings(
  env: WebhookSealEnv,
  webhookId: string,
  sealed: string,
): Promise<Result<Json, string>> {
  const keys = parseSealKeys(env.CREDENTIALS_KEY);
  const opened = keys.ok ? await unseal(keys.value, sealUseOf(webhookId), sealed) : null;
  if (opened !== null) return ok(opened.value);
  log.warn("webhook_secret_decrypt_failed", { webhookId });
  return fail(
    `The secret was sealed under a key that CREDENTIALS_KEY does not hold; make a new one with POST /agents/webhooks/${webhookId}/secret.`,
  );
}

/** What opens as the settings of a standard webhook, `createWebhook` or a rotation has sealed. */
export function toStandardSettings(settings: Json): StandardSettings {
  return settings as unknown as StandardSettings;
}

/** The names of headers, as stored in a row. */
export function headerNamesOf(headers: Readonly<Record<string, string>>): string[] | null {
  const names = Object.keys(headers);
  return names.length === 0 ? null : names;
}

function sealUseOf(webhookId: string): string {
  return `webhook ${webhookId}`;
}
