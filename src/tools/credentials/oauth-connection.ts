import { randomBytes } from "node:crypto";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import {
  applyGrant,
  toOauthParameters,
  type AuthorizationCodeGrant,
  type TokenGrant,
} from "../model/credential.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { ROOT_KEY_ID } from "../../keys/model/key.ts";
import { CONNECT_WINDOW_MS, RENEWAL_ATTEMPTS_MAX } from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { createEgress, type EgressEnv } from "../../platform/egress/egress.ts";
import { findEndedKeys } from "../../keys/authenticate.ts";
import {
  parseSealKeys,
  sealWithCurrentKey,
  unseal,
  type SealEnv,
} from "../../platform/crypto/seal.ts";
import { createTokenFailure, UNSETTLED_FAILURE } from "./credential-failures.ts";
import { audited, type AuditEnv } from "../../governance/audit/audited.ts";
import type { Actor } from "../../governance/model/audit-entry.ts";
import { findToolCredential, saveConnection, type CredentialRow } from "./credentials.store.ts";
import { findKnownOauthError, requestToken } from "./oauth-token.ts";
import { sealCredential, unsealCredential } from "./seal-credential.ts";
import type { ConnectionResponse } from "./schemas.ts";
import { log } from "../../platform/log.ts";

type ConnectEnv = EgressEnv & SealEnv & AuditEnv;

/** The sealed content of a connection link. An unfinished connection is not stored on the server. */
interface ConnectTicket {
  readonly redirectUri: string;
  /** The key with which the link was created; absent in links from earlier releases. */
  readonly keyId?: string;
  readonly connectionId: string;
  readonly expiresAt: number;
}

/** The sealed content of `state`. `browserHash` is the hash of the secret in the browser's cookie. */
interface ConnectState extends ConnectTicket {
  readonly verifier: string;
  readonly browserHash: string;
}

/** A URL parameter whose value is sealed. */
type SealedParameter = "state" | "ticket";

const BROWSER_SECRET_BYTES = 32;

/** Creates the link that a person opens to begin a connection. */
export async function createConnectLink(
  env: SealEnv,
  toolId: string,
  row: CredentialRow,
  { origin, keyId }: { readonly origin: string; readonly keyId: string },
): Promise<Result<ConnectionResponse, Failure>> {
  const opened = await unsealCredential(env, toolId, row);
  if (!opened.ok) return opened;
  const { credential } = opened.value;
  if (credential.type !== "oauth-authorization-code") {
    const message = `must be oauth-authorization-code to be connected, but the type of the tool's credentials is ${row.type}; set other credentials with PUT`;
    return fail(createFieldFailure("type", message));
  }
  const at = `${origin}/agents/tools/${encodeURIComponent(toolId)}/credentials`;
  const redirectUri = `${at}/callback`;
  const { connectionId } = credential;
  const expiresAt = Date.now() + CONNECT_WINDOW_MS;
  const ticket: ConnectTicket = { redirectUri, keyId, connectionId, expiresAt };
  const sealed = await sealWithCurrentKey(env, sealPurpose(toolId, "ticket"), ticket);
  if (!sealed.ok) return sealed;
  const url = `${at}/authorize?${new URLSearchParams({ ticket: sealed.value }).toString()}`;
  return ok({ url, redirectUri, expiresAt: new Date(expiresAt).toISOString() });
}

/**
 * Begins the authorization code flow with PKCE. Returns the URL to redirect the browser to, and the secret that
 * identifies this browser when it returns. Only the browser that opened the link can finish the flow (RFC 9700, 4.7.1).
 */
