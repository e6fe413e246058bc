import { sha256Hex } from "../../platform/crypto/sha256.ts";
import { toHex } from "../../kernel/bytes.ts";
import { isJsonObject, type Json } from "../../kernel/json.ts";
import type { AuthorizationCodeGrant } from "../model/credential.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { CONNECT_WINDOW_MS } from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { unseal, seal, parseSealKeys } from "../../platform/crypto/seal.ts";
import type { CredentialRow } from "./credentials.store.ts";
import { unsealCredential, type CredentialSealEnv } from "./seal-credential.ts";

/** Where a person is sent to give consent, and until when the answer is awaited. */
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

/** Where to redirect a browser for consent, and the secret that identifies it when it returns. */
export interface AuthorizationRedirect {
  readonly url: string;
  readonly browser: string;
  readonly maxAgeSeconds: number;
}

const BROWSER_SECRET_BYTES = 32;

/** Creates the link that a person opens to begin a connection. */
export async function createConnectLink(
  env: CredentialSealEnv,
  toolId: string,
  row: CredentialRow,
  { origin, keyId }: { readonly origin: string; readonly keyId: string },
): Promise<Result<ConnectLink, Failure>> {
  const keys = parseSealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
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
  const sealed = await seal(keys.value, ticketPurpose(toolId), ticket);
  const url = `${at}/authorize?${new URLSearchParams({ ticket: sealed }).toString()}`;
  return ok({ url, redirectUri, expiresAt: new Date(expiresAt).toISOString() });
}

/**
 * Begins the authorization code flow with PKCE (RFC 6749, 4.1; RFC 7636; RFC 9700). Only the browser that
 * opened the link can finish it (RFC 9700, 4.7.1).
 */
export async function createAuthorizationRedirect(
  env: CredentialSealEnv,
  toolId: string,
  given: string,
  credentialFor: (ticket: ConnectTicket) => Promise<Result<AuthorizationCodeGrant, Failure>>,
): Promise<Result<AuthorizationRedirect, Failure>> {
  const keys = parseSealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const opened = await unseal(keys.value, ticketPurpose(toolId), given);
  if (opened === null)
    return fail(createConnectFailure("ticket", "was not issued by this service for this tool"));
  const ticket = asTicket(opened.value);
  const leftMs = ticket.expiresAt - Date.now();
  if (leftMs <= 0) return fail(createConnectFailure("ticket", "has expired"));
  const credential = await credentialFor(ticket);
  if (!credential.ok) return credential;
  const oauth = await import("oauth4webapi");
  const verifier = oauth.generateRandomCodeVerifier();
  const browser = toHex(crypto.getRandomValues(new Uint8Array(BROWSER_SECRET_BYTES)));
  const state: ConnectState = { ...ticket, verifier, browserHash: await sha256Hex(browser) };
  const url = buildAuthorizationUrl(credential.value, {
    redirect_uri: ticket.redirectUri,
    state: await seal(keys.value, statePurpose(toolId), state),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  return ok({ url, browser, maxAgeSeconds: Math.ceil(leftMs / 1_000) });
}

/** The state that `openConnection` issued for this tool and browser, while it is valid. */
export async function readConnectState(
  env: CredentialSealEnv,
  toolId: string,
  { state, browser }: { readonly state: string; readonly browser: string | null },
  now: number,
): Promise<Result<ConnectState, Failure>> {
  const keys = parseSealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const opened = await unseal(keys.value, statePurpose(toolId), state);
  if (opened === null)
    return fail(
      createConnectFailure("state", "is not one that this service gave out for this tool"),
    );
  const read = asState(opened.value);
  if (now >= read.expiresAt) return fail(createConnectFailure("state", "has expired"));
  const isSameBrowser = browser !== null && (await sha256Hex(browser)) === read.browserHash;
  return isSameBrowser
    ? ok(read)
    : fail(
        createConnectFailure(
          "state",
          "must be returned in the browser that opened the link, with its cookie",
        ),
      );
}

export function createConnectFailure(path: "state" | "ticket", message: string): Failure {
  return createFieldFailure(path, `${message}; begin again with POST …/credentials/connect`);
}

/** What the authorization URL carries of its own, such as `prompt`, stays. */
function buildAuthorizationUrl(
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

function statePurpose(toolId: string): string {
  return `connection ${toolId}`;
}

function ticketPurpose(toolId: string): string {
  return `connection ticket ${toolId}`;
}

/** What opens under a key and for a use of ours, `startConnection` has sealed. */
function asTicket(value: Json): ConnectTicket {
  if (!isJsonObject(value)) throw new Error("a sealed ticket is an object");
  return value as unknown as ConnectTicket;
}

/** What opens under a key and for a use of ours, `openConnection` has sealed. */
function asState(value: Json): ConnectState {
  if (!isJsonObject(value)) throw new Error("a sealed state is an object");
  return value as unknown as ConnectState;
}
