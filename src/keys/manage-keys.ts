import { changeAgent, type ManageAgentsEnv } from "../agents/manage-agents.ts";
import { audited, type AuditEnv } from "../governance/audit/audited.ts";
import type { Actor } from "../governance/model/audit-entry.ts";
import { type Database, getDatabase } from "../platform/d1/client.ts";
import { createConflictFailure, createValidationFailure, type Failure } from "../kernel/failure.ts";
import {
  canChangeKey,
  canRevokeKey,
  findMissingScopes,
  type Key,
  type KeyRelation,
  ROOT_KEY_ID,
} from "./model/key.ts";
import { fail, ok, type Result, type Problem } from "../kernel/result.ts";
import { notifyDisabledWebhooks, type WebhookEnv } from "../events/webhooks/manage-webhooks.ts";
import { invalidateKey } from "./authenticate.ts";
import {
  type CreatedResources,
  findManagedKey,
  listRevocableKeys,
  revokeKeyRows,
  saveKeyLimits,
  type StoredKey,
} from "./keys.store.ts";
import {
  applyLimitChange,
  findExcessiveLimits,
  type KeyLimitChange,
  type KeyLimits,
} from "./model/key-limits.ts";

/** How many times a change is attempted if other changes conflict with it. */
const CONFLICT_RETRIES_MAX = 5;

/** The key that changes or revokes a key, and its request. */
export interface KeyManager {
  readonly key: Key;
  readonly actor: Actor;
}

/**
 * Changes a key's limits. `by` must be the root key, or an ancestor that has all of the key's scopes, and cannot set a
 * limit above its own. Other isolates apply the previous limits for up to KEY_CACHE_MS.
 */
export async function changeKeyLimits(
  env: AuditEnv,
  { key: by, actor }: KeyManager,
  id: string,
  change: KeyLimitChange,
): Promise<Result<StoredKey, Failure>> {
  const db = getDatabase(env.DB);
  for (let round = 0; round < CONFLICT_RETRIES_MAX; round += 1) {
    const found = await findManageableKey(db, by, id, (key) => canChangeKey(by, key));
    if (!found.ok) return found;
    const target = found.value;
    const problems = findLimitProblems(change, by.limits);
    if (problems.length > 0) return fail(createValidationFailure(problems));
    const limits = applyLimitChange(target.limits, change);
    const entry = {
      action: "key.changed",
      subjectId: id,
      before: { limits: target.limits },
      after: { limits },
    } as const;
    const stored = { before: target.limits, after: limits };
    const isWritten = await audited(env, actor, (record) =>
      saveKeyLimits(db, id, stored, record(entry)),
    );
    if (!isWritten) continue;
    invalidateKey(id);
    return ok({ ...target, limits });
  }
  return fail(createConflictFailure(`The key ${id}`));
}

/** Problems with limits that exceed those of the key that sets them. */
export function findLimitProblems(change: KeyLimitChange, by: KeyLimits | null): Problem[] {
  return findExcessiveLimits(change, by).map(({ name, given, max }) => ({
    path: `limits.${name}`,
    message: `must be at most ${max}, which is the limit of the key that sets it, got ${given}`,
  }));
}

export interface RevocationResult {
  /** The ids of the keys that this revocation revoked. */
  readonly keyIds: readonly string[];
  readonly created: CreatedResources;
}

/**
 * Revokes a key, which disables its webhooks, and returns the resources created by the key and its descendants. `by`
 * must be the key itself, the root key, or an ancestor that has the key's scopes. `cascade` also revokes the
 * descendants and disables the returned agents. A revocation that was incomplete or had no `cascade` can be repeated
 * with `cascade`.
 */
export async function revokeKey(
  env: ManageAgentsEnv & WebhookEnv,
  { key: by, actor }: KeyManager,
  { id, cascade }: { readonly id: string; readonly cascade: boolean },
): Promise<Result<RevocationResult, Failure>> {
  const db = getDatabase(env.DB);
  const canRevoke = (key: KeyRelation): boolean => canRevokeKey(by, id, key);
  const target = await findManageableKey(db, by, id, canRevoke, cascade);
  if (!target.ok) return target;
  const { name, scopes, agentId, teamId } = target.value;
  const { revoked, created } = await audited(env, actor, async (record) => {
    const keyIds = await listRevocableKeys(db, id, cascade);
    const before = { name, scopes, agentId, teamId, keyIds };
    const batch = record({ action: "key.revoked", subjectId: id, before });
    return revokeKeyRows(db, id, { cascade, now: Date.now() }, batch);
  });
  for (const keyId of revoked) invalidateKey(keyId);
  await notifyDisabledWebhooks(
    env,
    created.webhooks.filter(({ enabled }) => !enabled).map((webhook) => webhook.id),
  );
  const agents = cascade ? await disableAgents(env, created.agents, actor) : created.agents;
  return ok({ keyIds: revoked, created: { ...created, agents } });
}

/**
 * A key that `by` may manage. `by` must have all of the key's scopes. `isRevokedFound`: whether to include revoked
 * keys.
 */
async function findManageableKey(
  db: Database,
  by: Key,
  id: string,
  canManage: (key: KeyRelation) => boolean,
  isRevokedFound = false,
): Promise<Result<StoredKey, Failure>> {
  const key = await findManagedKey(db, id, by.id);
  if (key === null || (key.revokedAt !== null && !isRevokedFound)) {
    return fail({ kind: "not_found", what: "key", id });
  }
  const lacking = findMissingScopes(by, key.scopes);
  if (lacking.length > 0) return fail({ kind: "insufficient_scope", scopes: lacking });
  return canManage(key) ? ok(key) : fail({ kind: "key_mismatch", keyId: id });
}

/** Disables agents one at a time, because each change calls the agent's own queue. */
async function disableAgents(
  env: ManageAgentsEnv,
  agents: CreatedResources["agents"],
  by: Actor,
): Promise<CreatedResources["agents"]> {
  for (const { id, enabled } of agents) {
    if (enabled) await changeAgent(env, id, { enabled: false }, by);
  }
  return agents.map((agent) => ({ ...agent, enabled: false }));
}

/** Whether a key or one of its descendants created another key. The root key counts as nobody's ancestor. */
export async function isDescendantOf(
  env: Pick<Env, "DB">,
  id: string,
  ancestorId: string,
): Promise<boolean> {
  if (id === ROOT_KEY_ID || ancestorId === ROOT_KEY_ID) return false;
  const found = await findManagedKey(getDatabase(env.DB), id, ancestorId);
  return found?.isDescendant === true;
}