export async function beginAuthorization(
  env: ConnectEnv,
  toolId: string,
  sealedTicket: string,
): Promise<Result<{ url: string; browser: string; maxAgeSeconds: number }, Failure>> {
  const opened = await unsealUnexpired<ConnectTicket>(env, toolId, "ticket", sealedTicket);
  if (!opened.ok) return opened;
  const ticket = opened.value;
  const { redirectUri, connectionId, keyId } = ticket;
  const ended = await checkKey(env, keyId, "ticket");
  if (ended !== null) return fail(ended);
  const found = await findPendingConnection(env, toolId, connectionId, "ticket");
  if (!found.ok) return found;
  const { credential } = found.value;
  // The stored URL may come from an earlier release, which accepted other addresses.
  const checked = await createEgress(env).checkUrl(credential.authorizationUrl, true);
  if (!checked.ok) return fail(createInsecureUrlFailure(toolId, checked.failure));
  const oauth = await import("oauth4webapi");
  const verifier = oauth.generateRandomCodeVerifier();
  const browser = randomBytes(BROWSER_SECRET_BYTES).toString("hex");
  const state: ConnectState = { ...ticket, verifier, browserHash: await sha256Hex(browser) };
  const sealed = await sealWithCurrentKey(env, sealPurpose(toolId, "state"), state);
  if (!sealed.ok) return sealed;
  // Keep parameters that the URL already has, such as `prompt`.
  const url = new URL(credential.authorizationUrl);
  const parameters = {
    response_type: "code",
    client_id: credential.clientId,
    ...toOauthParameters(credential),
    redirect_uri: redirectUri,
    state: sealed.value,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const maxAgeSeconds = Math.max(1, Math.ceil((ticket.expiresAt - Date.now()) / 1_000));
  return ok({ url: url.href, browser, maxAgeSeconds });
}

/** The failure if the link's key is no longer valid or the link has no key; otherwise null. */
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

/** The browser that returns from the authorization server. */
interface ReturningBrowser {
  /** The secret in its cookie; null if there is none. */
  readonly browser: string | null;
  /** Its request, as made with the key that created the link. */
  readonly actorWithKey: (keyId: string) => Actor;
}

/** Validates the authorization response that a browser returns, and stores the grant. Each response works only once. */
export async function completeAuthorization(
  env: ConnectEnv,
  toolId: string,
  response: URLSearchParams,
  { browser, actorWithKey }: ReturningBrowser,
): Promise<Result<null, Failure>> {
  const given = response.get("state");
  if (given === null) return fail(createFieldFailure("state", "is required: a string"));
  const state = await unsealUnexpired<ConnectState>(env, toolId, "state", given);
  if (!state.ok) return state;
  const { verifier, redirectUri, connectionId, keyId, browserHash } = state.value;
  const isSameBrowser = browser !== null && (await sha256Hex(browser)) === browserHash;
  if (!isSameBrowser) {
    const message = "must be returned by the browser that opened the link, with its cookie";
    return fail(createConnectFailure("state", message));
  }
  const ended = await checkKey(env, keyId, "state");
  if (ended !== null) return fail(ended);
  const actor = actorWithKey(keyId ?? "");
  const found = await findPendingConnection(env, toolId, connectionId, "state");
  if (!found.ok) return found;
  const { credential } = found.value;
  const valid = await validateResponse(credential, response, given);
  if (!valid.ok) return valid;
  const consent = { response: valid.value, redirectUri, verifier };
  const granted = await requestToken(env, toolId, credential, consent);
  if (!granted.ok) return fail(createTokenFailure(toolId, credential, granted.failure));
  return saveGrantedCredential(env, toolId, connectionId, granted.value, actor);
}

/**
 * The credential that a connection is for. Completing the connection changes the credential's `connectionId`, so a
 * repeated response finds no credential.
 */
async function findPendingConnection(
  env: ConnectEnv,
  toolId: string,
  connectionId: string,
  path: SealedParameter,
): Promise<Result<{ row: CredentialRow; credential: AuthorizationCodeGrant }, Failure>> {
  const row = (await findToolCredential(getDatabase(env.DB), toolId))?.row ?? null;
  const unsealed = row === null ? null : await unsealCredential(env, toolId, row);
  if (unsealed?.ok === false) return unsealed;
  const credential = unsealed?.value.credential;
  const isPending =
    credential?.type === "oauth-authorization-code" && credential.connectionId === connectionId;
  if (row !== null && isPending) return ok({ row, credential });
  const message = "has already been used, or the tool's credentials have changed since";
  return fail(createConnectFailure(path, message));
}

/** Saves a new grant, replacing any concurrent renewal. */
async function saveGrantedCredential(
  env: ConnectEnv,
  toolId: string,
  connectionId: string,
  grant: TokenGrant,
  actor: Actor,
): Promise<Result<null, Failure>> {
  for (let round = 0; round < RENEWAL_ATTEMPTS_MAX; round += 1) {
    const found = await findPendingConnection(env, toolId, connectionId, "state");
    if (!found.ok) return found;
    const before = { ...found.value.credential, refreshToken: null };
    const credential = { ...applyGrant(before, grant), connectionId: crypto.randomUUID() };
    const { type } = credential;
    const sealed = await sealCredential(env, toolId, credential);
    if (!sealed.ok) return sealed;
    const change = { sealed: sealed.value, now: Date.now() };
    const { row: stored } = found.value;
    const entry = { action: "credentials.connected", subjectId: toolId, after: { type } } as const;
    const row = await audited(env, actor, (record) =>
      saveConnection(getDatabase(env.DB), toolId, stored, change, record(entry)),
    );
    if (row !== null) return ok(null);
  }
  return fail(UNSETTLED_FAILURE);
}

async function validateResponse(
  credential: AuthorizationCodeGrant,
  response: URLSearchParams,
  state: string,
): Promise<Result<URLSearchParams, Failure>> {
  const oauth = await import("oauth4webapi");
  const server = { issuer: resolveIssuer(credential, response.get("iss")) };
  const client = { client_id: credential.clientId };
  try {
    const valid = oauth.validateAuthResponse(server, client, response, state);
    if (valid.get("code") === null)
      return fail(createFieldFailure("code", "is required: a string"));
    return ok(valid);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      const code = findKnownOauthError(error.error) ?? "an unknown error code";
      const message = `shows that the authorization server did not grant access: ${code}`;
      return fail(createConnectFailure("error", message));
    }
    // The state is valid and no parameter is repeated, so `iss` must be wrong.
    if (error instanceof oauth.OperationProcessingError) {
      const message =
        "must match the issuer in the tool's credentials, by default the origin of their authorizationUrl; set another issuer with PUT";
      return fail(createFieldFailure("iss", message));
    }
    if (error instanceof oauth.UnsupportedOperationError) {
      const message =
        "must not be sent with a token, because implicit and hybrid flows are not supported";
      return fail(createFieldFailure("code", message));
    }
    throw error;
  }
}

