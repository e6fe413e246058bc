import { withTimeout } from "../../platform/promises.ts";
import { getDatabase, type Database } from "../../platform/d1/client.ts";
import {
  isFresh,
  isRenewable,
  applyGrant,
  clearGrant,
  type AccessToken,
  type OauthCredential,
} from "../model/credential.ts";
import type { Failure } from "../../kernel/failure.ts";
import { RENEWAL_ATTEMPTS_MAX } from "../limits.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import {
  createMissingCredentialFailure,
  createTokenFailure,
  createUnconnectedFailure,
  UNSETTLED_FAILURE,
} from "./credential-failures.ts";
import type { RenewedToken } from "./token-refresher.rpc.ts";
import { findCredential, replaceCredential, type CredentialRow } from "./credentials.store.ts";
import { requestToken } from "./oauth-token.ts";
import type { EgressEnv } from "../../platform/egress/egress.ts";
import { sealCredential, unsealCredential } from "./seal-credential.ts";
import type { SealEnv } from "../../platform/crypto/seal.ts";
import { log } from "../../platform/log.ts";

type RenewEnv = EgressEnv & SealEnv & Pick<Env, "DB">;

/**
 * A renewal that has not yet been saved to D1. The old refresh token may no longer be valid, so the new one must not be
 * lost.
 */
export interface UnsavedRenewal {
  renewal: TokenRenewal | null;
}

/** A renewed credential and the row that it replaces. */
export interface TokenRenewal {
  readonly before: CredentialRow;
  readonly sealed: string;
}

/**
 * Renews a tool's access token, unless it has been renewed since `staleRevision`. If the row changes at the same time,
 * that change wins.
 */
export async function renewToken(
  env: RenewEnv,
  toolId: string,
  staleRevision: number,
  unsaved: UnsavedRenewal,
): Promise<Result<RenewedToken, Failure>> {
  const db = getDatabase(env.DB);
  // The caller has just read OAuth credentials. If they are missing now, they have been deleted or replaced.
  const gone = createMissingCredentialFailure(toolId, "oauth");
  for (let round = 0; round < RENEWAL_ATTEMPTS_MAX; round += 1) {
    const row = await withTimeout(STORE_TIMEOUT_MS, findCredential(db, toolId));
    if (row === null || row.type === "api-key") {
      unsaved.renewal = null;
      return fail(gone);
    }
    const { renewal } = unsaved;
    if (renewal?.before.type === row.type && renewal.before.revision === row.revision) {
      const token = await unsealToken(env, toolId, renewal);
      const saved = token === null ? null : await saveRenewal(db, toolId, renewal, token, unsaved);
      if (token === null) unsaved.renewal = null;
      else if (saved !== null && isFresh(token, Date.now())) return ok(saved);
      continue;
    }
    // Drop a renewal that belongs to an earlier row.
    unsaved.renewal = null;
    const opened = await unsealCredential(env, toolId, row);
    if (!opened.ok) return opened;
    const { credential } = opened.value;
    if (credential.type === "api-key") return fail(gone);
    const { token } = credential;
    if (row.revision !== staleRevision && token !== null && isFresh(token, Date.now())) {
      return ok({ token: token.value, revision: row.revision });
    }
    if (!isRenewable(credential)) return fail(createUnconnectedFailure(toolId, credential));
    const outcome = await renewRow(env, toolId, { row, credential }, unsaved);
    if (outcome !== null) return outcome;
  }
  return fail(UNSETTLED_FAILURE);
}

/** Requests a new token and saves it. Null if the row has changed. */
async function renewRow(
  env: RenewEnv,
  toolId: string,
  { row, credential }: { row: CredentialRow; credential: OauthCredential },
  unsaved: UnsavedRenewal,
): Promise<Result<RenewedToken, Failure> | null> {
  const db = getDatabase(env.DB);
  const granted = await requestToken(env, toolId, credential);
  if (!granted.ok) {
    const { failure } = granted;
    const isRevoked = failure.kind === "rejected" && failure.error === "invalid_grant";
    if (isRevoked && credential.type !== "oauth-client-credentials") {
      // Record the rejection, so that it is visible and the authorization server is not asked again.
      const spent = await sealCredential(env, toolId, clearGrant(credential));
      if (!spent.ok) return spent;
      const change = { sealed: spent.value, now: Date.now() };
      const replacing = replaceCredential(db, toolId, row, change);
      if ((await withTimeout(STORE_TIMEOUT_MS, replacing)) === null) return null;
    }
    return fail(createTokenFailure(toolId, credential, failure));
  }
  const sealed = await sealCredential(env, toolId, applyGrant(credential, granted.value));
  if (!sealed.ok) return sealed;
  const renewal = { before: row, sealed: sealed.value };
  unsaved.renewal = renewal;
  const saved = await saveRenewal(db, toolId, renewal, granted.value.token, unsaved);
  return saved === null ? null : ok(saved);
}

/** Saves a renewal; null if the row has changed. If D1 fails, the next call saves the renewal. */
async function saveRenewal(
  db: Database,
  toolId: string,
  { before, sealed }: TokenRenewal,
  token: AccessToken,
  unsaved: UnsavedRenewal,
): Promise<RenewedToken | null> {
  try {
    const saving = replaceCredential(db, toolId, before, { sealed, now: Date.now() });
    const after = await withTimeout(STORE_TIMEOUT_MS, saving);
    unsaved.renewal = null;
    return after === null ? null : { token: token.value, revision: after.revision };
  } catch (error) {
    if (!isFresh(token, Date.now())) throw error;
    log.error("token_save_failed", { toolId, error });
    return { token: token.value, revision: before.revision + 1 };
  }
}

/** The token in a renewal; null if it cannot be unsealed. */
async function unsealToken(
  env: RenewEnv,
  toolId: string,
  { before, sealed }: TokenRenewal,
): Promise<AccessToken | null> {
  const opened = await unsealCredential(env, toolId, { type: before.type, sealed });
  if (!opened.ok || opened.value.credential.type === "api-key") return null;
  return opened.value.credential.token;
}
