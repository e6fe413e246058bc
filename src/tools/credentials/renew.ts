import { within } from "../../clock/within.ts";
import { database, type Database } from "../../db/client.ts";
import {
  isFresh,
  isRenewable,
  withGrant,
  withoutGrant,
  type AccessToken,
  type OauthCredential,
} from "../../domain/credential.ts";
import type { Failure } from "../../domain/failure.ts";
import { RENEWAL_ROUNDS_MAX, STORE_WAIT_MS } from "../../domain/limits.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { missing, tokenFailure, unconnected, unsettled } from "./failures.ts";
import type { Renewed } from "./port.ts";
import { findCredential, replaceCredential, type CredentialRow } from "./store.ts";
import { requestToken, type TokenEnv } from "./token.ts";
import { sealCredential, unsealCredential, type SealEnv } from "./vault.ts";

export type RenewEnv = TokenEnv & SealEnv & Pick<Env, "DB">;

/** A renewal that D1 did not take. The old refresh token is spent by then, so the new one must not be lost. */
export interface Unsaved {
  renewal: Renewal | null;
}

/** What a renewal made of a row. */
export interface Renewal {
  readonly before: CredentialRow;
  readonly sealed: string;
}

/**
 * Renews a tool's access token and stores it, unless somebody else has done so since `staleRevision`.
 * Where the row changes meanwhile, the change wins and is looked at anew.
 */
export async function renew(
  env: RenewEnv,
  toolId: string,
  staleRevision: number,
  unsaved: Unsaved,
): Promise<Result<Renewed, Failure>> {
  const db = database(env.DB);
  for (let round = 0; round < RENEWAL_ROUNDS_MAX; round += 1) {
    const row = await within(STORE_WAIT_MS, findCredential(db, toolId));
    if (row === null || row.type === "api-key") {
      unsaved.renewal = null;
      return fail(gone(toolId));
    }
    const kept = renewalOf(row, unsaved);
    if (kept !== null) {
      const token = await tokenIn(env, toolId, kept);
      const saved = token === null ? null : await save(db, toolId, kept, token, unsaved);
      if (token === null) unsaved.renewal = null;
      else if (saved !== null && isFresh(token, Date.now())) return ok(saved);
      continue;
    }
    const opened = await unsealCredential(env, toolId, row);
    if (!opened.ok) return opened;
    const { credential } = opened.value;
    if (credential.type === "api-key") return fail(gone(toolId));
    const { token } = credential;
    if (row.revision !== staleRevision && token !== null && isFresh(token, Date.now())) {
      return ok({ token: token.value, revision: row.revision });
    }
    if (!isRenewable(credential)) return fail(unconnected(toolId, credential));
    const outcome = await renewRow(env, toolId, { row, credential }, unsaved);
    if (outcome !== null) return outcome;
  }
  return fail(unsettled());
}

/** Null when the row has changed meanwhile. */
async function renewRow(
  env: RenewEnv,
  toolId: string,
  { row, credential }: { row: CredentialRow; credential: OauthCredential },
  unsaved: Unsaved,
): Promise<Result<Renewed, Failure> | null> {
  const db = database(env.DB);
  const granted = await requestToken(env, credential);
  if (!granted.ok) {
    const { failure } = granted;
    const isRevoked = failure.kind === "refused" && failure.error === "invalid_grant";
    if (isRevoked && credential.type !== "oauth-client-credentials") {
      // So that it is shown, and nobody asks the authorization server in vain again.
      const spent = await sealCredential(env, toolId, withoutGrant(credential));
      if (!spent.ok) return spent;
      const change = { sealed: spent.value, now: Date.now() };
      const replacing = replaceCredential(db, toolId, row, change);
      if ((await within(STORE_WAIT_MS, replacing)) === null) return null;
    }
    return fail(tokenFailure(toolId, credential, failure));
  }
  const sealed = await sealCredential(env, toolId, withGrant(credential, granted.value));
  if (!sealed.ok) return sealed;
  const renewal = { before: row, sealed: sealed.value };
  unsaved.renewal = renewal;
  const saved = await save(db, toolId, renewal, granted.value.token, unsaved);
  return saved === null ? null : ok(saved);
}

/**
 * Stores a renewal; null when the row has changed meanwhile. When D1 fails, the token serves all the
 * same, and the renewal stays where the next caller finds it.
 */
async function save(
  db: Database,
  toolId: string,
  { before, sealed }: Renewal,
  token: AccessToken,
  unsaved: Unsaved,
): Promise<Renewed | null> {
  try {
    const saving = replaceCredential(db, toolId, before, { sealed, now: Date.now() });
    const after = await within(STORE_WAIT_MS, saving);
    unsaved.renewal = null;
    return after === null ? null : { token: token.value, revision: after.revision };
  } catch (error) {
    if (!isFresh(token, Date.now())) throw error;
    console.error({ event: "renewal_not_saved", toolId, error });
    return { token: token.value, revision: before.revision + 1 };
  }
}

/** The token that a renewal brought; null when it can no longer be opened. */
async function tokenIn(
  env: RenewEnv,
  toolId: string,
  { before, sealed }: Renewal,
): Promise<AccessToken | null> {
  const opened = await unsealCredential(env, toolId, { type: before.type, sealed });
  if (!opened.ok || opened.value.credential.type === "api-key") return null;
  return opened.value.credential.token;
}

/** The renewal of this very row that is still to be saved; another row's is forgotten. */
function renewalOf({ type, revision }: CredentialRow, unsaved: Unsaved): Renewal | null {
  const { renewal } = unsaved;
  const isItsOwn = renewal?.before.type === type && renewal.before.revision === revision;
  if (!isItsOwn) unsaved.renewal = null;
  return isItsOwn ? renewal : null;
}

/** Whoever asks for a renewal has seen OAuth credentials a moment ago. */
function gone(toolId: string): Failure {
  return missing({ id: toolId, authentication: { type: "oauth", scopes: [] } });
}
