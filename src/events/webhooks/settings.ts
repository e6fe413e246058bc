import { randomBytes } from "node:crypto";
import type { Failure } from "../../kernel/failure.ts";
import type { Json } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { SigningSecret } from "../model/webhook.ts";
import {
  type SealEnv,
  sealWithCurrentKey,
  unsealWithKnownKey,
} from "../../platform/crypto/seal.ts";
import { log } from "../../platform/log.ts";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** Sealed settings of a client's webhook: secrets, newest first, and header values (absent in earlier releases). */
export type StandardSettings = {
  readonly secrets: readonly SigningSecret[];
  readonly headers?: Readonly<Record<string, string>>;
};

/** A new signing secret in the format of Standard Webhooks. */
export function generateSigningSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/** Seals the settings of a webhook. They do not open for another webhook. */
export function sealWebhookSettings(
  env: SealEnv,
  webhookId: string,
  settings: object,
): Promise<Result<string, Failure>> {
  return sealWithCurrentKey(env, sealUseOf(webhookId), settings);
}

/** The settings in a webhook's row. The failure is a sentence that says what to do. */
export async function openWebhookSettings(
  env: SealEnv,
  webhookId: string,
  sealed: string,
): Promise<Result<Json, string>> {
  const opened = await unsealWithKnownKey(env, sealUseOf(webhookId), sealed);
  if (opened !== null) return ok(opened.value);
  log.warn("webhook_secret_decrypt_failed", { webhookId });
  return fail(
    `The secret was sealed with a key that CREDENTIALS_KEY does not contain. Create a new secret with POST /agents/webhooks/${webhookId}/secret.`,
  );
}

/** The settings of a webhook that a client created. Only `manage-webhooks.ts` seals them. */
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
