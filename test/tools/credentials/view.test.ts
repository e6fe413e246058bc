import { beforeAll, describe, expect, it } from "vitest";
import { get } from "../../support/client.ts";
import {
  API_KEY,
  AUTHORIZATION_URL,
  HTTP,
  MACHINE,
  PERSON,
  put,
  REFRESHING,
  TOKEN_URL,
  tool,
} from "./fixtures.ts";

/** The fields that every response about credentials shows. */
function shownOf(toolId: string, type: string) {
  return { toolId, type, keyId: "test-1", updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) };
}

beforeAll(async () => {
  await tool("harbour", HTTP);
  await tool("keyed", { ...HTTP, credential: { in: "header", name: "X-Key", prefix: "Token " } });
  await tool("queried", { ...HTTP, credential: { in: "query", name: "api_key", prefix: "" } });
});

describe("the location of an API key", () => {
  it.each([
    ["harbour", {}, { in: "header", name: "Authorization", prefix: "Bearer " }],
    ["harbour", { prefix: "Key " }, { in: "header", name: "Authorization", prefix: "Key " }],
    ["harbour", { name: "X-Key" }, { in: "header", name: "X-Key", prefix: "" }],
    ["harbour", { in: "query", name: "key" }, { in: "query", name: "key" }],
    ["keyed", {}, { in: "header", name: "X-Key", prefix: "Token " }],
    ["queried", {}, { in: "query", name: "api_key" }],
    ["queried", { in: "header" }, { in: "header", name: "Authorization", prefix: "Bearer " }],
  ] as const)(
    "the credentials of the tool %s, stored with %o, show where the API key is sent",
    async (id, place, expected) => {
      const answer = await put({ ...API_KEY, ...place }, id);
      expect(answer.body.data).toEqual({ ...shownOf(id, "api-key"), scopes: [], ...expected });
    },
  );
});

describe("OAuth credentials", () => {
  const client = { tokenUrl: TOKEN_URL, clientId: "bosun", clientAuthentication: "basic" };
  const usual = ["usual"];

  it.each([
    ["client credentials, which need no consent", MACHINE, { scopes: usual, ...client }],
    [
      "all public fields of a client",
      { ...MACHINE, scopes: [], clientAuthentication: "post", audience: "a", resource: "urn:r" },
      { scopes: [], ...client, clientAuthentication: "post", audience: "a", resource: "urn:r" },
    ],
    ["a refresh token", REFRESHING, { connected: true, scopes: [], ...client }],
    [
      "a public client, which does not authenticate",
      {
        type: "oauth-refresh-token",
        tokenUrl: TOKEN_URL,
        clientId: "bosun",
        refreshToken: "the-secret",
      },
      { connected: true, scopes: [], tokenUrl: TOKEN_URL, clientId: "bosun" },
    ],
    [
      "a person's grant",
      { ...PERSON, issuer: "https://id.example.com/ships" },
      {
        connected: false,
        scopes: usual,
        ...client,
        authorizationUrl: AUTHORIZATION_URL,
        issuer: "https://id.example.com/ships",
      },
    ],
    [
      "URLs without their queries",
      {
        ...PERSON,
        tokenUrl: `${TOKEN_URL}?key=the-secret`,
        authorizationUrl: `${AUTHORIZATION_URL}?tenant=1&\n?key=the-secret`,
      },
      { connected: false, scopes: usual, ...client, authorizationUrl: AUTHORIZATION_URL },
    ],
  ])(
    "OAuth credentials are shown as they were sent, without secrets: %s",
    async (_title, body, expected) => {
      const answer = await put(body);
      expect(answer.body.data, answer.text).toEqual({
        ...shownOf("harbour", body.type),
        ...expected,
      });
      const looked = await get("/agents/tools/harbour/credentials");
      expect(looked.body.data).toEqual(answer.body.data);
      expect(looked.text).not.toContain("the-secret");
    },
  );
});
