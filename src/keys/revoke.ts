import { changeAgent, type RegistryEnv } from "../agents/register.ts";
import { database } from "../db/client.ts";
import type { Failure } from "../domain/failure.ts";
import { lackedScopes, mayRevokeKey, type Key } from "../domain/key.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { announceDisabled, type WebhookEnv } from "../webhooks/register.ts";
import { forgetKey } from "./authenticate.ts";
import { findManagedKey, revokeKeys, type Creations } from "./store.ts";

/** A requested revocation; `cascade` also revokes keys and disables agents that the key created. */
export interface Revocation {
  readonly id: string;
  readonly cascade: boolean;
}

export interface Revoked {
  /** Keys that this revocation revoked. */
  readonly keyIds: readonly string[];
  readonly created: Creations;
}

/**
 * Revokes a key, which disables its webhooks, and returns the resources that it created. `by` must be the key, the
 * root key, or an ancestor with the key's scopes. `cascade` also revokes the keys below it and disables the agents;
 * a revocation without `cascade`, or an incomplete one, can be repeated with `cascade`.
 */
export async function revokeKey(
  env: RegistryEnv & WebhookEnv,
  by: Key,
  { id, cascade }: Revocation,
): Promise<Result<Revoked, Failure>> {
  const db = database(env.DB);
  const target = await findManagedKey(db, id, by.id);
  if (target === null || (target.revokedAt !== null && !cascade)) {
    return fail({ kind: "not_found", what: "key", id });
  }
  const lacking = lackedScopes(by, target.scopes);
  if (lacking.length > 0) return fail({ kind: "insufficient_scope", scopes: lacking });
  if (!mayRevokeKey(by, id, target)) return fail({ kind: "key_mismatch", keyId: id });
  const { revoked, created } = await revokeKeys(db, id, { cascade, now: Date.now() });
  for (const keyId of revoked) forgetKey(keyId);
  await announceDisabled(
    env,
    created.webhooks.filter(({ enabled }) => !enabled).map((webhook) => webhook.id),
  );
  const agents = cascade ? await disabled(env, created.agents, by) : created.agents;
  return ok({ keyIds: revoked, created: { ...created, agents } });
}

/** Disables agents one after the other, because each calls its own queue. */
async function disabled(
  env: RegistryEnv,
  agents: Creations["agents"],
  by: Key,
): Promise<Creations["agents"]> {
  for (const { id, enabled } of agents) {
    // oxlint-disable-next-line no-await-in-loop -- the platform limits concurrent calls
    if (enabled) await changeAgent(env, id, { enabled: false }, by.id);
  }
  return agents.map((agent) => ({ ...agent, enabled: false }));
}
