import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/kernel/json.ts";
import { capability, connectorOf, document, draftOf, problemsOf, requestOf } from "./fixtures.ts";

const ONE: JsonObject = { "/a": { get: { operationId: "a" } } };
const HERE = { sourceUrl: "https://docs.example/v1/openapi.json" };

describe("the server of a tool", () => {
  const SERVERS: readonly [Json, string][] = [
    [
      [{ url: "https://api.example/v2/" }, { url: "https://other.example" }],
      "https://api.example/v2",
    ],
    [[{ url: "/v2" }], "https://docs.example/v2"],
    [[{ url: "." }], "https://docs.example/v1"],
    [[{ url: "//api.example" }], "https://api.example"],
    [
      [
        {
          url: "https://{region}.example:{port}/{base}",
          variables: { region: { default: "eu" }, port: { enum: ["8443"] }, base: { default: "" } },
        },
      ],
      "https://eu.example:8443",
    ],
  ];

  it.each(SERVERS)("the servers %j result in the base URL %s", async (servers, baseUrl) => {
    expect(connectorOf(await draftOf(document(ONE, { servers }), HERE)).baseUrl).toBe(baseUrl);
  });

  const NOWHERE: readonly [Json, RegExp][] = [
    [[], /does not contain a server; set the API's URL with openapi\.baseUrl$/],
    [null, /does not contain a server/],
    ["x", /does not contain a server/],
    [[{ url: "/v2" }], /has the url "\/v2", which is not .*; set .* openapi\.baseUrl$/],
    [[{ url: 5 }], /must have a url/],
    [
      [{ url: "https://{region}.example" }],
      /has no default for the variable "region" in its url; set .* openapi\.baseUrl$/,
    ],
    [
      [{ url: "https://{__proto__}.example" }],
      /has no default for the variable "__proto__" in its url/,
    ],
    [[{ url: "file:///etc" }], /must have an http or https url.*; set .* openapi\.baseUrl$/],
  ];

  it.each(NOWHERE)(
    "the servers %j are rejected unless openapi.baseUrl is given",
    async (servers, message) => {
      expect(await problemsOf(document(ONE, { servers }))).toEqual([
        { path: "document.servers", message: expect.stringMatching(message) },
      ]);
      const baseUrl = "http://127.0.0.1:8080/api";
      const draft = await draftOf(document(ONE, { servers }), { baseUrl });
      expect(connectorOf(draft).baseUrl).toBe(baseUrl);
    },
  );

  it("operations and paths can have their own servers, which baseUrl overrides", async () => {
    const paths = {
      "/a": { get: { operationId: "a", servers: [{ url: "https://up.example/" }] } },
      "/b": { servers: [{ url: "/b" }], get: { operationId: "b" } },
      "/c": { servers: [{ url: "https://tides.example/" }], get: { operationId: "c" } },
      "/d": { get: { operationId: "d" } },
    };
    const draft = await draftOf(document(paths), HERE);
    expect(draft.capabilities.map((one) => requestOf(one).baseUrl)).toEqual([
      "https://up.example",
      "https://docs.example/b",
      undefined,
      undefined,
    ]);
    const moved = await draftOf(document(paths), { baseUrl: "https://test.example" });
    expect(moved.capabilities.map((one) => requestOf(one).baseUrl)).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
    expect(moved.notes).toEqual(["Sent to openapi.baseUrl instead of its own server: a, b, c."]);
  });

  it("a document needs no server if every operation has one", async () => {
    const get = { servers: [{ url: "https://up.example" }] };
    const draft = await draftOf(document({ "/a": { get } }, { servers: [] }));
    expect(connectorOf(draft).baseUrl).toBe("https://up.example");
    expect(draft.capabilities.map(requestOf)).toEqual([{ method: "GET", path: "/a" }]);
  });
});

const SCHEMES: JsonObject = {
  key: { type: "apiKey", in: "header", name: "X-Api-Key" },
  query: { type: "apiKey", in: "query", name: "api_key" },
  cookie: { type: "apiKey", in: "cookie", name: "sid" },
  bearer: { type: "http", scheme: "Bearer" },
  basic: { type: "http", scheme: "basic" },
  digest: { type: "http", scheme: "digest" },
  oauth: { type: "oauth2", flows: {} },
  oidc: { type: "openIdConnect", openIdConnectUrl: "https://id.example" },
  linked: { $ref: "#/components/securitySchemes/key" },
};
const BEARER = { in: "header", name: "Authorization", prefix: "Bearer " };
const BASIC = { in: "header", name: "Authorization", prefix: "Basic " };
const KEY = { in: "header", name: "X-Api-Key", prefix: "" };

function secured(
  security: Json,
  paths: JsonObject = ONE,
): Promise<Awaited<ReturnType<typeof draftOf>>> {
  return draftOf(document(paths, { security, components: { securitySchemes: SCHEMES } }));
}

describe("the authentication of a tool", () => {
  const CHOICES: readonly [Json, string, readonly string[], JsonObject | null][] = [
    [[{ key: [] }], "api-key", [], KEY],
    [[{ query: [] }], "api-key", [], { in: "query", name: "api_key", prefix: "" }],
    [[{ linked: [] }], "api-key", [], KEY],
    [[{ bearer: [] }], "api-key", [], BEARER],
    [[{ basic: [] }], "api-key", [], BASIC],
    [[{ basic: [] }, { bearer: [] }], "api-key", [], BEARER],
    [[{ cookie: [] }, { digest: [] }, { key: [] }], "api-key", [], KEY],
    [[{ oauth: ["read", "write"] }, { key: [] }], "oauth", ["read", "write"], BEARER],
    [[{ oidc: ["openid"] }], "oauth", ["openid"], BEARER],
    // If none of the requested schemes is supported, the first supported scheme in the document is
    // used.
    [[{ unknown: [] }, { cookie: [] }], "api-key", [], KEY],
    [undefined, "api-key", [], KEY],
    ["nonsense", "api-key", [], KEY],
  ].map(([security = null, type, scopes, place]) => [security, type, scopes, place] as never);

  it.each(CHOICES)(
    "the security %j results in the authentication %s with %j",
    async (security, type, scopes, place) => {
      const draft = await secured(security);
      expect(draft.authentication).toEqual({ type, scopes });
      expect(connectorOf(draft).credential).toEqual(place);
    },
  );

  it("without document security, a tool uses the scheme that most of its operations require", async () => {
    const asking = (security: Json) => ({ get: { security } });
    const draft = await secured(null, {
      "/a": asking([{ key: [] }]),
      "/b": asking([{ oauth: ["read"] }]),
      "/c": asking([{ oauth: ["write", "read"] }, { key: [] }]),
      "/d": asking([]),
      "/e": asking([{ oauth: ["read"] }, {}]),
      "/f": { get: {} },
      "/g": asking([{ oauth: [], key: [] }]),
    });
    expect(draft.authentication).toEqual({ type: "oauth", scopes: ["read", "write"] });
    expect(connectorOf(draft).credential).toEqual(BEARER);
    const anonymous = draft.capabilities.filter((one) => requestOf(one).anonymous === true);
    expect(anonymous.map(({ id }) => id)).toEqual(["get-d", "get-e", "get-f"]);
    expect(draft.notes).toEqual([
      "Requires a credential other than oauth, which is the tool's only credential: get-a.",
      "Requires a second credential in addition to oauth, which is the tool's only credential: get-g.",
    ]);
  });

  it("a tool without security schemes has no authentication and no anonymous operations", async () => {
    const draft = await draftOf(document(ONE, { security: [] }));
    expect(draft.authentication).toEqual({ type: "none", scopes: [] });
    expect(connectorOf(draft).credential).toBeNull();
    expect(requestOf(capability(draft, "a"))).toEqual({ method: "GET", path: "/a" });
  });

  it("a note names unsupported security schemes if no others exist", async () => {
    const components = { securitySchemes: { cookie: SCHEMES["cookie"] ?? null } };
    const draft = await draftOf(document(ONE, { security: [{ cookie: [] }], components }));
    expect(draft.authentication.type).toBe("none");
    expect(draft.notes).toEqual([
      "No credential can be sent, because the scheme is not supported: cookie.",
    ]);
  });

  it("notes name undefined security schemes, and the remaining alternatives apply", async () => {
    const paths = {
      "/a": { get: { operationId: "a", security: [{ kez: [] }] } },
      "/b": { get: { operationId: "b", security: [{ kez: [], key: [] }, { kez: [] }, {}] } },
      "/c": { get: { operationId: "c" } },
    };
    const draft = await secured([{ key: [] }, { " key": [] }], paths);
    expect(draft.notes).toEqual([
      'Refers to the security scheme " key", which is not defined: document.security.',
      'Refers to the security scheme "kez", which is not defined: a, b.',
      "Requires a credential other than key, which is the tool's only credential: a.",
    ]);
    expect(connectorOf(draft).credential).toEqual(KEY);
    const anonymous = draft.capabilities.filter((one) => requestOf(one).anonymous === true);
    expect(anonymous.map(({ id }) => id)).toEqual(["b"]);
  });

  it("a note names an undefined security scheme even if no scheme is defined", async () => {
    const draft = await draftOf(document(ONE, { security: [{ ["k".repeat(1_000)]: [] }] }));
    expect(draft.authentication.type).toBe("none");
    expect(draft.notes).toEqual([
      expect.stringMatching(
        /^Refers to the security scheme "k{50,100}…, which is not defined: document\.security\.$/,
      ),
    ]);
  });
});

describe("the documentation of a tool", () => {
  const SECRET = "https://docs.example/v1/openapi.json?token=s3cret#s3cret";

  it("a tool's documentation is the source URL without its query and fragment", async () => {
    const draft = await draftOf(document(ONE), { sourceUrl: SECRET });
    expect(draft.documentation).toBe("https://docs.example/v1/openapi.json");
    expect(JSON.stringify(draft)).not.toContain("s3cret");
  });

  it("a tool's documentation is the unchanged URL of externalDocs", async () => {
    const externalDocs = { url: "https://docs.example/?page=tides#high" };
    const draft = await draftOf(document(ONE, { externalDocs }), { sourceUrl: SECRET });
    expect(draft.documentation).toBe("https://docs.example/?page=tides#high");
    expect((await draftOf(document(ONE))).documentation).toBe("");
  });
});
