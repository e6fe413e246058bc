import { sha256 } from "../../bytes/sha256.ts";
import { hex } from "../../domain/hex.ts";
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

/** The sealed content of a connection link. Nothing about an unfinished connection is stored. */
export interface Ticket {
  readonly redirectUri: string;
  /** The key that created the link; absent in links of earlier releases. */
  readonly keyId?: string;
  readonly connectionId: string;
  readonly expiresAt: number;
}

/** The sealed content of `state`. `browserHash` is the hash of the secret in the browser's cookie. */
export interface ConnectState extends Ticket {
  readonly verifier: string;
  readonly browserHash: string;
}

/** Where to redirect a browser for consent, and the secret that identifies it when it returns. */
export interface Consent {
  readonly url: string;
  readonly browser: string;
  readonly maxAgeSeconds: number;
}

const BROWSER_BYTES = 32;

/** Creates the link that a person opens to begin a connection. */
export async function startConnection(
  env: SealEnv,
  toolId: string,
  row: CredentialRow,
  { origin, keyId }: { readonly origin: string; readonly keyId: string },
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
  const at = `${origin}/agents/tools/${encodeURIComponent(toolId)}/credentials`;
  const redirectUri = `${at}/callback`;
  const { connectionId } = credential;
  const expiresAt = Date.now() + CONNECT_WINDOW_MS;
  const ticket: Ticket = { redirectUri, keyId, connectionId, expiresAt };
  const sealed = await seal(keys.value, ticketUse(toolId), ticket);
  const url = `${at}/authorize?${new URLSearchParams({ ticket: sealed }).toString()}`;
  return ok({ url, redirectUri, expiresAt: new Date(expiresAt).toISOString() });
}

/**
 * Begins the authorization code flow with PKCE (RFC 6749, 4.1; RFC 7636; RFC 9700). Only the browser that
 * opened the link can finish it (RFC 9700, 4.7.1).
 */
export async function openConnection(
  env: SealEnv,
  toolId: string,
  given: string,
  credentialFor: (ticket: Ticket) => Promise<Result<AuthorizationCodeGrant, Failure>>,
): Promise<Result<Consent, Failure>> {
  const keys = sealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const opened = await open(keys.value, ticketUse(toolId), given);
  if (opened === null)
    return fail(unusable("ticket", "was not issued by this service for this tool"));
  const ticket = asTicket(opened.value);
  const leftMs = ticket.expiresAt - Date.now();
  if (leftMs <= 0) return fail(unusable("ticket", "has expired"));
  const credential = await credentialFor(ticket);
  if (!credential.ok) return credential;
  const oauth = await import("oauth4webapi");
  const verifier = oauth.generateRandomCodeVerifier();
  const browser = hex(crypto.getRandomValues(new Uint8Array(BROWSER_BYTES)));
  const state: ConnectState = { ...ticket, verifier, browserHash: await sha256(browser) };
  const url = authorizationUrl(credential.value, {
    redirect_uri: ticket.redirectUri,
    state: await seal(keys.value, useOf(toolId), state),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  return ok({ url, browser, maxAgeSeconds: Math.ceil(leftMs / 1_000) });
}

/** The state that `openConnection` issued for this tool and browser, while it is valid. */
export async function readState(
  env: SealEnv,
  toolId: string,
  { state, browser }: { readonly state: string; readonly browser: string | null },
  now: number,
): Promise<Result<ConnectState, Failure>> {
  const keys = sealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const opened = await open(keys.value, useOf(toolId), state);
  if (opened === null)
    return fail(unusable("state", "is not one that this service gave out for this tool"));
  const read = asState(opened.value);
  if (now >= read.expiresAt) return fail(unusable("state", "has expired"));
  const isSameBrowser = browser !== null && (await sha256(browser)) === read.browserHash;
  return isSameBrowser
    ? ok(read)
    : fail(
        unusable("state", "must be returned in the browser that opened the link, with its cookie"),
      );
}

export function unusable(path: "state" | "ticket", message: string): Failure {
  return invalid(path, `${message}; begin again with POST …/credentials/connect`);
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

function ticketUse(toolId: string): string {
  return `connection ticket ${toolId}`;
}

/** What opens under a key and for a use of ours, `startConnection` has sealed. */
function asTicket(value: Json): Ticket {
  if (!isJsonObject(value)) throw new Error("a sealed ticket is an object");
  return value as unknown as Ticket;
}

/** What opens under a key and for a use of ours, `openConnection` has sealed. */
function asState(value: Json): ConnectState {
  if (!isJsonObject(value)) throw new Error("a sealed state is an object");
  return value as unknown as ConnectState;
}
