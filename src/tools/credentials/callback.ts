import { database } from "../../db/client.ts";
import {
  withGrant,
  type AuthorizationCodeGrant,
  type TokenGrant,
} from "../../domain/credential.ts";
import { invalid, type Failure } from "../../domain/failure.ts";
import { ROOT_KEY_ID } from "../../domain/key.ts";
import { RENEWAL_ROUNDS_MAX } from "../../domain/limits.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { egressOf } from "../../egress/egress.ts";
import { endedKeys } from "../../keys/store.ts";
import { openConnection, readState, unusable, type Consent } from "./connect.ts";
import { tokenFailure, unsettled } from "./failures.ts";
import { findToolCredential, replaceCredential, type CredentialRow } from "./store.ts";
import { knownError } from "./token-fault.ts";
import { redeemCode, serverOf, type TokenEnv } from "./token.ts";
import { sealCredential, unsealCredential, type SealEnv, type Unsealed } from "./vault.ts";

export type CallbackEnv = TokenEnv & SealEnv & Pick<Env, "DB">;

/** Credentials with the row that holds them. */
export interface Connected {
  readonly row: CredentialRow;
  readonly unsealed: Unsealed;
}

interface Connecting extends Connected {
  readonly credential: AuthorizationCodeGrant;
}

/** Redirects the browser that opened a link to the authorization server. */
export async function beginConsent(
  env: CallbackEnv,
  toolId: string,
  ticket: string,
): Promise<Result<Consent, Failure>> {
  return openConnection(env, toolId, ticket, async ({ connectionId, keyId }) => {
    const ended = await keyFailure(env, keyId, "ticket");
    if (ended !== null) return fail(ended);
    const found = await findConnecting(env, toolId, connectionId, "ticket");
    if (!found.ok) return found;
    const { credential } = found.value;
    // The stored URL may come from an earlier release, which accepted other addresses.
    const checked = await egressOf(env).check(credential.authorizationUrl, true);
    return checked.ok ? ok(credential) : fail(insecure(toolId, checked.failure));
  });
}

/** The failure if a link's key has ended, or if the link names no key; null otherwise. */
async function keyFailure(
  env: CallbackEnv,
  keyId: string | undefined,
  path: "state" | "ticket",
): Promise<Failure | null> {
  if (keyId === ROOT_KEY_ID) return null;
  const isValid =
    keyId !== undefined && (await endedKeys(database(env.DB), [keyId], Date.now())).length === 0;
  return isValid ? null : unusable(path, "was created with a key that is no longer valid");
}

function insecure(toolId: string, reason: string): Failure {
  console.warn({ event: "authorization_url_refused", toolId, reason });
  const message =
    "cannot be used, because the tool's authorizationUrl is not allowed; set the tool's credentials again, with an allowed authorizationUrl";
  return invalid("ticket", message);
}

/** Takes the authorization response that a browser brings, once, and stores the grant. */
export async function finishConnection(
  env: CallbackEnv,
  toolId: string,
  response: URLSearchParams,
  browser: string | null,
): Promise<Result<Connected, Failure>> {
  const given = response.get("state");
  if (given === null) return fail(invalid("state", "is required: a string"));
  const state = await readState(env, toolId, { state: given, browser }, Date.now());
  if (!state.ok) return state;
  const { verifier, redirectUri, connectionId, keyId } = state.value;
  const ended = await keyFailure(env, keyId, "state");
  if (ended !== null) return fail(ended);
  const found = await findConnecting(env, toolId, connectionId);
  if (!found.ok) return found;
  const { credential } = found.value;
  const valid = await validResponse(credential, response, given);
  if (!valid.ok) return valid;
  const granted = await redeemCode(env, credential, valid.value, { redirectUri, verifier });
  if (!granted.ok) return fail(tokenFailure(toolId, credential, granted.failure));
  return store(env, toolId, connectionId, granted.value);
}

/** The credential that a connection was begun for; a connection that is done has changed its id. */
async function findConnecting(
  env: CallbackEnv,
  toolId: string,
  connectionId: string,
  path: "state" | "ticket" = "state",
): Promise<Result<Connecting, Failure>> {
  const row = (await findToolCredential(database(env.DB), toolId))?.row ?? null;
  if (row === null) return fail(changed(path));
  const unsealed = await unsealCredential(env, toolId, row);
  if (!unsealed.ok) return unsealed;
  const { credential } = unsealed.value;
  return credential.type === "oauth-authorization-code" && credential.connectionId === connectionId
    ? ok({ row, unsealed: unsealed.value, credential })
    : fail(changed(path));
}

function changed(path: "state" | "ticket"): Failure {
  return unusable(path, "was used already, or the tool's credentials have changed since");
}

/** A renewal may change the row meanwhile; what was connected now takes its place all the same. */
async function store(
  env: CallbackEnv,
  toolId: string,
  connectionId: string,
  grant: TokenGrant,
): Promise<Result<Connected, Failure>> {
  for (let round = 0; round < RENEWAL_ROUNDS_MAX; round += 1) {
    const found = await findConnecting(env, toolId, connectionId);
    if (!found.ok) return found;
    const before = { ...found.value.credential, refreshToken: null };
    const credential = { ...withGrant(before, grant), connectionId: crypto.randomUUID() };
    const sealed = await sealCredential(env, toolId, credential);
    if (!sealed.ok) return sealed;
    const change = { sealed: sealed.value, now: Date.now() };
    const row = await replaceCredential(database(env.DB), toolId, found.value.row, change);
    if (row !== null) {
      const unsealed = await unsealCredential(env, toolId, row);
      return unsealed.ok ? ok({ row, unsealed: unsealed.value }) : unsealed;
    }
  }
  return fail(unsettled());
}

async function validResponse(
  credential: AuthorizationCodeGrant,
  response: URLSearchParams,
  state: string,
): Promise<Result<URLSearchParams, Failure>> {
  const oauth = await import("oauth4webapi");
  const server = serverOf(credential, issuerOf(credential, response.get("iss")));
  const client = { client_id: credential.clientId };
  try {
    const valid = oauth.validateAuthResponse(server, client, response, state);
    if (valid.get("code") === null) return fail(invalid("code", "is required: a string"));
    return ok(valid);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      const code = knownError(error.error) ?? "a reason of its own";
      const message = `tells that the authorization server gave no consent: ${code}; begin again with POST …/credentials/connect`;
      return fail(invalid("error", message));
    }
    // The state is the one that was opened, and no parameter is repeated: `iss` is left.
    if (error instanceof oauth.OperationProcessingError) {
      const message =
        "must be the issuer that the credentials name, or of the origin of their authorizationUrl; name another with PUT and issuer";
      return fail(invalid("iss", message));
    }
    if (error instanceof oauth.UnsupportedOperationError) {
      return fail(invalid("code", "must come alone: implicit and hybrid flows are not supported"));
    }
    throw error;
  }
}

/** The issuer to expect. Each tool has a redirect URI of its own, so another server's answer does not come here. */
function issuerOf(
  { issuer, authorizationUrl }: AuthorizationCodeGrant,
  iss: string | null,
): string {
  if (issuer !== null) return issuer;
  const { origin } = new URL(authorizationUrl);
  return iss !== null && URL.parse(iss)?.origin === origin ? iss : origin;
}
