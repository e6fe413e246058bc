import { env } from "cloudflare:workers";
import { expect, inject } from "vitest";
import type { RequestAuthorization, Connector } from "../../../../src/tools/model/connector.ts";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import type { ToolDefinition } from "../../../../src/tools/model/tool.ts";
import { resolveAuthorization } from "../../../../src/tools/credentials/authorization.ts";
import {
  findToolCredential,
  type CredentialRow,
  type CredentialTool,
} from "../../../../src/tools/credentials/credentials.store.ts";
import { getDatabase } from "../../../../src/platform/d1/client.ts";
import { foreignTool, registerTools } from "../../../support/catalogue.ts";
import { get, ORIGIN, post, send, type Answer } from "../../../support/client.ts";

/** The OAuth server's origin. */
export const OAUTH = inject("outside")["oauth"] ?? "";
export const TOKEN_URL = `${OAUTH}/token`;
export const AUTHORIZATION_URL = `${OAUTH}/authorize`;

const HTTP: Connector = {
  type: "http",
  baseUrl: OAUTH,
  headers: {},
  timeoutMs: 5_000,
  credential: null,
};

/** Inserts an HTTP tool into the catalogue, by default with OAuth, and returns its id. */
export async function toolOf(
  changes: Partial<ToolDefinition> = {},
  connector: Connector = HTTP,
): Promise<string> {
  const id = `tool-${crypto.randomUUID()}`;
  await registerTools(
    foreignTool(id, { authentication: { type: "oauth", scopes: [] }, ...changes }),
  );
  await env.DB.prepare("UPDATE tools SET connector = ? WHERE id = ?")
    .bind(JSON.stringify(connector), id)
    .run();
  return id;
}

/** A client's state in the OAuth server; see test/support/servers/oauth.ts. */
export interface ClientMemory {
  readonly requests: readonly Record<string, string>[];
  readonly accessTokens: readonly string[];
  readonly refreshTokens: readonly string[];
  readonly refreshToken: string | null;
}

/** Registers or changes a client of the OAuth server, and returns its id. */
export async function client(settings: JsonObject, id = `c-${crypto.randomUUID()}`) {
  await fetch(`${OAUTH}/control/${id}`, { method: "PUT", body: JSON.stringify(settings) });
  return id;
}

export async function memoryOf(clientId: string): Promise<ClientMemory> {
  return (await fetch(`${OAUTH}/control/${clientId}`)).json();
}

export const at = (toolId: string): string => `/agents/tools/${toolId}/credentials`;

export const put = (toolId: string, body: JsonObject): Promise<Answer> =>
  send("PUT", at(toolId), body);

/** Stores credentials and asserts that this succeeds. */
export async function putCredentials(toolId: string, body: JsonObject): Promise<void> {
  const answer = await put(toolId, body);
  expect([200, 201], answer.text).toContain(answer.status);
}

export async function stored(
  toolId: string,
): Promise<{ tool: CredentialTool; row: CredentialRow | null }> {
  const found = await findToolCredential(getDatabase(env.DB), toolId);
  if (found === null) throw new Error(`Tool ${toolId} does not exist`);
  return found;
}

/** Returns the stored row, which must exist. */
export async function rowOf(toolId: string): Promise<CredentialRow> {
  const { row } = await stored(toolId);
  if (row === null) throw new Error(`Tool ${toolId} has no credentials`);
  return row;
}

/** Returns the authorization that a call to the tool would use now. */
export async function authorizeCall(toolId: string, bindings: Env = env) {
  const { tool, row } = await stored(toolId);
  return resolveAuthorization(bindings, tool, row, null);
}

/** Like `authorizeCall`, but asserts that it succeeds. */
export async function expectAuthorized(
  toolId: string,
  bindings: Env = env,
): Promise<RequestAuthorization> {
  const outcome = await authorizeCall(toolId, bindings);
  if (!outcome.ok || outcome.value === null) throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

/** Whether the client's resource server accepts this authorization. */
export async function isAccepted(
  clientId: string,
  { name, value }: RequestAuthorization,
): Promise<boolean> {
  const answer = await fetch(`${OAUTH}/resource/${clientId}`, { headers: { [name]: value } });
  await answer.body?.cancel();
  return answer.status === 200;
}

/** The cookies of browsers that opened a link, by the `state` parameter of their redirect. */
const cookies = new Map<string, string>();

/** Starts a connection and returns the link that a person opens in a browser. */
export async function connectLink(toolId: string): Promise<URL> {
  const answer = await post(`${at(toolId)}/connect`);
  expect(answer.status, answer.text).toBe(200);
  return new URL(answer.body.data.url);
}

/**
 * Starts a connection, opens its link as a browser would, stores the browser's cookie, and returns
 * the authorization URL.
 */
export async function connectUrl(toolId: string): Promise<URL> {
  const opened = await openLink(await connectLink(toolId));
  const url = new URL(opened.headers.get("Location") ?? "");
  cookies.set(url.searchParams.get("state") ?? "", cookieOf(opened));
  return url;
}

export function openLink(link: URL): Promise<Answer> {
  return get(`${link.pathname}${link.search}`, { key: null });
}

/** Returns the cookie set by a response, in the form in which a browser sends it back. */
export function cookieOf({ headers }: Answer): string {
  return headers.get("Set-Cookie")?.split(";")[0] ?? "";
}

/**
 * Gives consent as a person would, and returns the URL to which the authorization server redirects
 * the browser.
 */
export async function consent(url: URL): Promise<URL> {
  const answer = await fetch(url, { redirect: "manual" });
  const location = answer.headers.get("Location");
  if (location === null) throw new Error(await answer.text());
  return new URL(location);
}

/**
 * Returns the cookie of the browser that was redirected to this URL, or an empty string if there is
 * none.
 */
export function cookieFor(to: URL): string {
  return cookies.get(to.searchParams.get("state") ?? "") ?? "";
}

/**
 * Follows the authorization server's redirect in the browser that opened the link, without a key.
 */
export function returnFromConsent(
  to: URL,
  accept = "application/json",
  cookie = cookieFor(to),
): Promise<Answer> {
  expect(to.origin).toBe(ORIGIN);
  const headers = { Accept: accept, ...(cookie === "" ? {} : { Cookie: cookie }) };
  return get(`${to.pathname}${to.search}`, { key: null, headers });
}

/** Creates a gate and a token URL that does not respond until the gate opens. */
export function gate() {
  const name = crypto.randomUUID();
  const url = `${OAUTH}/gate/${name}`;
  return {
    tokenUrl: `${TOKEN_URL}?gate=${name}`,
    /** Resolves once a token request has arrived. */
    reached: () => fetch(url).then((answer) => answer.text()),
    open: () => fetch(url, { method: "PUT" }).then((answer) => answer.text()),
  };
}

/** Stores a public client's credentials, so that a person can connect the tool. */
export async function putAuthorizationCode(toolId: string, clientId: string): Promise<void> {
  await putCredentials(toolId, {
    type: "oauth-authorization-code",
    tokenUrl: TOKEN_URL,
    authorizationUrl: AUTHORIZATION_URL,
    clientId,
  });
}
