import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { toWireError } from "../../../../src/http/to-wire-error.ts";
import { get } from "../../../support/client.ts";
import * as world from "./fixtures.ts";

const SECRET = "a-secret-of-the-client";

/** Creates a tool that uses this token endpoint. */
async function tool(tokenUrl: string, clientId = "bosun"): Promise<string> {
  const toolId = await world.toolOf();
  await world.putCredentials(toolId, {
    type: "oauth-client-credentials",
    tokenUrl,
    clientId,
    clientSecret: SECRET,
  });
  return toolId;
}

/** Calls the tool and returns the error as in the API's response. */
async function invokeError(toolId: string) {
  const outcome = await world.authorizeCall(toolId);
  if (outcome.ok) throw new Error("The call must fail, but it got a token");
  const wire = toWireError(outcome.failure);
  expect(JSON.stringify(wire)).not.toContain(SECRET);
  expect(wire.message).toContain(toolId);
  return wire;
}

const REQUIRED = { status: 424, code: "TOOL_CREDENTIALS_REQUIRED", retryable: false };
const UPSTREAM = { status: 502, code: "TOOL_UPSTREAM_ERROR" };

describe("a token endpoint that misbehaves", () => {
  it.each([
    ["html", /HTTP 200 and no access token/, false],
    ["empty", /HTTP 204 and no access token/, false],
    ["list", /HTTP 200 and no access token/, false],
    ["missing", /HTTP 404 and no access token/, false],
    ["down", /HTTP 503 and no access token/, true],
    ["redirect", /HTTP 307 and no access token/, false],
    ["huge", /more than 65536 bytes/, false],
    ["line-break", /no access token of type bearer/, false],
    ["dpop", /no access token of type bearer/, false],
    ["reset", /cannot be reached/, true],
  ])("the token response '%s' counts as a failure of the tool", async (way, message, retryable) => {
    const wire = await invokeError(await tool(`${world.OAUTH}/rogue/${way}`));
    expect(wire).toMatchObject({ ...UPSTREAM, retryable });
    expect(wire.message).toMatch(message);
  });

  it.each([
    ["html-401", /refuses to issue a token\. Check /],
    ["no-with-200", /\(invalid_grant\)/],
    ["challenge", /does not accept the client \(invalid_client\)/],
    ["echo", /refuses to issue a token\. Check /],
  ])(
    "the token response '%s' results in a 424 with advice and without the server's text",
    async (way, message) => {
      const toolId = await tool(`${world.OAUTH}/rogue/${way}`);
      const wire = await invokeError(toolId);
      expect(wire).toMatchObject(REQUIRED);
      expect(wire.message).toMatch(message);
      expect(wire.message).toContain(`PUT /agents/tools/${toolId}/credentials`);
    },
  );

  it("no secret is sent to the target of a token endpoint's redirect", async () => {
    await invokeError(await tool(`${world.OAUTH}/rogue/redirect`));
    const strayed = await fetch(`${world.OAUTH}/rogue/strayed`, { method: "POST" });
    expect(await strayed.json()).toEqual({ strayed: [] });
  });

  it("an unreachable token endpoint is a retryable failure of the tool", async () => {
    const wire = await invokeError(await tool("http://127.0.0.1:1/token"));
    expect(wire).toMatchObject({ ...UPSTREAM, retryable: true });
  });

  it("an excessive token lifetime is reduced to about a year", async () => {
    const toolId = await tool(`${world.OAUTH}/rogue/for-ever`);
    expect((await world.expectAuthorized(toolId)).value).toBe("Bearer eternal");
    const { expiresAt } = (await get(world.at(toolId))).body.data;
    expect(Date.parse(expiresAt)).toBeLessThan(Date.now() + 367 * 86_400_000);
  });
});

