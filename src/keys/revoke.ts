import { changeAgent, type RegistryEnv } from "../agents/register.ts";
import { database } from "../db/client.ts";
import type { Failure } from "../domain/failure.ts";
import { lackedScopes, type Key } from "../domain/key.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { announceDisabled, type WebhookEnv } from "../webhooks/register.ts";
import { forgetKey } from "./authenticate.ts";
import { findKey, revokeKeys, type Creations } from "./store.ts";

/** A revocation as it is asked for; `cascade` ends what the key has created as well. */
export interface Revocation {
  readonly id: string;
  readonly cascade: boolean;
}

export interface Revoked {
  /** Keys that this revocation has ended. */
  readonly keyIds: readonly string[];
  readonly created: Creations;
}

/**
 * Revokes a key of which `by` has every scope, and says what it created. Its webhooks are disabled by
 * that alone. With `cascade` the keys below it are revoked and its agents disabled; a revocation that
 * broke off, or came without `cascade`, can be repeated with it.
 */
export async function revokeKey(
  env: RegistryEnv & WebhookEnv,
  by: Key,
  { id, cascade }: Revocation,
): Promise<Result<Revoked, Failure>> {
  const db = database(env.DB);
  const target = await findKey(db, id);
  if (target === null || (target.revokedAt !== null && !cascade)) {
    return fail({ kind: "not_found", what: "key", id });
  }
  const lacking = lackedScopes(by, target.scopes);
  if (lacking.length > 0) return fail({ kind: "insufficient_scope", scopes: lacking });
  const { revoked, created } = await revokeKeys(db, id, { cascade, now: Date.now() });
  for (const keyId of revoked) forgetKey(keyId);
  await announceDisabled(
    env,
    created.webhooks.filter(({ enabled }) => !enabled).map((webhook) => webhook.id),
  );
  const agents = cascade ? await disabled(env, created.agents) : created.agents;
  return ok({ keyIds: revoked, created: { ...created, agents } });
}

/** One after the other, as each tells a queue of its own. */
async function disabled(
  env: RegistryEnv,
  agents: Creations["agents"],
): Promise<Creations["agents"]> {
  for (const { id, enabled } of agents) {
    // oxlint-disable-next-line no-await-in-loop -- not all at once: the platform bounds open calls
    if (enabled) await changeAgent(env, id, { enabled: false });
  }
  return agents.map((agent) => ({ ...agent, enabled: false }));
}
