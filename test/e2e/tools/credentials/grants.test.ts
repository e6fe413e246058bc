import { describe, expect, it } from "vitest";
import { del, get } from "../../../support/client.ts";
import { expectError } from "../../../support/expect-errors.ts";
import * as world from "./fixtures.ts";

describe("client credentials at an OAuth server", () => {
  it.each(["basic", "post"] as const)(
    "client credentials get a token with %s authentication",
    async (way) => {
      const secret = "s3cret: with /reserved +characters%";
      const clientId = await world.client({ secret, authentication: way });
      const toolId = await world.toolOf();
      const answer = await world.put(toolId, {
        type: "oauth-client-credentials",
        tokenUrl: world.TOKEN_URL,
        clientId,
        clientSecret: secret,
        clientAuthentication: way,
        scopes: ["ships:read", "berths"],
        audience: "harbour",
        resource: "https://harbour.example/api",
      });
      expect(answer.status, answer.text).toBe(201);
      expect(answer.body.data).toEqual({
        toolId,
        type: "oauth-client-credentials",
        keyId: "test-1",
        scopes: ["ships:read", "berths"],
        tokenUrl: world.TOKEN_URL,
        clientId,
        clientAuthentication: way,
        audience: "harbour",
        resource: "https://harbour.example/api",
        updatedAt: expect.any(String),
      });
      const authorisation = await world.expectAuthorized(toolId);
      expect(authorisation).toMatchObject({ in: "header", name: "Authorization" });
      expect(authorisation.value).toMatch(/^Bearer ey/);
      expect(await world.isAccepted(clientId, authorisation)).toBe(true);
      expect((await world.memoryOf(clientId)).requests).toEqual([
        expect.objectContaining({
          grant_type: "client_credentials",
          scope: "ships:read berths",
          authentication: way,
          audience: "harbour",
          resource: "https://harbour.example/api",
        }),
      ]);
      const { expiresAt } = (await get(world.at(toolId))).body.data;
      expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(3_500_000);
    },
  );
});

describe("a refresh token", () => {
  it("a refresh token gets an access token and is replaced if the server rotates it", async () => {
    const clientId = await world.client({ secret: "s", refreshToken: "first" });
    const toolId = await world.toolOf();
    await world.putCredentials(toolId, {
      type: "oauth-refresh-token",
      tokenUrl: world.TOKEN_URL,
      clientId,
      clientSecret: "s",
      refreshToken: "first",
    });
    expect(await world.isAccepted(clientId, await world.expectAuthorized(toolId))).toBe(true);
    const { requests, refreshToken } = await world.memoryOf(clientId);
    expect(requests).toHaveLength(1);
    expect(refreshToken).not.toBe("first");
  });
});

describe("an authorization code", () => {
  it("an authorization code is obtained by a person's consent, with PKCE, and gets a token", async () => {
    const clientId = await world.client({ authentication: "none" });
    const toolId = await world.toolOf({ authentication: { type: "oauth", scopes: ["berths"] } });
    await world.putCredentials(toolId, {
      type: "oauth-authorization-code",
      tokenUrl: world.TOKEN_URL,
      clientId,
      authorizationUrl: `${world.AUTHORIZATION_URL}?prompt=consent`,
    });
    expect((await get(world.at(toolId))).body.data).toMatchObject({
      connected: false,
      scopes: ["berths"],
      authorizationUrl: world.AUTHORIZATION_URL,
    });
    const url = await world.connectUrl(toolId);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      prompt: "consent",
      response_type: "code",
      client_id: clientId,
      scope: "berths",
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: `https://bosun.test/agents/tools/${toolId}/credentials/callback`,
    });
    const connected = await world.returnFromConsent(await world.consent(url));
    expect(connected.status, connected.text).toBe(200);
    expect(connected.body.data).toMatchObject({ toolId, connected: true });
    expect(await world.isAccepted(clientId, await world.expectAuthorized(toolId))).toBe(true);
    const { requests } = await world.memoryOf(clientId);
    expect(requests).toEqual([expect.objectContaining({ grant_type: "authorization_code" })]);
  });
});

describe("deleted credentials", () => {
  it("deleted credentials get 404, and calls that need them get 424", async () => {
    const toolId = await world.toolOf({ authentication: { type: "api-key", scopes: [] } });
    await world.putCredentials(toolId, { type: "api-key", value: "k" });
    const deleted = await del(world.at(toolId));
    expect([deleted.status, deleted.body.data]).toEqual([200, { toolId, deleted: true }]);
    expectError(await get(world.at(toolId)), 404, "CREDENTIALS_NOT_FOUND");
    expectError(await del(world.at(toolId)), 404, "CREDENTIALS_NOT_FOUND");
    expect(await world.authorizeCall(toolId)).toMatchObject({
      ok: false,
      failure: { kind: "credentials_required", toolId },
    });
  });
});
