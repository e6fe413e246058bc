import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { del, get, post, send } from "../../support/client.ts";
import { expectProblems, expectError } from "../../support/expect-errors.ts";
import { API_KEY, HTTP, MACHINE, PERSON, put, REFRESHING, TOKEN_URL, tool } from "./fixtures.ts";

const countRows = () =>
  env.DB.prepare("SELECT count(*) AS count FROM credentials").first<number>("count");

beforeAll(async () => {
  await tool("harbour", HTTP);
});

describe("invalid credentials", () => {
  const long = "x".repeat(8_193);
  const cases: [title: string, body: JsonObject, problems: Record<string, RegExp>][] = [
    ["no type", { value: "the-secret" }, { type: /required: one of api-key, oauth-client/ }],
    ["an unknown type", { ...API_KEY, type: "the-secret" }, { type: /must be one of api-key/ }],
    ["a type that is not a string", { ...API_KEY, type: 7 }, { type: /must be one of api-key/ }],
    [
      "an unknown field",
      { ...API_KEY, key: "k" },
      { key: /not a known field of api-key; .*prefix/ },
    ],
    ["a field of another type", { ...API_KEY, tokenUrl: TOKEN_URL }, { tokenUrl: /not a known/ }],
    ["no value", { type: "api-key" }, { value: /^is required: a string$/ }],
    ["an empty value", { ...API_KEY, value: "" }, { value: /^must not be empty$/ }],
    ["null", { ...API_KEY, value: null }, { value: /^must be a string$/ }],
    [
      "a value that is not a string",
      { ...API_KEY, value: 12_345 },
      { value: /^must be a string$/ },
    ],
    ["an object", { ...API_KEY, value: { "the-secret": 1 } }, { value: /^must be a string$/ }],
    [
      "a value that is too long",
      { ...API_KEY, value: long },
      { value: /at most 8192 .* got 8193/ },
    ],
    ["a line break", { ...API_KEY, value: "the-secret\r\nX: y" }, { value: /without line breaks/ }],
    ["a newline at the end", { ...API_KEY, value: "the-secret\n" }, { value: /without line/ }],
    [
      "a space at the end",
      { ...API_KEY, value: "the-secret " },
      { value: /leading or trailing spaces/ },
    ],
    [
      "a value that a header cannot contain",
      { ...API_KEY, value: "the-sécret" },
      { value: /printable ASCII/ },
    ],
    [
      "an unknown place",
      { ...API_KEY, in: "the-secret" },
      { in: /^must be one of header, query$/ },
    ],
    ["a bad header name", { ...API_KEY, name: "X Key" }, { name: /must be a valid header name/ }],
    [
      "a name with a line break",
      { ...API_KEY, name: "X\r\nY" },
      { name: /must be a valid header name/ },
    ],
    [
      "a framing header",
      { ...API_KEY, name: "Host" },
      { name: /not be a header that the request itself needs/ },
    ],
    [
      "another framing header",
      { ...API_KEY, name: "content-length" },
      { name: /not be a header that the request itself needs/ },
    ],
    ["a bad prefix", { ...API_KEY, prefix: "Bearer\r\n" }, { prefix: /printable ASCII/ }],
    [
      "a duplicate prefix",
      { ...API_KEY, value: "Bearer the-secret" },
      { value: /not begin with "B/ },
    ],
    ["a query without a name", { ...API_KEY, in: "query" }, { name: /is required/ }],
    [
      "a prefix in a query",
      { ...API_KEY, in: "query", name: "key", prefix: "Key " },
      { prefix: /must be omitted/ },
    ],
    [
      "client credentials without fields",
      { type: "oauth-client-credentials" },
      { tokenUrl: /required/, clientId: /required/, clientSecret: /required/ },
    ],
    [
      "a refresh token without fields",
      { type: "oauth-refresh-token" },
      { tokenUrl: /required/, clientId: /required/, refreshToken: /required/ },
    ],
    [
      "an authorization code without fields",
      { type: "oauth-authorization-code" },
      { tokenUrl: /required/, clientId: /required/, authorizationUrl: /required/ },
    ],
    [
      "a token URL that is not a URL",
      { ...MACHINE, tokenUrl: "token" },
      { tokenUrl: /absolute https/ },
    ],
    ["another scheme", { ...MACHINE, tokenUrl: "ftp://x.org/t" }, { tokenUrl: /absolute https/ }],
    [
      "a fragment",
      { ...MACHINE, tokenUrl: `${TOKEN_URL}#x` },
      { tokenUrl: /without .* a fragment/ },
    ],
    [
      "a password in the URL",
      { ...MACHINE, tokenUrl: "https://u:the-secret@93.184.215.14/" },
      { tokenUrl: /without a user name/ },
    ],
    [
      "http",
      { ...MACHINE, tokenUrl: "http://93.184.215.14/t" },
      { tokenUrl: /https:\/\/, because/ },
    ],
    [
      "http for consent",
      { ...PERSON, authorizationUrl: "http://93.184.215.14/a" },
      { authorizationUrl: /https:\/\/, because secrets/ },
    ],
    [
      "scopes as one string",
      { ...MACHINE, scopes: "the-secret" },
      { scopes: /^must be an array$/ },
    ],
    [
      "two scopes in one string",
      { ...MACHINE, scopes: ["a", "b c"] },
      { "scopes[1]": /must be one scope/ },
    ],
    ["an empty scope", { ...MACHINE, scopes: [""] }, { "scopes[0]": /must not be empty/ }],
    [
      "too many scopes",
      { ...MACHINE, scopes: Array.from({ length: 51 }, (_, n) => `s${n}`) },
      { scopes: /at most 50/ },
    ],
    [
      "an unknown client authentication",
      { ...MACHINE, clientAuthentication: "jwt" },
      { clientAuthentication: /one of basic, post/ },
    ],
    [
      "a client authentication without a secret",
      {
        type: "oauth-refresh-token",
        tokenUrl: TOKEN_URL,
        clientId: "bosun",
        refreshToken: "the-secret",
        clientAuthentication: "post",
      },
      { clientAuthentication: /omitted without clientSecret/ },
    ],
    [
      "a resource that is not a URI",
      { ...MACHINE, resource: "ships" },
      { resource: /absolute URI/ },
    ],
    ["an issuer that is not a URL", { ...PERSON, issuer: "id" }, { issuer: /absolute https/ }],
    [
      "several invalid fields",
      { ...PERSON, clientId: "", clientSecret: 5, scopes: [1] },
      { clientId: /empty/, clientSecret: /string/, "scopes[0]": /string/ },
    ],
  ];

  it.each(cases)(
    "invalid credentials are rejected by field, without their values: %s",
    async (_title, body, problems) => {
      const answer = await put(body);
      expectProblems(answer, problems);
      expect(answer.text).not.toMatch(/the-secret|12345|sécret/);
      expect(await countRows()).toBe(0);
    },
  );

  it.each(["[]", '"the-secret"', "7", "null", '["the-secret"]'])(
    "credentials that are not an object are rejected: %s",
    async (body) => {
      const answer = await put(body);
      expectProblems(answer, { body: "must be an object" });
      expect(answer.text).not.toContain("the-secret");
    },
  );
});

describe("the guard of outbound addresses", () => {
  it.each([
    "https://127.0.0.1/token",
    "https://localhost/token",
    "https://[::ffff:127.0.0.1]/token",
    "https://169.254.169.254/latest/meta-data",
    "https://10.0.0.1/token",
    "https://0x7f.1/token",
  ])("the credential URL %s is rejected by field, with the reason", async (url) => {
    expectProblems(await put({ ...MACHINE, tokenUrl: url }), { tokenUrl: /which is not allowed/ });
    expectProblems(await put({ ...PERSON, authorizationUrl: url, tokenUrl: url }), {
      authorizationUrl: /which is not allowed/,
      tokenUrl: /which is not allowed/,
    });
    expect(await countRows()).toBe(0);
  });
});

describe("the credentials of a tool", () => {
  it("PUT returns 201 for new credentials and 200 for a replacement, with the body of GET", async () => {
    await tool("fresh", HTTP);
    const first = await put(API_KEY, "fresh");
    expect(first.status, first.text).toBe(201);
    expect(first.body.data.type).toBe("api-key");
    expect((await get("/agents/tools/fresh/credentials")).body.data).toEqual(first.body.data);
    const second = await put(PERSON, "fresh");
    expect(second.status, second.text).toBe(200);
    expect(second.body.data).toMatchObject({
      type: "oauth-authorization-code",
      connected: false,
      scopes: ["usual"],
    });
    expect((await get("/agents/tools/fresh/credentials")).body.data).toEqual(second.body.data);
  });

  it("PUT accepts every type of credentials", async () => {
    for (const body of [API_KEY, MACHINE, REFRESHING, PERSON]) {
      expect([200, 201], body.type).toContain((await put(body)).status);
    }
  });

  it("credential requests for an unknown tool get 404, and built-in tools take no credentials", async () => {
    for (const [method, at] of [
      ["PUT", ""],
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/connect"],
    ] as const) {
      const body = method === "PUT" ? API_KEY : undefined;
      const answer = await send(method, `/agents/tools/nowhere/credentials${at}`, body);
      expectError(answer, 404, "TOOL_NOT_FOUND");
    }
    expectProblems(await put(API_KEY, "json-workbench"), { id: /built-in tools need no/ });
    expectError(
      await get("/agents/tools/json-workbench/credentials"),
      404,
      "CREDENTIALS_NOT_FOUND",
    );
  });

  it("requests for credentials that a tool does not have get 404 with the endpoint to use", async () => {
    await tool("bare", HTTP);
    for (const answer of [
      await get("/agents/tools/bare/credentials"),
      await del("/agents/tools/bare/credentials"),
      await post("/agents/tools/bare/credentials/connect"),
    ]) {
      expectError(answer, 404, "CREDENTIALS_NOT_FOUND");
      expect(answer.body.error.message).toContain("with PUT /agents/tools/bare/credentials.");
    }
  });

  it("only authorization code credentials can be connected", async () => {
    await put(MACHINE);
    expectProblems(await post("/agents/tools/harbour/credentials/connect"), {
      type: /must be oauth-authorization-code to be connected, .* is oauth-client-credentials/,
    });
    expectProblems(await post("/agents/tools/harbour/credentials/connect", { now: true }), {
      now: /not a known field/,
    });
  });
});
