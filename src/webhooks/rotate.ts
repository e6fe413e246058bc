import { database } from "../db/client.ts";
import type { Failure } from "../domain/failure.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { rotated, type SigningSecret } from "../domain/webhook.ts";
import { ownLimitFailure, webhooksMaxOf } from "./owner.ts";
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
 * the headers sealed with them are lost, and only the new secret signs. The webhook then belongs to `by`.
 */
export async function rotateSecret(
  env: WebhookEnv,
  id: string,
  given: string | undefined,
  by: string,
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
    const owner = { by, countAKeyMax: webhooksMaxOf(by) };
    const db = database(env.DB);
    if (await replaceSealed(db, webhook.value, change, owner)) {
      await webhookOf(env.WEBHOOKS, id).changed(id);
      return ok(secrets);
    }
    const reached = webhook.value.createdBy === by ? null : await ownLimitFailure(db, by);
    if (reached !== null) return fail(reached);
  }
  return fail({ kind: "unavailable", what: `The webhook ${id}, which others are changing,` });
}
