import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CONNECT_WINDOW_MS } from "../../../../src/tools/limits.ts";
import worker from "../../../../src/index.ts";
import { seal, parseSealKeys } from "../../../../src/platform/crypto/seal.ts";
import { answerOf, del, get, ORIGIN, post } from "../../../support/client.ts";
import { keyId, keyWith, UNMANAGING } from "../../../support/keys.ts";
import { expectProblems, expectError } from "../../../support/expect-errors.ts";
import * as world from "./fixtures.ts";

/** Creates a tool that has its own OAuth client and waits for a person's consent. */
async function connectable(settings = {}, changes = {}) {
  const clientId = await world.client({ secret: "client-secret", ...settings });
  const toolId = await world.toolOf();
  const body = {
    type: "oauth-authorization-code",
    tokenUrl: world.TOKEN_URL,
    authorizationUrl: world.AUTHORIZATION_URL,
    clientId,
    clientSecret: "client-secret",
    ...changes,
  };
  await world.putCredentials(toolId, body);
  return { clientId, toolId, body };
}

const isConnected = async (toolId: string): Promise<boolean> =>
  (await get(world.at(toolId))).body.data.connected;

afterEach(() => {
  vi.useRealTimers();
});

describe("a browser that returns after consent", () => {
  it("the callback page runs no script, shows no secret and is not cached", async () => {
    const { toolId } = await connectable();
    const to = await world.consent(await world.connectUrl(toolId));
    const page = await world.returnFromConsent(to, "text/html,application/xhtml+xml,*/*;q=0.8");
    expect([page.status, page.headers.get("Content-Type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(page.headers.get("Content-Security-Policy")).toMatch(/^default-src 'none'/);
    expect(page.headers.get("Cache-Control")).toBe("no-store");
    expect(page.headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(page.text).toContain("is connected");
    expect(page.text).not.toContain(to.searchParams.get("code"));
    expect(await isConnected(toolId)).toBe(true);
  });

  it("a failed callback shows the reason on a page without injected HTML", async () => {
    const { toolId } = await connectable();
    const state = (await world.connectUrl(toolId)).searchParams.get("state") ?? "";
    const query = new URLSearchParams({ state, error: "<script>alert(1)</script>" });
    const to = new URL(`https://bosun.test${world.at(toolId)}/callback?${query.toString()}`);
    const page = await world.returnFromConsent(to, "text/html");
    expect(page.status).toBe(400);
    expect(page.text).toContain("did not grant access");
    expect(page.text).not.toContain("script");
    const elsewhere = await get(
      `/agents/tools/${encodeURIComponent("<b>x</b>")}/credentials/callback?state=x`,
      {
        key: null,
        headers: { Accept: "text/html" },
      },
    );
    expect([elsewhere.status, elsewhere.text.includes("<b>")]).toEqual([400, false]);
  });

  it("a callback with an API key gets a JSON error even if it accepts HTML", async () => {
    const { toolId } = await connectable();
    const headers = { Accept: "text/html" };
    const answer = await get(`${world.at(toolId)}/callback?state=x`, { headers });
    expectProblems(answer, { state: /was not issued by this service/ });
  });

  it("the callback shows the authorization server's standard error and none of its other text", async () => {
    const { toolId, clientId } = await connectable();
    const url = await world.connectUrl(toolId);
    const state = url.searchParams.get("state") ?? "";
    for (const [error, message] of [
      ["access_denied", /not grant access: access_denied; start again/],
      ["my-own-secret-reason", /not grant access: an unknown error code; start again/],
    ] as const) {
      const query = new URLSearchParams({ state, error, error_description: "secret words" });
      const to = new URL(`https://bosun.test${world.at(toolId)}/callback?${query.toString()}`);
      const answer = await world.returnFromConsent(to);
      expectProblems(answer, { error: message });
      expect(answer.text).not.toContain("secret");
    }
    expect((await world.memoryOf(clientId)).requests).toEqual([]);
    expect((await world.returnFromConsent(await world.consent(url))).status).toBe(200);
  });
});

describe("a state", () => {
  it("a state is valid once, and a replay is rejected with any code", async () => {
    const { toolId, clientId } = await connectable();
    const url = await world.connectUrl(toolId);
    expect((await world.returnFromConsent(await world.consent(url))).status).toBe(200);
    const again = await world.returnFromConsent(await world.consent(url));
    expectProblems(again, { state: /has already been used/ });
    expect((await world.memoryOf(clientId)).requests).toHaveLength(1);
  });

  it("a state is valid for ten minutes", async () => {
    const { toolId } = await connectable();
    const started = Date.now();
    const url = await world.connectUrl(toolId);
    const to = await world.consent(url);
    vi.useFakeTimers({ toFake: ["Date"], now: started + CONNECT_WINDOW_MS + 5_000 });
    expectProblems(await world.returnFromConsent(to), { state: /has expired; start again/ });
    vi.setSystemTime(started + CONNECT_WINDOW_MS - 5_000);
    expect((await world.returnFromConsent(to)).status).toBe(200);
  });

  it("a state is not valid for credentials that were stored after it was issued", async () => {
    const { toolId, body } = await connectable();
    const to = await world.consent(await world.connectUrl(toolId));
    await world.putCredentials(toolId, body);
    expectProblems(await world.returnFromConsent(to), { state: /have changed since/ });
    expect(await isConnected(toolId)).toBe(false);
  });

  it("a state is valid only for one tool", async () => {
    const [one, other] = [await connectable(), await connectable()];
    const to = await world.consent(await world.connectUrl(one.toolId));
    to.pathname = to.pathname.replace(one.toolId, other.toolId);
    expectProblems(await world.returnFromConsent(to), {
      state: /was not issued by this service for/,
    });
  });

  it.each([
    ["shortened", (state: string) => state.slice(0, -2)],
    ["altered", (state: string) => state.replace(/.{4}$/, "AAAA")],
    ["forged", () => "eyJhbGciOiJub25lIn0.e30."],
    ["without encryption", () => `${btoa('{"alg":"none","kid":"test-1"}')}....`],
  ])("a state that is %s is rejected and causes no token request", async (_title, change) => {
    const { toolId, clientId } = await connectable();
    const to = await world.consent(await world.connectUrl(toolId));
    to.searchParams.set("state", change(to.searchParams.get("state") ?? ""));
    expectProblems(await world.returnFromConsent(to), {
      state: /was not issued by this service/,
    });
    expect((await world.memoryOf(clientId)).requests).toEqual([]);
  });

  it("a sealed credential is not accepted as a state, nor a state as a credential", async () => {
    const { toolId } = await connectable();
    const { sealed } = await world.rowOf(toolId);
    const answer = await get(`${world.at(toolId)}/callback?code=x&state=${sealed}`, { key: null });
    expectProblems(answer, { state: /was not issued by this service/ });
    const state = (await world.connectUrl(toolId)).searchParams.get("state");
    const log = vi.spyOn(console, "warn").mockReturnValue();
    await env.DB.prepare("UPDATE credentials SET sealed = ? WHERE tool_id = ?")
      .bind(state, toolId)
      .run();
    expectError(await get(world.at(toolId)), 424, "TOOL_CREDENTIALS_REQUIRED");
    log.mockRestore();
  });
});

describe("an authorization response", () => {
  it.each([
    ["without a state", "code=x", { state: /is required/ }],
    ["with two states", "code=x&state=a&state=b", { state: /must be given only once/ }],
  ])("an authorization response %s is rejected", async (_title, query, problems) => {
    const { toolId } = await connectable();
    const answer = await get(`${world.at(toolId)}/callback?${query}`, { key: null });
    expectProblems(answer, problems);
  });

  it("an authorization response without a code or an error is rejected", async () => {
    const { toolId } = await connectable();
    const to = await world.consent(await world.connectUrl(toolId));
    to.searchParams.delete("code");
    expectProblems(await world.returnFromConsent(to), { code: /is required/ });
  });

  it("an authorization response from another issuer is rejected (RFC 9207)", async () => {
    const { toolId, clientId } = await connectable();
    const to = await world.consent(await world.connectUrl(toolId));
    to.searchParams.set("iss", "https://evil.example");
    expectProblems(await world.returnFromConsent(to), { iss: /must match the issuer/ });
    expect((await world.memoryOf(clientId)).requests).toEqual([]);
    to.searchParams.set("iss", `${world.OAUTH}/realms/ships`);
    expect((await world.returnFromConsent(to)).status).toBe(200);
  });

  it("an authorization response must come from the issuer given in the credentials", async () => {
    const { toolId } = await connectable({}, { issuer: "https://id.example.com/ships" });
    const to = await world.consent(await world.connectUrl(toolId));
    to.searchParams.set("iss", world.OAUTH);
    expectProblems(await world.returnFromConsent(to), { iss: /must match the issuer/ });
    to.searchParams.set("iss", "https://id.example.com/ships");
    expect((await world.returnFromConsent(to)).status).toBe(200);
  });

  it("a code from another flow fails at the authorization server (PKCE)", async () => {
    const { toolId } = await connectable();
    const [mine, stolen] = [
      await world.consent(await world.connectUrl(toolId)),
      await world.consent(await world.connectUrl(toolId)),
    ];
    mine.searchParams.set("code", stolen.searchParams.get("code") ?? "");
    const answer = await world.returnFromConsent(mine);
    expectError(answer, 424, "TOOL_CREDENTIALS_REQUIRED");
    expect(await isConnected(toolId)).toBe(false);
  });

  it("the error for a rejected code explains how to continue, and the tool stays unconnected", async () => {
    const { toolId, clientId } = await connectable();
    await world.client({ failure: { status: 400, body: { error: "invalid_grant" } } }, clientId);
    const answer = await world.returnFromConsent(
      await world.consent(await world.connectUrl(toolId)),
    );
    expectError(answer, 424, "TOOL_CREDENTIALS_REQUIRED");
    expect(answer.body.error.message).toContain("then open a new link");
    expect(await isConnected(toolId)).toBe(false);
    await world.client({ failure: { status: 503, body: "down" } }, clientId);
    const down = await world.returnFromConsent(await world.consent(await world.connectUrl(toolId)));
    expectError(down, 502, "TOOL_UPSTREAM_ERROR");
    expect(down.body.error.retryable).toBe(true);
  });
});

describe("a new connection", () => {
  it("a new connection replaces the grant even if the old one was renewed in the meantime", async () => {
    const { toolId, clientId } = await connectable({ expiresIn: 1 });
    await world.returnFromConsent(await world.consent(await world.connectUrl(toolId)));
    const to = await world.consent(await world.connectUrl(toolId));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2_000 });
    await world.expectAuthorized(toolId);
    expect((await world.returnFromConsent(to)).status).toBe(200);
    const grants = (await world.memoryOf(clientId)).requests.map(({ grant_type }) => grant_type);
    expect(grants).toEqual(["authorization_code", "refresh_token", "authorization_code"]);
    const token = await world.expectAuthorized(toolId);
    expect(await world.isAccepted(clientId, token)).toBe(true);
    expect((await world.memoryOf(clientId)).requests).toHaveLength(3);
  });
});

describe("the link that begins a connection", () => {
  it("the link sets a cookie only for the callback and redirects the browser", async () => {
    const { toolId } = await connectable();
    const link = await world.connectLink(toolId);
    expect(link.pathname).toBe(`${world.at(toolId)}/authorize`);
    const opened = await world.openLink(link);
    expect([opened.status, opened.text]).toEqual([302, ""]);
    const to = new URL(opened.headers.get("Location") ?? "");
    expect(`${to.origin}${to.pathname}`).toBe(world.AUTHORIZATION_URL);
    expect(opened.headers.get("Cache-Control")).toBe("no-store");
    const [, ...attributes] = (opened.headers.get("Set-Cookie") ?? "").split("; ");
    expect(attributes.toSorted()).toEqual([
      "HttpOnly",
      "Max-Age=600",
      `Path=${world.at(toolId)}/callback`,
      "SameSite=Lax",
      "Secure",
    ]);
  });

  it("the link binds the consent to the browser that opened it", async () => {
    const { toolId, clientId } = await connectable();
    const to = await world.consent(await world.connectUrl(toolId));
    const other = world.cookieOf(await world.openLink(await world.connectLink(toolId)));
    for (const cookie of ["", other, "bosun_connect=", `bosun_connect=${"0".repeat(64)}`]) {
      const answer = await world.returnFromConsent(to, "application/json", cookie);
      expectProblems(answer, { state: /by the browser that opened the link/ });
      const page = await world.returnFromConsent(to, "text/html", cookie);
      expect([page.status, page.text.includes("opened the link")]).toEqual([400, true]);
    }
    const headers = { Cookie: "" };
    expect((await get(`${to.pathname}${to.search}`, { headers })).status).toBe(400);
    expect((await world.memoryOf(clientId)).requests).toEqual([]);
    const done = await world.returnFromConsent(to);
    expect([done.status, done.headers.get("Set-Cookie")]).toEqual([
      200,
      expect.stringMatching(/^bosun_connect=; .*Max-Age=0/),
    ]);
  });

  it("the link is valid for ten minutes, for one tool, and until the tool is connected", async () => {
    const { toolId } = await connectable();
    const { toolId: otherId } = await connectable();
    const link = await world.connectLink(toolId);
    const elsewhere = new URL(link.href.replace(toolId, otherId));
    expectProblems(await world.openLink(elsewhere), { ticket: /was not issued by this service/ });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + CONNECT_WINDOW_MS + 5_000 });
    expectProblems(await world.openLink(link), { ticket: /has expired; start again/ });
    vi.useRealTimers();
    const state = (await world.connectUrl(toolId)).searchParams.get("state") ?? "";
    const forged = new URL(link);
    forged.searchParams.set("ticket", state);
    expectProblems(await world.openLink(forged), { ticket: /was not issued by this service/ });
    await world.returnFromConsent(await world.consent(await world.connectUrl(toolId)));
    expectProblems(await world.openLink(link), { ticket: /has already been used/ });
  });

  it("the callback reveals nothing about the client, whether it succeeds or fails", async () => {
    const { toolId, clientId } = await connectable();
    const secretive = new RegExp(`${clientId}|scope|/token|${new URL(world.TOKEN_URL).host}`);
    const warned = vi.spyOn(console, "warn").mockReturnValue();
    for (const accept of ["application/json", "text/html"]) {
      const done = await world.returnFromConsent(
        await world.consent(await world.connectUrl(toolId)),
        accept,
      );
      expect(done.status).toBe(200);
      expect(done.text).not.toMatch(secretive);
      await world.client({ failure: { status: 400, body: { error: "invalid_client" } } }, clientId);
      const refused = await world.returnFromConsent(
        await world.consent(await world.connectUrl(toolId)),
        accept,
      );
      expect(refused.status).toBe(424);
      expect(refused.text).not.toMatch(secretive);
      expect(refused.text).not.toContain("clientSecret");
      await world.client({ failure: null }, clientId);
    }
    warned.mockRestore();
  });
});

