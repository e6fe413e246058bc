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

/**
 * The settings of a client's webhook that are stored sealed: secrets, newest first, and header values (absent in rows
 * from earlier releases).
 */
export type StandardSettings = {
  readonly secrets: readonly SigningSecret[];
  readonly headers?: Readonly<Record<string, string>>;
};

/** Generates a signing secret in the Standard Webhooks format. */
export function generateSigningSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/** Seals a webhook's settings. They cannot be opened for another webhook. */
export function sealWebhookSettings(
  env: SealEnv,
  webhookId: string,
  settings: object,
): Promise<Result<string, Failure>> {
  return sealWithCurrentKey(env, sealUseOf(webhookId), settings);
}

/** Decrypts the settings in a webhook's row. The failure says what to do. */
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

/** The settings of a client's webhook. The cast is safe because only `manage-webhooks.ts` seals them. */
export function toStandardSettings(settings: Json): StandardSettings {
  return settings as unknown as StandardSettings;
}

/** Header names, as stored in a row. */
export function headerNamesOf(headers: Readonly<Record<string, string>>): string[] | null {
  const names = Object.keys(headers);
  return names.length === 0 ? null : names;
}

function sealUseOf(webhookId: string): string {
  return `webhook ${webhookId}`;
}
