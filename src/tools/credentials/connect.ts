import { isJsonObject, type Json } from "../../domain/json.ts";
import type { AuthorizationCodeGrant } from "../../domain/credential.ts";
import { invalid, type Failure } from "../../domain/failure.ts";
import { CONNECT_WINDOW_MS } from "../../domain/limits.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { open, seal, sealKeys } from "../../secrets/seal.ts";
import type { CredentialRow } from "./store.ts";
import { unsealCredential, type SealEnv } from "./vault.ts";

/** Where a person is sent to give consent, and until when the answer is awaited. */
export interface Connection {
  readonly url: string;
  readonly redirectUri: string;
  readonly expiresAt: string;
}

/** What `state` holds, sealed: nothing of an unfinished connection is stored. */
export interface ConnectState {
  readonly verifier: string;
  readonly redirectUri: string;
  readonly connectionId: string;
  readonly expiresAt: number;
}

/** Begins the authorization code flow with PKCE (RFC 6749, 4.1; RFC 7636; RFC 9700). */
export async function startConnection(
  env: SealEnv,
  toolId: string,
  row: CredentialRow,
  origin: string,
): Promise<Result<Connection, Failure>> {
  const keys = sealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const opened = await unsealCredential(env, toolId, row);
  if (!opened.ok) return opened;
  const { credential } = opened.value;
  if (credential.type !== "oauth-authorization-code") {
    const message = `must be oauth-authorization-code to be connected, and the tool's credentials are ${row.type}; put others with PUT`;
    return fail(invalid("type", message));
  }
  const oauth = await import("oauth4webapi");
  const verifier = oauth.generateRandomCodeVerifier();
  const redirectUri = `${origin}/agents/tools/${encodeURIComponent(toolId)}/credentials/callback`;
  const { connectionId } = credential;
  const expiresAt = Date.now() + CONNECT_WINDOW_MS;
  const state: ConnectState = { verifier, redirectUri, connectionId, expiresAt };
  const url = authorizationUrl(credential, {
    redirect_uri: redirectUri,
    state: await seal(keys.value, useOf(toolId), state),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  return ok({ url, redirectUri, expiresAt: new Date(expiresAt).toISOString() });
}

/** The state that `startConnection` gave out for this tool, while it is good. */
export async function readState(
  env: SealEnv,
  toolId: string,
  state: string,
  now: number,
): Promise<Result<ConnectState, Failure>> {
  const keys = sealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const opened = await open(keys.value, useOf(toolId), state);
  if (opened === null) return fail(badState("is not one that this service gave out for this tool"));
  const read = asState(opened.value);
  return now < read.expiresAt ? ok(read) : fail(badState("has expired"));
}

export function badState(message: string): Failure {
  return invalid("state", `${message}; begin again with POST …/credentials/connect`);
}

/** What the authorization URL carries of its own, such as `prompt`, stays. */
function authorizationUrl(
  credential: AuthorizationCodeGrant,
  parameters: Readonly<Record<string, string>>,
): string {
  const { authorizationUrl: base, clientId, scopes, audience, resource } = credential;
  const url = new URL(base);
  const all = {
    response_type: "code",
    client_id: clientId,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
    ...(audience === null ? {} : { audience }),
    ...(resource === null ? {} : { resource }),
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return url.href;
}

function useOf(toolId: string): string {
  return `connection ${toolId}`;
}

/** What opens under a key and for a use of ours, `startConnection` has sealed. */
function asState(value: Json): ConnectState {
  if (!isJsonObject(value)) throw new Error("a sealed state is an object");
  return value as unknown as ConnectState;
}