describe("a link whose key is no longer valid", () => {
  async function linkOf(toolId: string, key: string): Promise<URL> {
    const answer = await post(`${world.at(toolId)}/connect`, undefined, { key });
    expect(answer.status, answer.text).toBe(200);
    return new URL(answer.body.data.url);
  }

  it("a link cannot be opened after the key that created it was revoked", async () => {
    const { toolId } = await connectable();
    const key = await keyWith(["tools:manage"]);
    const link = await linkOf(toolId, key);
    expect((await world.openLink(link)).status).toBe(302);
    await del(`/agents/keys/${keyId(key)}`);
    expectProblems(await world.openLink(link), {
      ticket: /key that is no longer valid; start again/,
    });
  });

  it("a tool is not connected if the key that created the link is revoked after the link was opened", async () => {
    const { toolId, clientId } = await connectable();
    const key = await keyWith(["tools:manage"]);
    const opened = await world.openLink(await linkOf(toolId, key));
    const to = await world.consent(new URL(opened.headers.get("Location") ?? ""));
    await del(`/agents/keys/${keyId(key)}`);
    const answer = await world.returnFromConsent(to, "application/json", world.cookieOf(opened));
    expectProblems(answer, { state: /key that is no longer valid; start again/ });
    expect(await isConnected(toolId)).toBe(false);
    expect((await world.memoryOf(clientId)).requests).toEqual([]);
  });

  it("a link from an earlier release, which names no key, is rejected", async () => {
    const { toolId } = await connectable();
    const keys = parseSealKeys(env.CREDENTIALS_KEY);
    if (!keys.ok) throw new Error("CREDENTIALS_KEY must be valid");
    const link = await world.connectLink(toolId);
    const ticket = {
      redirectUri: `${ORIGIN}${world.at(toolId)}/callback`,
      connectionId: crypto.randomUUID(),
      expiresAt: Date.now() + CONNECT_WINDOW_MS,
    };
    const sealed = await seal(keys.value, `connection ticket ${toolId}`, ticket);
    link.searchParams.set("ticket", sealed);
    expectProblems(await world.openLink(link), {
      ticket: /key that is no longer valid; start again/,
    });
  });
});

