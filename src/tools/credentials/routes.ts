import type { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod";
import { database } from "../../db/client.ts";
import { invalid, type Failure } from "../../domain/failure.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { bearsKey } from "../../http/auth.ts";
import type { AppContext, AppEnv } from "../../http/context.ts";
import { endpoint, resource } from "../../http/endpoint.ts";
import { originOf, param } from "../../http/named.ts";
import { onTheWire } from "../../http/failure.ts";
import type { WireFailure } from "../../http/refusal.ts";
import { acceptCredential, toolAddressProblems } from "./accept.ts";
import { beginConsent, finishConnection } from "./callback.ts";
import { startConnection } from "./connect.ts";
import {
  deleteCredential,
  findToolCredential,
  putCredential,
  type CredentialRow,
} from "./store.ts";
import { sealCredential, unsealCredential } from "./vault.ts";
import { credentialView } from "./view.ts";
import { authorizeQuery, callbackQuery, credentialBody } from "./wire.ts";

/** What tools authenticate with: put, looked at, connected and deleted, never read back. */
export function credentialRoutes(app: Hono<AppEnv>): void {
  resource(app, "/agents/tools/:id/credentials", { GET: look, PUT: put, DELETE: remove });
  resource(app, "/agents/tools/:id/credentials/connect", { POST: connect });
  resource(app, "/agents/tools/:id/credentials/authorize", { GET: authorize });
  resource(app, "/agents/tools/:id/credentials/callback", { GET: callback });
}

/** Whether a browser is connecting a tool: a sealed `ticket` or `state` authorises it instead of a key. */
export function isConnectCallback(c: AppContext): boolean {
  return (
    c.req.method === "GET" &&
    /^\/agents\/tools\/[^/]+\/credentials\/(?:authorize|callback)$/.test(c.req.path) &&
    !bearsKey(c)
  );
}

const put = endpoint({ scope: "tools:manage", body: credentialBody }, async (c, { body }) => {
  const toolId = param(c, "id");
  const found = await findToolCredential(database(c.env.DB), toolId);
  if (found === null) return fail<Failure>({ kind: "not_found", what: "tool", id: toolId });
  if (found.tool.connector.type === "builtin") {
    return fail(
      invalid(
        "id",
        "must be of a tool that reaches another system; built-in tools need no credentials",
      ),
    );
  }
  const exposed = await toolAddressProblems(c.env, found.tool);
  if (exposed.length > 0) return fail<Failure>({ kind: "validation", problems: exposed });
  const credential = await acceptCredential(c.env, found.tool, body);
  if (!credential.ok) return credential;
  const sealed = await sealCredential(c.env, toolId, credential.value);
  if (!sealed.ok) return sealed;
  const wanted = { type: body.type, sealed: sealed.value, now: Date.now() };
  const judged = { id: toolId, version: found.version };
  const row = await putCredential(database(c.env.DB), judged, wanted, c.get("key").id);
  if (row === null) {
    return fail<Failure>({ kind: "unavailable", what: "The tool, which others are changing," });
  }
  const view = await shown(c, row);
  const status = found.row === null ? (201 as const) : (200 as const);
  return view.ok ? ok({ data: view.value, status }) : view;
});

const look = endpoint({ scope: "tools:manage" }, async (c) => {
  const row = await rowOf(c);
  const view = row.ok ? await shown(c, row.value) : row;
  return view.ok ? ok({ data: view.value }) : view;
});

const remove = endpoint({ scope: "tools:manage" }, async (c) => {
  const toolId = param(c, "id");
  const row = await rowOf(c);
  if (!row.ok) return row;
  if (await deleteCredential(database(c.env.DB), toolId)) {
    return ok({ data: { toolId, deleted: true } });
  }
  return fail<Failure>({ kind: "not_found", what: "credentials", id: toolId });
});

const connect = endpoint(
  { scope: "tools:manage", body: z.strictObject({}), emptyBody: {} },
  async (c) => {
    const row = await rowOf(c);
    if (!row.ok) return row;
    const started = await startConnection(c.env, param(c, "id"), row.value, {
      origin: originOf(c),
      keyId: c.get("key").id,
    });
    return started.ok ? ok({ data: started.value }) : started;
  },
);

/** The link that a browser opens. Only that browser can finish at `callback`. */
const authorize = endpoint({ query: authorizeQuery }, async (c, { query }) => {
  const consent = await beginConsent(c.env, param(c, "id"), query.ticket);
  if (!consent.ok) return isForPeople(c) ? refusedPage(c, consent.failure) : consent;
  const { url, browser, maxAgeSeconds } = consent.value;
  return c.body(null, 302, {
    Location: url,
    "Set-Cookie": cookie(c, browser, maxAgeSeconds),
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
  });
});

/**
 * A browser gets a page; a request with a key comes from a program. Authorization servers add their own
 * parameters, which RFC 6749 requires clients to ignore.
 */
const callback = endpoint({ query: callbackQuery, ownQuery: null }, async (c) => {
  const toolId = param(c, "id");
  const browser = browserOf(c);
  const { searchParams } = new URL(c.req.url);
  const finished = await finishConnection(c.env, toolId, searchParams, browser);
  if (finished.ok) c.header("Set-Cookie", cookie(c, "", 0));
  const outcome = finished.ok ? finished : fail(withoutClient(toolId, finished.failure));
  if (isForPeople(c)) {
    return outcome.ok
      ? page(c, 200, "The tool is connected. You can close this page.")
      : refusedPage(c, outcome.failure);
  }
  return outcome.ok ? ok({ data: { toolId, connected: true } }) : outcome;
});

const COOKIE = "bosun_connect";
const COOKIE_VALUE = new RegExp(`(?:^|;\\s*)${COOKIE}=([0-9a-f]{64})(?:;|$)`);

/** The secret of the browser that opened a link; null for any other client. */
function browserOf(c: AppContext): string | null {
  return COOKIE_VALUE.exec(c.req.header("Cookie") ?? "")?.[1] ?? null;
}

/** A cookie for this tool's callback only. `Lax`, because the browser returns from another site. */
function cookie(c: AppContext, value: string, maxAgeSeconds: number): string {
  const { protocol, pathname } = new URL(c.req.url);
  const path = pathname.replace(/[^/]+$/, "callback");
  const secure = protocol === "https:" ? "; Secure" : "";
  return `${COOKIE}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** The failure without details of the OAuth client or its token endpoint, for the person with the link. */
function withoutClient(toolId: string, failure: Failure): Failure {
  const reason =
    "its authorization server issued no token. Ask an administrator of the tool to check its credentials, then open a new link.";
  switch (failure.kind) {
    case "credentials_required":
      console.warn({ event: "connection_refused", toolId, reason: failure.reason });
      return { kind: failure.kind, toolId, reason };
    case "tool_failed":
      console.warn({ event: "connection_failed", toolId, reason: failure.reason });
      return { ...failure, reason, details: null };
    default:
      return failure;
  }
}

function isForPeople(c: AppContext): boolean {
  return c.req.header("Accept")?.includes("text/html") === true && !bearsKey(c);
}

function refusedPage(c: AppContext, failure: Failure): Response {
  const { status, message } = onTheWire(failure);
  return page(c, status, message);
}

/** A page that runs nothing, loads nothing and tells nobody where it came from. */
function page(c: AppContext, status: 200 | WireFailure["status"], text: string): Response {
  const body = html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <title>Bosun</title>
      <h1>${param(c, "id")}</h1>
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

async function rowOf(c: AppContext): Promise<Result<CredentialRow, Failure>> {
  const id = param(c, "id");
  const found = await findToolCredential(database(c.env.DB), id);
  if (found === null) return fail({ kind: "not_found", what: "tool", id });
  return found.row === null ? fail({ kind: "not_found", what: "credentials", id }) : ok(found.row);
}

async function shown(c: AppContext, row: CredentialRow): Promise<Result<object, Failure>> {
  const unsealed = await unsealCredential(c.env, param(c, "id"), row);
  return unsealed.ok
    ? ok(credentialView(param(c, "id"), row, unsealed.value, Date.now()))
    : unsealed;
}
