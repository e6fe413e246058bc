import { Hono } from "hono";
import { credentialOperations } from "./operations.ts";
import { html } from "hono/html";
import { getDatabase } from "../../platform/d1/client.ts";
import { createConflictFailure, createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { hasAuthorizationHeader } from "../../http/middleware.ts";
import {
  type AppContext,
  type AppEnv,
  readPathParam,
  requestOriginOf,
} from "../../http/envelope.ts";
import { defineEndpoint, answerOtherMethods } from "../../http/endpoint.ts";
import { toWireError } from "../../http/to-wire-error.ts";
import type { WireError } from "../../http/wire-error.ts";
import { actorOf, actorWithKey } from "../../governance/audit/actor.ts";
import { audited } from "../../governance/audit/audited.ts";
import { buildCredential, checkToolAddresses } from "./build-credential.ts";
import {
  beginAuthorization,
  completeAuthorization,
  createConnectLink,
} from "./oauth-connection.ts";
import {
  deleteCredential,
  findCredential,
  findToolCredential,
  saveCredential,
  type CredentialRow,
} from "./credentials.store.ts";
import { sealCredential, unsealCredential, type UnsealedCredential } from "./seal-credential.ts";
import { toIsoTime } from "../../kernel/text.ts";
import type { CredentialsResponse } from "./schemas.ts";
import { log } from "../../platform/log.ts";
import { isConnected, scopesOf } from "../model/credential.ts";

/**
 * Whether the request is part of connecting a tool in a browser, with a sealed `ticket` or `state` instead of a key.
 */
export function isConnectRequest(c: AppContext): boolean {
  return (
    c.req.method === "GET" &&
    /^\/agents\/tools\/[^/]+\/credentials\/(?:authorize|callback)$/.test(c.req.path) &&
    !hasAuthorizationHeader(c)
  );
}

const putCredentials = defineEndpoint(credentialOperations.putCredentials, async (c, { body }) => {
  const toolId = readPathParam(c, "id");
  const found = await findToolCredential(getDatabase(c.env.DB), toolId);
  if (found === null) return fail<Failure>({ kind: "not_found", what: "tool", id: toolId });
  if (found.tool.connector.type === "builtin") {
    const message =
      "must be the id of a tool that calls another system; built-in tools need no credentials";
    return fail(createFieldFailure("id", message));
  }
  const exposed = await checkToolAddresses(c.env, found.tool);
  if (exposed.length > 0) return fail<Failure>({ kind: "validation", problems: exposed });
  const credential = await buildCredential(c.env, found.tool, body);
  if (!credential.ok) return credential;
  const sealed = await sealCredential(c.env, toolId, credential.value);
  if (!sealed.ok) return sealed;
  const wanted = { type: body.type, sealed: sealed.value, now: Date.now() };
  const judged = { id: toolId, version: found.version };
  const db = getDatabase(c.env.DB);
  const row = await audited(c.env, actorOf(c), async (record) => {
    const before = await findCredential(db, toolId);
    const batch = record({
      action: "credentials.set",
      subjectId: toolId,
      before: before && { type: before.type },
      after: { type: body.type, secretsReplaced: before === null ? undefined : true },
    });
    return saveCredential(db, judged, wanted, c.get("key").id, batch);
  });
  if (row === null) return fail<Failure>(createConflictFailure(`The tool ${toolId}`));
  const view = await loadView(c, row);
  const status = found.row === null ? (201 as const) : (200 as const);
  return view.ok ? ok({ data: view.value, status }) : view;
});

const getCredentials = defineEndpoint(credentialOperations.getCredentials, async (c) => {
  const row = await findRow(c);
  const view = row.ok ? await loadView(c, row.value) : row;
  return view.ok ? ok({ data: view.value }) : view;
});

const deleteCredentials = defineEndpoint(credentialOperations.deleteCredentials, async (c) => {
  const toolId = readPathParam(c, "id");
  const row = await findRow(c);
  if (!row.ok) return row;
  const { type } = row.value;
  const entry = { action: "credentials.deleted", subjectId: toolId, before: { type } } as const;
  const isDeleted = await audited(c.env, actorOf(c), (record) =>
    deleteCredential(getDatabase(c.env.DB), toolId, record(entry)),
  );
  if (isDeleted) return ok({ data: { toolId, deleted: true } });
  return fail<Failure>({ kind: "not_found", what: "credentials", id: toolId });
});

const postConnect = defineEndpoint(credentialOperations.connectCredentials, async (c) => {
  const row = await findRow(c);
  if (!row.ok) return row;
  const started = await createConnectLink(c.env, readPathParam(c, "id"), row.value, {
    origin: requestOriginOf(c),
    keyId: c.get("key").id,
  });
  return started.ok ? ok({ data: started.value }) : started;
});

/** Handles the link that a browser opens. Only that browser can finish the flow at `callback`. */
const getAuthorize = defineEndpoint(credentialOperations.openConnection, async (c, { query }) => {
  const consent = await beginAuthorization(c.env, readPathParam(c, "id"), query.ticket);
  if (!consent.ok) return wantsHtml(c) ? failurePage(c, consent.failure) : consent;
  const { url, browser, maxAgeSeconds } = consent.value;
  return c.body(null, 302, {
    Location: url,
    "Set-Cookie": buildCookie(c, browser, maxAgeSeconds),
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
  });
});

/** Browsers get a page; programs get JSON. Unknown parameters must be ignored (RFC 6749). */
const getCallback = defineEndpoint(credentialOperations.finishConnection, async (c) => {
  const toolId = readPathParam(c, "id");
  // The secret identifies the browser that opened the link.
  const browser = COOKIE_VALUE.exec(c.req.header("Cookie") ?? "")?.[1] ?? null;
  const { searchParams } = new URL(c.req.url);
  const finished = await completeAuthorization(c.env, toolId, searchParams, {
    browser,
    actorWithKey: (keyId) => actorWithKey(c, keyId, null),
  });
  if (finished.ok) c.header("Set-Cookie", buildCookie(c, "", 0));
  const outcome = finished.ok ? finished : fail(redactClient(toolId, finished.failure));
  if (wantsHtml(c)) {
    return outcome.ok
      ? htmlPage(c, 200, "The tool is connected. You can close this page.")
      : failurePage(c, outcome.failure);
  }
  return outcome.ok ? ok({ data: { toolId, connected: true } }) : outcome;
});

const COOKIE = "bosun_connect";
const COOKIE_VALUE = new RegExp(`(?:^|;\\s*)${COOKIE}=([0-9a-f]{64})(?:;|$)`);

/** A cookie that is sent only to this tool's callback. `Lax`, because the browser returns from another site. */
function buildCookie(c: AppContext, value: string, maxAgeSeconds: number): string {
  const { protocol, pathname } = new URL(c.req.url);
  const path = pathname.replace(/[^/]+$/, "callback");
  const secure = protocol === "https:" ? "; Secure" : "";
  return `${COOKIE}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** Removes details of the OAuth client and its token endpoint, because the person with the link should not see them. */
function redactClient(toolId: string, failure: Failure): Failure {
  const reason =
    "its authorization server issued no token. Ask an administrator of the tool to check its credentials, then open a new link.";
  switch (failure.kind) {
    case "credentials_required":
      log.warn("oauth_connection_rejected", { toolId, error: failure.reason });
      return { kind: failure.kind, toolId, reason };
    case "tool_failed":
      log.warn("oauth_connection_failed", { toolId, error: failure.reason });
      return { ...failure, reason, details: null };
    default:
      return failure;
  }
}

function wantsHtml(c: AppContext): boolean {
  return c.req.header("Accept")?.includes("text/html") === true && !hasAuthorizationHeader(c);
}

function failurePage(c: AppContext, failure: Failure): Response {
  const { status, message } = toWireError(failure);
  return htmlPage(c, status, message);
}

/** An HTML page that has no scripts or external content and sends no referrer. */
function htmlPage(c: AppContext, status: 200 | WireError["status"], text: string): Response {
  const body = html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <title>Bosun</title>
      <h1>${readPathParam(c, "id")}</h1>
      <p>${text}</p>
    </html>`;
  return c.newResponse(body.toString(), status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy":
      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
  });
}