describe("an http authorizationUrl stored by an earlier release", () => {
  it("a link to an http authorizationUrl is rejected where plain HTTP is not allowed, and the error does not show the address", async () => {
    const { toolId } = await connectable();
    const link = await world.connectLink(toolId);
    const warned = vi.spyOn(console, "warn").mockReturnValue();
    const guarded: Env = { ...env, ALLOW_PRIVATE_EGRESS: "false" };
    const opened = await worker.fetch(new Request(link), guarded, createExecutionContext());
    const answer = await answerOf(opened);
    warned.mockRestore();
    expectProblems(answer, { ticket: /authorizationUrl is not allowed/ });
    expect(opened.headers.get("Location")).toBeNull();
    expect(answer.text).not.toContain(new URL(world.AUTHORIZATION_URL).host);
  });
});

describe("access to the credential routes", () => {
  it("every credential route other than the callback needs a key", async () => {
    const { toolId } = await connectable();
    for (const at of ["", "/connect", "/callback/x", "/callbacks"]) {
      const answer = await get(`${world.at(toolId)}${at}?state=x`, { key: null });
      expectError(answer, 401, "AUTHENTICATION_FAILED");
    }
    const posted = await post(`${world.at(toolId)}/callback?state=x`, undefined, { key: null });
    expectError(posted, 401, "AUTHENTICATION_FAILED");
  });

  it("connecting a tool requires the scope tools:manage", async () => {
    const { toolId } = await connectable();
    const key = await keyWith(UNMANAGING);
    const answer = await post(`${world.at(toolId)}/connect`, undefined, { key });
    expectError(answer, 403, "INSUFFICIENT_SCOPE");
  });
});
