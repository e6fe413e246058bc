import { getDatabase } from "../../platform/d1/client.ts";
import { applyGrant, type AuthorizationCodeGrant, type TokenGrant } from "../model/credential.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { ROOT_KEY_ID } from "../../keys/model/key.ts";
import { RENEWAL_ATTEMPTS_MAX } from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { createEgress, type EgressEnv } from "../../platform/egress/egress.ts";
import { findEndedKeys } from "../../keys/authenticate.ts";
import {
  createAuthorizationRedirect,
  readConnectTicket,
  readConnectState,
  createConnectFailure,
  type AuthorizationRedirect,
  type SealedParameter,
} from "./oauth-connection.ts";
import { createTokenFailure, createUnsettledFailure } from "./credential-failures.ts";
import { findToolCredential, replaceCredential, type CredentialRow } from "./credentials.store.ts";
import {
  exchangeAuthorizationCode,
  findKnownOauthError,
  toAuthorizationServer,
} from "./oauth-token.ts";
import { sealCredential, unsealCredential } from "./seal-credential.ts";
import type { SealEnv } from "../../platform/crypto/seal.ts";
import { log } from "../../platform/log.ts";

type ConnectEnv = EgressEnv & SealEnv & Pick<Env, "DB">;

interface PendingConnection {
  readonly row: CredentialRow;
  readonly credential: AuthorizationCodeGrant;
}

/** Redirects the browser that opened a link to the authorization server. */
export async function beginAuthorization(
  env: ConnectEnv,
  toolId: string,
  ticket: string,
): Promise<Result<AuthorizationRedirect, Failure>> {
  const opened = await readConnectTicket(env, toolId, ticket, Date.now());
  if (!opened.ok) return opened;
  const { connectionId, keyId } = opened.value;
  const ended = await checkKey(env, keyId, "ticket");
  if (ended !== null) return fail(ended);
  const found = await findPendingConnection(env, toolId, connectionId, "ticket");
  if (!found.ok) return found;
  const { credential } = found.value;
  // The stored URL may come from an earlier release, which accepted other addresses.
  const checked = await createEgress(env).checkUrl(credential.authorizationUrl, true);
  if (!checked.ok) return fail(createInsecureUrlFailure(toolId, checked.failure));
  return createAuthorizationRedirect(env, toolId, opened.value, credential);
}

/** The failure if a link's key has ended, or if the link names no key; null otherwise. */
async function checkKey(
  env: ConnectEnv,
  keyId: string | undefined,
  path: SealedParameter,
): Promise<Failure | null> {
  if (keyId === ROOT_KEY_ID) return null;
  const isValid = keyId !== undefined && (await findEndedKeys(env, [keyId])).length === 0;
  return isValid
    ? null
    : createConnectFailure(path, "was created with a key that is no longer valid");
}

function createInsecureUrlFailure(toolId: string, reason: string): Failure {
  log.warn("authorization_url_rejected", { toolId, error: reason });
  const message =
    "cannot be used, because the tool's authorizationUrl is not allowed; set the tool's credentials again, with an allowed authorizationUrl";
  return createFieldFailure("ticket", message);
}

/** Validates the authorization response of a browser, which works once, and stores the grant. */
export async function completeAuthorization(
  env: ConnectEnv,
  toolId: string,
  response: URLSearchParams,
  browser: string | null,
): Promise<Result<null, Failure>> {
  const given = response.get("state");
  if (given === null) return fail(createFieldFailure("state", "is required: a string"));
  const state = await readConnectState(env, toolId, { state: given, browser }, Date.now());
  if (!state.ok) return state;
  const { verifier, redirectUri, connectionId, keyId } = state.value;
  const ended = await checkKey(env, keyId, "state");
  if (ended !== null) return fail(ended);
  const found = await findPendingConnection(env, toolId, connectionId);
  if (!found.ok) return found;
  const { credential } = found.value;
  const valid = await validateResponse(credential, response, given);
  if (!valid.ok) return valid;
  const granted = await exchangeAuthorizationCode(env, toolId, credential, valid.value, {
    redirectUri,
    verifier,
  });
  if (!granted.ok) return fail(createTokenFailure(toolId, credential, granted.failure));
  return saveGrantedCredential(env, toolId, connectionId, granted.value);
}

/** The credential of a connection; a completed connection has changed the id. */
async function findPendingConnection(
  env: ConnectEnv,
  toolId: string,
  connectionId: string,
  path: SealedParameter = "state",
): Promise<Result<PendingConnection, Failure>> {
  const row = (await findToolCredential(getDatabase(env.DB), toolId))?.row ?? null;
  const unsealed = row === null ? null : await unsealCredential(env, toolId, row);
  if (unsealed?.ok === false) return unsealed;
  const credential = unsealed?.value.credential;
  const isPending =
    credential?.type === "oauth-authorization-code" && credential.connectionId === connectionId;
  if (row !== null && isPending) return ok({ row, credential });
  const message = "was used already, or the tool's credentials have changed since";
  return fail(createConnectFailure(path, message));
}

/** If a renewal changes the row at the same time, the new grant replaces it. */
async function saveGrantedCredential(
  env: ConnectEnv,
  toolId: string,
  connectionId: string,
  grant: TokenGrant,
): Promise<Result<null, Failure>> {
  for (let round = 0; round < RENEWAL_ATTEMPTS_MAX; round += 1) {
    const found = await findPendingConnection(env, toolId, connectionId);
    if (!found.ok) return found;
    const before = { ...found.value.credential, refreshToken: null };
    const credential = { ...applyGrant(before, grant), connectionId: crypto.randomUUID() };
    const sealed = await sealCredential(env, toolId, credential);
    if (!sealed.ok) return sealed;
    const change = { sealed: sealed.value, now: Date.now() };
    const row = await replaceCredential(getDatabase(env.DB), toolId, found.value.row, change);
    if (row !== null) return ok(null);
  }
  return fail(createUnsettledFailure());
}

async function validateResponse(
  credential: AuthorizationCodeGrant,
  response: URLSearchParams,
  state: string,
): Promise<Result<URLSearchParams, Failure>> {
  const oauth = await import("oauth4webapi");
  const server = toAuthorizationServer(credential, resolveIssuer(credential, response.get("iss")));
  const client = { client_id: credential.clientId };
  try {
    const valid = oauth.validateAuthResponse(server, client, response, state);
    if (valid.get("code") === null)
      return fail(createFieldFailure("code", "is required: a string"));
    return ok(valid);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      const code = findKnownOauthError(error.error) ?? "a reason of its own";
      const message = `means that the authorization server did not grant consent: ${code}; begin again with POST …/credentials/connect`;
      return fail(createFieldFailure("error", message));
    }
    // The state is valid and no parameter is repeated, so `iss` is wrong.
    if (error instanceof oauth.OperationProcessingError) {
      const message =
        "must be the issuer that the credentials name, or of the origin of their authorizationUrl; name another with PUT and issuer";
      return fail(createFieldFailure("iss", message));
    }
    if (error instanceof oauth.UnsupportedOperationError) {
      const message = "must come alone: implicit and hybrid flows are not supported";
      return fail(createFieldFailure("code", message));
    }
    throw error;
  }
}

/** The expected issuer. Each tool has its own redirect URI, so a response of another server does not arrive here. */
function resolveIssuer(
  { issuer, authorizationUrl }: AuthorizationCodeGrant,
  iss: string | null,
): string {
  if (issuer !== null) return issuer;
  const { origin } = new URL(authorizationUrl);
  return iss !== null && URL.parse(iss)?.origin === origin ? iss : origin;
}
