import { describe, expect, it } from "vitest";
import {
  createAccessToken,
  isUnexpired,
  isConnected,
  isFresh,
  scopesOf,
  applyGrant,
  clearGrant,
  type AuthorizationCodeGrant,
  type ClientCredentials,
  type RefreshTokenGrant,
} from "../../../src/tools/model/credential.ts";
import { TOKEN_LIFETIME_MAX_MS } from "../../../src/tools/limits.ts";

const NOW = Date.parse("2030-06-15T12:00:00Z");

const CLIENT = {
  tokenUrl: "https://id.example.com/token",
  clientId: "bosun",
  clientSecret: "secret",
  clientAuthentication: "basic",
  scopes: ["asked"],
  audience: null,
  resource: null,
  token: null,
} as const;
const MACHINE: ClientCredentials = { type: "oauth-client-credentials", ...CLIENT };
const REFRESHING: RefreshTokenGrant = {
  type: "oauth-refresh-token",
  ...CLIENT,
  refreshToken: "refresh-1",
};
const PERSON: AuthorizationCodeGrant = {
  type: "oauth-authorization-code",
  ...CLIENT,
  authorizationUrl: "https://id.example.com/authorize",
  issuer: null,
  refreshToken: null,
  connectionId: "c",
};

describe("an access token is renewed before it expires", () => {
  it.each([
    ["an hour: a minute before its end", 3_600, 3_540],
    ["just over two minutes: a minute before its end", 121, 61],
    ["two minutes: after half its life", 120, 60],
    ["ten seconds: after half its life", 10, 5],
    ["a fraction of a second", 0.5, 0.25],
    ["no time at all: at once", 0, 0],
  ])("that lives %s", (_title, lifetimeSeconds, renewedAfterSeconds) => {
    const token = createAccessToken("t", lifetimeSeconds, null, NOW);
    const renewedAt = NOW + renewedAfterSeconds * 1_000;
    const endsAt = NOW + lifetimeSeconds * 1_000;
    expect([isFresh(token, renewedAt - 1), isFresh(token, renewedAt)]).toEqual([true, false]);
    expect([isUnexpired(token, endsAt - 1), isUnexpired(token, endsAt)]).toEqual([true, false]);
  });

  it("and never while the server names no end", () => {
    const token = createAccessToken("t", null, null, NOW);
    expect([isFresh(token, 8.64e15), isUnexpired(token, 8.64e15)]).toEqual([true, true]);
  });

  it("a lifetime beyond every date ends within a year", () => {
    const { expiresAt } = createAccessToken("t", 1e300, null, NOW);
    expect(expiresAt).toBe(NOW + TOKEN_LIFETIME_MAX_MS);
  });
});

describe("a grant", () => {
  const token = createAccessToken("t", 3_600, ["given"], NOW);

  it("replaces the refresh token where a new one came, and keeps the old one where none did", () => {
    expect(applyGrant(REFRESHING, { token, refreshToken: "refresh-2" })).toMatchObject({
      token,
      refreshToken: "refresh-2",
    });
    expect(applyGrant(REFRESHING, { token, refreshToken: null }).refreshToken).toBe("refresh-1");
  });

  it("leaves no refresh token with client credentials, which need none", () => {
    expect(applyGrant(MACHINE, { token, refreshToken: "stray" })).not.toHaveProperty(
      "refreshToken",
    );
  });

  it("a grant lists its scopes if the provider returned them", () => {
    expect(scopesOf(MACHINE)).toEqual(["asked"]);
    expect(scopesOf(applyGrant(MACHINE, { token, refreshToken: null }))).toEqual(["given"]);
  });
});

describe("a tool is connected", () => {
  const place = { in: "header", name: "X-Api-Key", prefix: "" } as const;
  const token = createAccessToken("t", 60, null, NOW);

  it.each([
    ["by an API key", { type: "api-key", place, value: "k" } as const, true],
    ["by client credentials, which get tokens by themselves", MACHINE, true],
    ["by a refresh token", REFRESHING, true],
    ["by none once the refresh token was refused", clearGrant(REFRESHING), false],
    ["by no person's consent before there is one", PERSON, false],
    ["by a consent that brought a refresh token", { ...PERSON, refreshToken: "r" }, true],
    ["by a consent that brought an access token", { ...PERSON, token }, true],
  ])("%s", (_title, credential, connected) => {
    expect(isConnected(credential, NOW)).toBe(connected);
  });

  it("by an access token alone as long as it lives", () => {
    expect(isConnected({ ...PERSON, token }, NOW + 60_000)).toBe(false);
  });
});
