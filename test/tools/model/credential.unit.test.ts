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

describe("the renewal of an access token", () => {
  it.each([
    ["an hour is renewed a minute before it expires", 3_600, 3_540],
    ["just over two minutes is renewed a minute before it expires", 121, 61],
    ["two minutes is renewed after half of that time", 120, 60],
    ["ten seconds is renewed after half of that time", 10, 5],
    ["half a second is renewed after half of that time", 0.5, 0.25],
    ["no time is renewed at once", 0, 0],
  ])("an access token that is valid for %s", (_title, lifetimeSeconds, renewedAfterSeconds) => {
    const token = createAccessToken("t", lifetimeSeconds, null, NOW);
    const renewedAt = NOW + renewedAfterSeconds * 1_000;
    const endsAt = NOW + lifetimeSeconds * 1_000;
    expect([isFresh(token, renewedAt - 1), isFresh(token, renewedAt)]).toEqual([true, false]);
    expect([isUnexpired(token, endsAt - 1), isUnexpired(token, endsAt)]).toEqual([true, false]);
  });

  it("an access token without an expiry is never renewed", () => {
    const token = createAccessToken("t", null, null, NOW);
    expect([isFresh(token, 8.64e15), isUnexpired(token, 8.64e15)]).toEqual([true, true]);
  });

  it("a token lifetime that exceeds every valid date is limited to the maximum", () => {
    const { expiresAt } = createAccessToken("t", 1e300, null, NOW);
    expect(expiresAt).toBe(NOW + TOKEN_LIFETIME_MAX_MS);
  });
});

describe("a grant", () => {
  const token = createAccessToken("t", 3_600, ["given"], NOW);

  it("a grant replaces the refresh token if a new one is returned, and keeps the old one otherwise", () => {
    expect(applyGrant(REFRESHING, { token, refreshToken: "refresh-2" })).toMatchObject({
      token,
      refreshToken: "refresh-2",
    });
    expect(applyGrant(REFRESHING, { token, refreshToken: null }).refreshToken).toBe("refresh-1");
  });

  it("a grant of client credentials stores no refresh token", () => {
    expect(applyGrant(MACHINE, { token, refreshToken: "stray" })).not.toHaveProperty(
      "refreshToken",
    );
  });

  it("a grant lists its scopes if the provider returned them", () => {
    expect(scopesOf(MACHINE)).toEqual(["asked"]);
    expect(scopesOf(applyGrant(MACHINE, { token, refreshToken: null }))).toEqual(["given"]);
  });
});

describe("the connection of a tool", () => {
  const place = { in: "header", name: "X-Api-Key", prefix: "" } as const;
  const token = createAccessToken("t", 60, null, NOW);

  it.each([
    ["connected by an API key", { type: "api-key", place, value: "k" } as const, true],
    ["connected by client credentials, which get tokens by themselves", MACHINE, true],
    ["connected by a refresh token", REFRESHING, true],
    ["not connected once the refresh token is rejected", clearGrant(REFRESHING), false],
    ["not connected before the consent", PERSON, false],
    [
      "connected by a consent that returned a refresh token",
      { ...PERSON, refreshToken: "r" },
      true,
    ],
    ["connected by a consent that returned an access token", { ...PERSON, token }, true],
  ])("a tool's connection state follows its credentials: %s", (_title, credential, connected) => {
    expect(isConnected(credential, NOW)).toBe(connected);
  });

  it("a tool with only an access token is no longer connected once the token expires", () => {
    expect(isConnected({ ...PERSON, token }, NOW + 60_000)).toBe(false);
  });
});