async function findRow(c: AppContext): Promise<Result<CredentialRow, Failure>> {
  const id = readPathParam(c, "id");
  const found = await findToolCredential(getDatabase(c.env.DB), id);
  if (found === null) return fail({ kind: "not_found", what: "tool", id });
  return found.row === null ? fail({ kind: "not_found", what: "credentials", id }) : ok(found.row);
}

async function loadView(
  c: AppContext,
  row: CredentialRow,
): Promise<Result<CredentialsResponse, Failure>> {
  const toolId = readPathParam(c, "id");
  const unsealed = await unsealCredential(c.env, toolId, row);
  return unsealed.ok ? ok(credentialView(toolId, row, unsealed.value, Date.now())) : unsealed;
}

/** Credentials without their secrets, plus their status. */
function credentialView(
  toolId: string,
  { updatedAt }: CredentialRow,
  { credential, keyId }: UnsealedCredential,
  now: number,
): CredentialsResponse {
  const { type } = credential;
  const scopes = scopesOf(credential);
  const shared = { keyId, scopes, updatedAt: toIsoTime(updatedAt) };
  if (type === "api-key") {
    const { in: where, name, prefix } = credential.place;
    const shownPrefix = where === "query" ? undefined : prefix;
    return { toolId, type, ...shared, in: where, name, prefix: shownPrefix };
  }
  const expiresAt = toIsoTime(credential.token?.expiresAt ?? null) ?? undefined;
  const { tokenUrl, clientId, clientSecret, clientAuthentication } = credential;
  const client = {
    tokenUrl: withoutQuery(tokenUrl),
    clientId,
    clientAuthentication: clientSecret === null ? undefined : clientAuthentication,
    audience: credential.audience ?? undefined,
    resource: credential.resource ?? undefined,
  };
  // Client credentials need no grant.
  if (type === "oauth-client-credentials") return { toolId, type, ...shared, expiresAt, ...client };
  const granted = { ...shared, connected: isConnected(credential, now), expiresAt };
  if (type === "oauth-refresh-token") return { toolId, type, ...granted, ...client };
  const { authorizationUrl, issuer } = credential;
  const consent = { authorizationUrl: withoutQuery(authorizationUrl), issuer: issuer ?? undefined };
  return { toolId, type, ...granted, ...consent, ...client };
}

/** Removes the query, which can contain a secret. The URL is parsed because the stored text can contain line breaks. */
function withoutQuery(text: string): string {
  const url = new URL(text);
  url.search = "";
  return url.href;
}

export const credentialRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get("/agents/tools/:id/credentials", ...getCredentials)
    .put("/agents/tools/:id/credentials", ...putCredentials)
    .delete("/agents/tools/:id/credentials", ...deleteCredentials)
    .post("/agents/tools/:id/credentials/connect", ...postConnect)
    .get("/agents/tools/:id/credentials/authorize", ...getAuthorize)
    .get("/agents/tools/:id/credentials/callback", ...getCallback),
);
