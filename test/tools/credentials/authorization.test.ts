import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type {
  Connector,
  CredentialPlace,
  CapabilityOperation,
} from "../../../src/tools/model/connector.ts";
import { createAccessToken, type Credential } from "../../../src/tools/model/credential.ts";
import { toWireError } from "../../../src/http/to-wire-error.ts";
import {
  resolveAuthorization,
  resolveStoredAuthorization,
  type CredentialEnv,
} from "../../../src/tools/credentials/authorization.ts";
import type {
  CredentialRow,
  CredentialTool,
} from "../../../src/tools/credentials/credentials.store.ts";
import { sealCredential } from "../../../src/tools/credentials/seal-credential.ts";
import { HTTP, put, tool as registered } from "./fixtures.ts";

const TOKEN = createAccessToken("the-token", 3_600, null, Date.now());
const MACHINE: Credential = {
  type: "oauth-client-credentials",
  tokenUrl: "https://93.184.215.14/token",
  clientId: "bosun",
  clientSecret: "secret",
  clientAuthentication: "basic",
  scopes: [],
  audience: null,
  resource: null,
  token: TOKEN,
};
const API_KEY: Credential = {
  type: "api-key",
  place: { in: "query", name: "key", prefix: "" },
  value: "the-key",
};
const OPEN: CapabilityOperation = {
  type: "http",
  request: { method: "GET", path: "/", anonymous: true },
};

/** Bindings that throw if the code uses D1 or the token refresher. */
const NOTHING_ELSE: CredentialEnv = {
  CREDENTIALS_KEY: env.CREDENTIALS_KEY,
  get DB(): never {
    throw new Error("D1 was queried");
  },
  get KEEPERS(): never {
    throw new Error("The token refresher was called");
  },
};

function tool(
  type: "none" | "oauth" | "api-key",
  credential: CredentialPlace | null = null,
): CredentialTool {
  const baseUrl = "https://93.184.215.14";
  const connector: Connector = { type: "http", baseUrl, headers: {}, timeoutMs: 1_000, credential };
  return { id: "harbour", authentication: { type, scopes: [] }, connector };
}

async function row(credential: Credential): Promise<CredentialRow> {
  const sealed = await sealCredential(env, "harbour", credential);
  if (!sealed.ok) throw new Error("The credential was not sealed");
  return { type: credential.type, sealed: sealed.value, revision: 1, updatedAt: 0 };
}

describe("a tool without credentials", () => {
  it("a tool that needs no credentials is called without them", async () => {
    expect(await resolveAuthorization(NOTHING_ELSE, tool("none"), null, null)).toEqual({
      ok: true,
      value: null,
    });
  });

  it.each([
    ["api-key", '{"type": "api-key", "value": …}'],
    ["oauth", '"oauth-client-credentials", "tokenUrl": …'],
  ] as const)(
    "a tool without its %s credentials gets an error that names the endpoint and body to use",
    async (type, body) => {
      const outcome = await resolveAuthorization(NOTHING_ELSE, tool(type), null, null);
      if (outcome.ok) throw new Error("The call was made without credentials");
      const wire = toWireError(outcome.failure);
      expect(wire).toMatchObject({
        status: 424,
        code: "TOOL_CREDENTIALS_REQUIRED",
        retryable: false,
      });
      expect(wire.message).toContain("PUT /agents/tools/harbour/credentials");
      expect(wire.message).toContain(body);
    },
  );

  it("an operation that needs no credentials is called without them", async () => {
    const outcome = await resolveAuthorization(NOTHING_ELSE, tool("oauth"), null, OPEN);
    expect(outcome).toEqual({ ok: true, value: null });
  });

  it("a tool without stored credentials sends no authorization", async () => {
    expect(await resolveStoredAuthorization(env, { ...tool("oauth"), id: "nowhere" })).toEqual({
      ok: true,
      value: null,
    });
  });
});

describe("a tool with valid credentials", () => {
  it.each([
    [
      "a token",
      MACHINE,
      null,
      { in: "header", name: "Authorization", value: "Bearer the-token", secret: "the-token" },
    ],
    [
      "a token in the tool's own place",
      MACHINE,
      { in: "header", name: "X-Token", prefix: "Token " },
      { in: "header", name: "X-Token", value: "Token the-token", secret: "the-token" },
    ],
    [
      "an API key",
      API_KEY,
      null,
      { in: "query", name: "key", value: "the-key", secret: "the-key" },
    ],
  ] as const)(
    "a call uses %s without a request to D1 or the token refresher",
    async (_title, given, place, expected) => {
      for (const operation of [null, OPEN]) {
        const outcome = await resolveAuthorization(
          NOTHING_ELSE,
          tool("oauth", place),
          await row(given),
          operation,
        );
        expect(outcome).toEqual({ ok: true, value: expected });
      }
    },
  );

  it("stored credentials are used even if the tool declares that it needs none", async () => {
    const outcome = await resolveAuthorization(
      NOTHING_ELSE,
      tool("none"),
      await row(API_KEY),
      null,
    );
    expect(outcome).toMatchObject({ ok: true, value: { value: "the-key" } });
  });

  it("stored credentials are found by the tool's id", async () => {
    await registered("harbour", HTTP);
    await put({ type: "api-key", value: "the-key", in: "query", name: "key" });
    expect(await resolveStoredAuthorization(env, tool("api-key"))).toMatchObject({
      ok: true,
      value: { value: "the-key" },
    });
  });
});

describe("an OAuth grant that is not connected yet", () => {
  const person: Credential = {
    ...MACHINE,
    type: "oauth-authorization-code",
    authorizationUrl: "https://93.184.215.14/authorize",
    issuer: null,
    refreshToken: null,
    connectionId: "c",
    token: null,
  };

  it("a tool that is not connected gets an error that names the connect endpoint", async () => {
    const outcome = await resolveAuthorization(
      NOTHING_ELSE,
      tool("oauth"),
      await row(person),
      null,
    );
    expect(outcome).toMatchObject({
      failure: {
        kind: "credentials_required",
        reason: expect.stringContaining("POST /agents/tools/harbour/credentials/connect"),
      },
    });
  });

  it("an operation that needs no credentials is called even if the tool is not connected", async () => {
    const outcome = await resolveAuthorization(
      NOTHING_ELSE,
      tool("oauth"),
      await row(person),
      OPEN,
    );
    expect(outcome).toEqual({ ok: true, value: null });
  });
});
