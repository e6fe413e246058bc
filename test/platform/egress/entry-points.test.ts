import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { get, patch, post, send, type Answer } from "../../support/client.ts";
import { expectError } from "../../support/expect-errors.ts";
import { REFUSED } from "./address-corpus.ts";

const PUBLIC = "https://93.184.216.34/v1";
const CAPABILITY = { id: "go", request: { method: "GET", path: "/go" } };

const registering = (id: string, baseUrl: string, change: JsonObject = {}): Promise<Answer> =>
  post("/agents/tools", {
    id,
    name: "Tool",
    connector: { type: "http", baseUrl },
    capabilities: [CAPABILITY],
    ...change,
  });

/** Every blocked notation that JSON and the service's own text validation pass on to the guard. */
const URLS = REFUSED.flatMap(([, urls]) => urls).filter(
  (url) => !url.includes("\u0000") && url.isWellFormed(),
);

/** Every field through which an address enters the service. */
const ADDRESS_FIELDS: readonly (readonly [
  door: string,
  path: string,
  knock: (url: string) => Promise<Answer>,
])[] = [
  ["a tool's base URL", "connector.baseUrl", (url) => registering("door", url)],
  [
    "one request's own server",
    "capabilities[0].request.baseUrl",
    (url) =>
      registering("door", PUBLIC, {
        capabilities: [{ ...CAPABILITY, request: { ...CAPABILITY.request, baseUrl: url } }],
      }),
  ],
  [
    "a tool that is changed",
    "connector.baseUrl",
    (url) => patch("/agents/tools/standing", { connector: { type: "http", baseUrl: url } }),
  ],
  ["an MCP server", "mcp.url", (url) => post("/agents/tools/import", { id: "door", mcp: { url } })],
  [
    "an OpenAPI document",
    "openapi.url",
    (url) => post("/agents/tools/import", { id: "door", openapi: { url } }),
  ],
  [
    "the server that a document names",
    "openapi.baseUrl",
    (url) =>
      post("/agents/tools/import", {
        id: "door",
        openapi: {
          baseUrl: url,
          document: {
            openapi: "3.1.0",
            info: { title: "t", version: "1" },
            paths: { "/go": { get: { operationId: "go", responses: {} } } },
          },
        },
      }),
  ],
  [
    "a model's endpoint",
    "executor.baseUrl",
    (url) => post("/agents", { id: "door", executor: { type: "model", model: "m", baseUrl: url } }),
  ],
  [
    "an agent card",
    "executor.cardUrl",
    (url) => post("/agents", { id: "door", executor: { type: "a2a", cardUrl: url } }),
  ],
  [
    "a token endpoint",
    "tokenUrl",
    (url) =>
      send("PUT", "/agents/tools/standing/credentials", {
        type: "oauth-client-credentials",
        tokenUrl: url,
        clientId: "c",
        clientSecret: "s",
      }),
  ],
];

describe("the guard at every entry point", () => {
  it("a tool with a public address is registered", async () => {
    const registered = await registering("standing", PUBLIC);
    expect(registered.status, registered.text).toBe(201);
  });

  it.each(ADDRESS_FIELDS)(
    "a rejected address for %s gets 400 with the field and a reason",
    async (_, path, knock) => {
      expect(URLS.length).toBeGreaterThan(100);
      for (const url of URLS) {
        const answer = await knock(url);
        expectError(answer, 400, "VALIDATION_ERROR");
        const [problem, ...others] = answer.body.error.details;
        expect([problem.path, others], `${url}: ${answer.text}`).toEqual([path, []]);
        expect(problem.message).toMatch(/\w{3}/);
      }
      expectError(await get("/agents/tools/door"), 404, "TOOL_NOT_FOUND");
      expectError(await get("/agents/door"), 404, "AGENT_NOT_FOUND");
      const standing = await get("/agents/tools/standing");
      expect(standing.body.data.connector.baseUrl).toBe(PUBLIC);
    },
  );

  it("private addresses are not allowed in this test run", () => {
    expect(env.ALLOW_PRIVATE_EGRESS).toBe("false");
  });
});
