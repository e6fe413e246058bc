import { randomBytes } from "node:crypto";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { toOauthParameters, type AuthorizationCodeGrant } from "../model/credential.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { CONNECT_WINDOW_MS } from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import {
  parseSealKeys,
  sealWithCurrentKey,
  unseal,
  type SealEnv,
} from "../../platform/crypto/seal.ts";
import type { CredentialRow } from "./credentials.store.ts";
import { unsealCredential } from "./seal-credential.ts";

interface ConnectLink {
  readonly url: string;
  readonly redirectUri: string;
  readonly expiresAt: string;
}

/** The sealed content of a connection link. Nothing about an unfinished connection is stored. */
interface ConnectTicket {
  readonly redirectUri: string;
  /** The key that created the link; absent in links of earlier releases. */
  readonly keyId?: string;
  readonly connectionId: string;
  readonly expiresAt: number;
}

/** The sealed content of `state`. `browserHash` is the hash of the secret in the browser's cookie. */
interface ConnectState extends ConnectTicket {
  readonly verifier: string;
  readonly browserHash: string;
}

/** The URL to which a browser is redirected, and the secret that identifies the browser when it returns. */
export interface AuthorizationRedirect {
  readonly url: string;
  readonly browser: string;
  readonly maxAgeSeconds: number;
}

const BROWSER_SECRET_BYTES = 32;

/** Creates the link that a person opens to begin a connection. */
export async function createConnectLink(
  env: SealEnv,
  toolId: string,
  row: CredentialRow,
  { origin, keyId }: { readonly origin: string; readonly keyId: string },
): Promise<Result<ConnectLink, Failure>> {
  const opened = await unsealCredential(env, toolId, row);
  if (!opened.ok) return opened;
  const { credential } = opened.value;
  if (credential.type !== "oauth-authorization-code") {
    const message = `must be oauth-authorization-code to be connected, and the tool's credentials are ${row.type}; put others with PUT`;
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

/** The ticket of a link that this service created for the tool, while it is valid. */
export function readConnectTicket(
  env: SealEnv,
  toolId: string,
  ticket: string,
  now: number,
): Promise<Result<ConnectTicket, Failure>> {
  return unsealUnexpired<ConnectTicket>(env, toolId, "ticket", ticket, now);
}

/** Begins the authorization code flow with PKCE. Only the browser that opened the link can finish it (RFC 9700, 4.7.1). */
export async function createAuthorizationRedirect(
  env: SealEnv,
  toolId: string,
  ticket: ConnectTicket,
  credential: AuthorizationCodeGrant,
): Promise<Result<AuthorizationRedirect, Failure>> {
  const oauth = await import("oauth4webapi");
  const verifier = oauth.generateRandomCodeVerifier();
  const browser = randomBytes(BROWSER_SECRET_BYTES).toString("hex");
  const state: ConnectState = { ...ticket, verifier, browserHash: await sha256Hex(browser) };
  const sealed = await sealWithCurrentKey(env, sealPurpose(toolId, "state"), state);
  if (!sealed.ok) return sealed;
  const url = buildAuthorizationUrl(credential, {
    redirect_uri: ticket.redirectUri,
    state: sealed.value,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const maxAgeSeconds = Math.ceil((ticket.expiresAt - Date.now()) / 1_000);
  return ok({ url, browser, maxAgeSeconds: Math.max(1, maxAgeSeconds) });
}

/** The state that this service issued for the tool and the browser, while it is valid. */
export async function readConnectState(
  env: SealEnv,
  toolId: string,
  { state, browser }: { readonly state: string; readonly browser: string | null },
  now: number,
): Promise<Result<ConnectState, Failure>> {
  const opened = await unsealUnexpired<ConnectState>(env, toolId, "state", state, now);
  if (!opened.ok) return opened;
  const read = opened.value;
  const isSameBrowser = browser !== null && (await sha256Hex(browser)) === read.browserHash;
  if (isSameBrowser) return opened;
  const message = "must be returned in the browser that opened the link, with its cookie";
  return fail(createConnectFailure("state", message));
}

/** The parameter that a sealed value is in. */
export type SealedParameter = "state" | "ticket";

export function createConnectFailure(path: SealedParameter, message: string): Failure {
  return createFieldFailure(path, `${message}; begin again with POST …/credentials/connect`);
}

/** Keeps parameters that the authorization URL already has, such as `prompt`. */
function buildAuthorizationUrl(
  credential: AuthorizationCodeGrant,
  parameters: Readonly<Record<string, string>>,
): string {
  const url = new URL(credential.authorizationUrl);
  const client = { response_type: "code", client_id: credential.clientId };
  const all = { ...client, ...toOauthParameters(credential), ...parameters };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return url.href;
}

function sealPurpose(toolId: string, parameter: SealedParameter): string {
  return parameter === "ticket" ? `connection ticket ${toolId}` : `connection ${toolId}`;
}

/** Only this service can seal for a purpose, so the value has the type of that purpose. */
async function unsealUnexpired<Sealed extends ConnectTicket>(
  env: SealEnv,
  toolId: string,
  path: SealedParameter,
  sealed: string,
  now: number,
): Promise<Result<Sealed, Failure>> {
  const keys = parseSealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const opened = await unseal(keys.value, sealPurpose(toolId, path), sealed);
  if (opened === null)
    return fail(createConnectFailure(path, "was not issued by this service for this tool"));
  const value = opened.value as unknown as Sealed;
  return now < value.expiresAt ? ok(value) : fail(createConnectFailure(path, "has expired"));
}