describe("an authorization server that rejects a request", () => {
  it.each([
    [
      401,
      "invalid_client",
      /does not accept the client .* clientSecret and clientAuthentication \(basic or post, currently basic\)/,
    ],
    [400, "unauthorized_client", /does not accept the client/],
    [400, "invalid_scope", /with scopes, an audience and a resource that the server allows/],
    [400, "invalid_target", /with scopes, an audience and a resource that the server allows/],
    [400, "invalid_grant", /does not accept the grant/],
    [400, "invalid_request", /refuses to issue a token \(invalid_request\).* \(basic or post, /],
    [
      400,
      "access_denied",
      /refuses to issue a token \(access_denied\)\. Set credentials with PUT \S+\.$/,
    ],
    [400, SECRET, /refuses to issue a token\. Check /],
  ])(
    "the token error %i %s results in a 424 with advice for its code",
    async (status, error, message) => {
      const failure = { status, body: { error, error_description: SECRET } };
      const clientId = await world.client({ secret: SECRET, failure });
      const wire = await invokeError(await tool(world.TOKEN_URL, clientId));
      expect(wire).toMatchObject(REQUIRED);
      expect(wire.message).toMatch(message);
    },
  );

  it.each([
    [503, "temporarily_unavailable"],
    [400, "temporarily_unavailable"],
    [500, "server_error"],
    [429, "invalid_request"],
  ])("the token error %i %s is reported as retryable", async (status, error) => {
    const failure = { status, body: { error } };
    const clientId = await world.client({ secret: SECRET, failure });
    const wire = await invokeError(await tool(world.TOKEN_URL, clientId));
    expect(wire).toMatchObject({ ...UPSTREAM, retryable: true });
  });

  it("a wrong clientAuthentication is reported with the supported ones, and a supported one then works", async () => {
    const clientId = await world.client({ secret: SECRET, authentication: "post" });
    const toolId = await tool(world.TOKEN_URL, clientId);
    expect((await invokeError(toolId)).message).toMatch(/\(basic or post, currently basic\)/);
    const { tokenUrl, type } = { tokenUrl: world.TOKEN_URL, type: "oauth-client-credentials" };
    const body = { type, tokenUrl, clientId, clientSecret: SECRET, clientAuthentication: "post" };
    await world.putCredentials(toolId, body);
    expect(await world.isAccepted(clientId, await world.expectAuthorized(toolId))).toBe(true);
  });

  it("the error for a public client mentions a missing clientSecret but not clientAuthentication", async () => {
    const clientId = await world.client({ secret: SECRET, refreshToken: "r" });
    const toolId = await world.toolOf();
    const tokenUrl = world.TOKEN_URL;
    await world.putCredentials(toolId, {
      type: "oauth-refresh-token",
      tokenUrl,
      clientId,
      refreshToken: "r",
    });
    const { message } = await invokeError(toolId);
    expect(message).toMatch(/clientId, and a clientSecret if the client has one\.$/);
  });

  it("a wrong secret gets 424, and the tool works once the server accepts the secret", async () => {
    const clientId = await world.client({ secret: "another" });
    const toolId = await tool(world.TOKEN_URL, clientId);
    expect(await invokeError(toolId)).toMatchObject(REQUIRED);
    await world.client({ secret: SECRET }, clientId);
    expect(await world.isAccepted(clientId, await world.expectAuthorized(toolId))).toBe(true);
  });
});

describe("a deployment whose CREDENTIALS_KEY is malformed", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const good = btoa("x".repeat(32));
  it.each([
    "",
    "no-colon",
    good,
    `:${good}`,
    `key:${btoa("short")}`,
    `key:${btoa("y".repeat(33))}`,
    "key:!!!!",
    `key:${good},`,
    `key:${good},key:${btoa("z".repeat(32))}`,
    `bad id:${good}`,
  ])(
    "with the CREDENTIALS_KEY %j, a call is unavailable, and the log states the expected form but not the key",
    async (secret) => {
      const log = vi.spyOn(console, "error").mockReturnValue();
      const toolId = await world.toolOf();
      await world.putCredentials(toolId, { type: "api-key", value: SECRET });
      const outcome = await world.authorizeCall(toolId, { ...env, CREDENTIALS_KEY: secret });
      expect(outcome).toMatchObject({ ok: false, failure: { kind: "unavailable" } });
      expect(log).toHaveBeenCalledOnce();
      const logged = JSON.stringify(log.mock.calls);
      expect(logged).toContain("<key id>:<32 bytes in base64>");
      for (const part of secret.split(/[:,]/).filter((one) => one.length > 3)) {
        expect(logged).not.toContain(part);
      }
    },
  );
});
