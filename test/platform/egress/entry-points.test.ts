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

/**
 * Every blocked notation that reaches the guard. JSON and the service's own string validation
 * reject the others.
 */
const URLS = REFUSED.flatMap(([, urls]) => urls).filter(
  (url) => !url.includes("\u0000") && url.isWellFormed(),
);

/** Fields that accept an address. */
const ADDRESS_FIELDS: readonly (readonly [
  entry: string,
  path: string,
  sendTo: (url: string) => Promise<Answer>,
])[] = [
  ["a tool's base URL", "connector.baseUrl", (url) => registering("entry", url)],
  [
    "one request's own server",
    "capabilities[0].request.baseUrl",
    (url) =>
      registering("entry", PUBLIC, {
        capabilities: [{ ...CAPABILITY, request: { ...CAPABILITY.request, baseUrl: url } }],
      }),
  ],
  [
    "a tool that is changed",
    "connector.baseUrl",
    (url) => patch("/agents/tools/existing", { connector: { type: "http", baseUrl: url } }),
  ],
  [
    "an MCP server",
    "mcp.url",
    (url) => post("/agents/tools/import", { id: "entry", mcp: { url } }),
  ],
  [
    "an OpenAPI document",
    "openapi.url",
    (url) => post("/agents/tools/import", { id: "entry", openapi: { url } }),
  ],
  [
    "the server that a document names",
    "openapi.baseUrl",
    (url) =>
      post("/agents/tools/import", {
        id: "entry",
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
    (url) =>
      post("/agents", { id: "entry", executor: { type: "model", model: "m", baseUrl: url } }),
  ],
  [
    "an agent card",
    "executor.cardUrl",
    (url) => post("/agents", { id: "entry", executor: { type: "a2a", cardUrl: url } }),
  ],
  [
    "a token endpoint",
    "tokenUrl",
    (url) =>
      send("PUT", "/agents/tools/existing/credentials", {
        type: "oauth-client-credentials",
        tokenUrl: url,
        clientId: "c",
        clientSecret: "s",
      }),
  ],
];

describe("the guard at every entry point", () => {
  it("a tool with a public address is registered", async () => {
    const registered = await registering("existing", PUBLIC);
    expect(registered.status, registered.text).toBe(201);
  });

  it.each(ADDRESS_FIELDS)(
    "a rejected address for %s gets 400 with the field and a reason",
    async (_, path, sendTo) => {
      expect(URLS.length).toBeGreaterThan(100);
      for (const url of URLS) {
        const answer = await sendTo(url);
        expectError(answer, 400, "VALIDATION_ERROR");
        const [problem, ...others] = answer.body.error.details;
        expect([problem.path, others], `${url}: ${answer.text}`).toEqual([path, []]);
        expect(problem.message).toMatch(/\w{3}/);
      }
      expectError(await get("/agents/tools/entry"), 404, "TOOL_NOT_FOUND");
      expectError(await get("/agents/entry"), 404, "AGENT_NOT_FOUND");
      const tool = await get("/agents/tools/existing");
      expect(tool.body.data.connector.baseUrl).toBe(PUBLIC);
    },
  );

  it("private addresses are not allowed in this test run", () => {
    expect(env.ALLOW_PRIVATE_EGRESS).toBe("false");
  });
});
