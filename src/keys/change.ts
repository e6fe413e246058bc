import { database } from "../db/client.ts";
import { invalidFields, type Failure } from "../domain/failure.ts";
import { lackedScopes, mayChangeKey, type Key } from "../domain/key.ts";
import {
  changedOverrides,
  excessiveLimits,
  type KeyLimitChange,
  type KeyLimits,
} from "../domain/key-limits.ts";
import type { Problem } from "../domain/problem.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { forgetKey } from "./authenticate.ts";
import { findManagedKey, writeKeyLimits, type StoredKey } from "./store.ts";

/** Tries for a change that conflicts with concurrent changes. */
const ROUNDS_MAX = 5;

/**
 * Changes the limits of a key. `by` must be the root key or an ancestor with all scopes of the key, and
 * cannot set a limit above its own.
 * Other isolates apply the previous limits for up to KEY_CACHE_MS.
 */
export async function changeKeyLimits(
  env: Pick<Env, "DB">,
  by: Key,
  id: string,
  change: KeyLimitChange,
): Promise<Result<StoredKey, Failure>> {
  const db = database(env.DB);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each round reads the row again
    const target = await findManagedKey(db, id, by.id);
    if (target === null || target.revokedAt !== null) {
      return fail({ kind: "not_found", what: "key", id });
    }
    const lacking = lackedScopes(by, target.scopes);
    if (lacking.length > 0) return fail({ kind: "insufficient_scope", scopes: lacking });
    if (!mayChangeKey(by, target)) return fail({ kind: "key_mismatch", keyId: id });
    const problems = limitProblems(change, by.limits);
    if (problems.length > 0) return fail(invalidFields(problems));
    const limits = changedOverrides(target.limits, change);
    // oxlint-disable-next-line no-await-in-loop -- likewise
    const isWritten = await writeKeyLimits(db, id, { before: target.limits, after: limits });
    if (!isWritten) continue;
    forgetKey(id);
    return ok({ ...target, limits });
  }
  return fail({ kind: "unavailable", what: `The key ${id} (changed by concurrent requests)` });
}

/** Problems with limits that exceed those of the key that sets them. */
export function limitProblems(change: KeyLimitChange, by: KeyLimits | null): Problem[] {
  return excessiveLimits(change, by).map(({ name, given, max }) => ({
    path: `limits.${name}`,
    message: `must be at most ${max}, the limit of the key that sets it, got ${given}`,
  }));
}
