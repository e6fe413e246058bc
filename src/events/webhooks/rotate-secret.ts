import { getDatabase } from "../../platform/d1/client.ts";
import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { addSigningSecret, type SigningSecret } from "../model/webhook.ts";
import { webhookStub } from "./webhook.rpc.ts";
import { findClientWebhook, type WebhookEnv } from "./manage-webhooks.ts";
import {
  toStandardSettings,
  generateSigningSecret,
  headerNamesOf,
  openWebhookSettings,
  sealWebhookSettings,
  type StandardSettings,
} from "./settings.ts";
import { replaceSealedSettings } from "./webhooks.store.ts";

/** Rotations at once; each one that is lost against another is tried again. */
const CONFLICT_RETRIES_MAX = 5;

/**
 * Gives a webhook a new secret. Earlier secrets also sign for a while. If they cannot be decrypted, they and
 * the headers sealed with them are lost, and only the new secret signs.
 */
export async function rotateWebhookSecret(
  env: WebhookEnv,
  id: string,
  given: string | undefined,
): Promise<Result<readonly SigningSecret[], Failure>> {
  const secret = given ?? generateSigningSecret();
  for (let round = 0; round < CONFLICT_RETRIES_MAX; round += 1) {
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
    if (await replaceSealedSettings(getDatabase(env.DB), webhook.value, change)) {
      await webhookStub(env.WEBHOOKS, id).reloadSettings(id);
      return ok(secrets);
    }
  }
  return fail({ kind: "unavailable", what: `The webhook ${id}, which others are changing,` });
}
