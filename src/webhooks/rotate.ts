import { database } from "../db/client.ts";
import type { Failure } from "../domain/failure.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { rotated, type SigningSecret } from "../domain/webhook.ts";
import { webhookOf } from "./port.ts";
import { findStandard, type WebhookEnv } from "./register.ts";
import {
  asStandardSettings,
  mintSecret,
  namesOf,
  openSettings,
  sealSettings,
  type StandardSettings,
} from "./secret.ts";
import { replaceSealed } from "./store.ts";

/** Rotations at once; each one that is lost against another is tried again. */
const ROUNDS_MAX = 5;

/**
 * Gives a webhook a new secret. Earlier secrets also sign for a while. If they cannot be decrypted, they and
 * the headers sealed with them are lost, and only the new secret signs.
 */
export async function rotateSecret(
  env: WebhookEnv,
  id: string,
  given: string | undefined,
): Promise<Result<readonly SigningSecret[], Failure>> {
  const secret = given ?? mintSecret();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const webhook = await findStandard(env, id);
    if (!webhook.ok) return webhook;
    const before = webhook.value.sealed;
    const opened = await openSettings(env, id, before);
    const known: StandardSettings = opened.ok ? asStandardSettings(opened.value) : { secrets: [] };
    const secrets = rotated(known.secrets, secret, Date.now());
    const sealed = await sealSettings(env, id, { ...known, secrets });
    if (!sealed.ok) return sealed;
    const { headers = {} } = known;
    const change = { sealed: sealed.value, headerNames: namesOf(headers) };
    if (await replaceSealed(database(env.DB), webhook.value, change)) {
      await webhookOf(env.WEBHOOKS, id).changed(id);
      return ok(secrets);
    }
  }
  return fail({ kind: "unavailable", what: `The webhook ${id}, which others are changing,` });
}