/** The expected issuer. Each tool has its own redirect URI, so responses from other servers do not arrive here. */
function resolveIssuer(
  { issuer, authorizationUrl }: AuthorizationCodeGrant,
  iss: string | null,
): string {
  if (issuer !== null) return issuer;
  const { origin } = new URL(authorizationUrl);
  return iss !== null && URL.parse(iss)?.origin === origin ? iss : origin;
}

function createConnectFailure(path: SealedParameter | "error", message: string): Failure {
  return createFieldFailure(path, `${message}; start again with POST …/credentials/connect`);
}

function sealPurpose(toolId: string, parameter: SealedParameter): string {
  return parameter === "ticket" ? `connection ticket ${toolId}` : `connection ${toolId}`;
}

/** The cast is safe, because only this service can seal values for this purpose. */
async function unsealUnexpired<Sealed extends ConnectTicket>(
  env: SealEnv,
  toolId: string,
  path: SealedParameter,
  sealed: string,
): Promise<Result<Sealed, Failure>> {
  const keys = parseSealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const opened = await unseal(keys.value, sealPurpose(toolId, path), sealed);
  if (opened === null)
    return fail(createConnectFailure(path, "was not issued by this service for this tool"));
  const value = opened.value as unknown as Sealed;
  return Date.now() < value.expiresAt ? ok(value) : fail(createConnectFailure(path, "has expired"));
}
