import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { del, get, patch, post, send, type Answer } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { queryCapability, invoke, originOf, registerHttpTool } from "../../support/server-tools.ts";
import { expectProblems, expectError } from "../../support/expect-errors.ts";

const ECHO = queryCapability("echo", "/echo", "word");

describe("registration of a tool", () => {
  it("a registered tool can be called and has default settings and version 1", async () => {
    const registered = await registerHttpTool("hostile", "first", [ECHO]);
    expect(registered.status, registered.text).toBe(201);
    expect(registered.headers.get("Location")).toMatch(/\/agents\/tools\/first$/);
    expect(registered.body.data).toMatchObject({
      id: "first",
      version: 1,
      category: "integration",
      authentication: { type: "none", scopes: [] },
      rateLimit: { requests: 1_000, period: "hour" },
      pricing: { model: "usage", free: 0, overage: 0 },
      connector: { type: "http", baseUrl: originOf("hostile"), timeoutMs: 10_000 },
      totalCapabilities: 1,
    });
    const called = await invoke("first", "echo", { word: "ahoy" });
    expect(called.body.data.result.body).toMatchObject({ method: "GET", path: "/echo?word=ahoy" });
    expect(called.body.data.usage).toMatchObject({ toolId: "first", capability: "echo", cost: 0 });
  });

  it("registration rejects an id that is in use, reserved or malformed", async () => {
    await registerHttpTool("hostile", "taken", [ECHO]);
    expectError(await registerHttpTool("hostile", "taken", [ECHO]), 409, "TOOL_EXISTS");
    expectError(await registerHttpTool("hostile", "json-workbench", [ECHO]), 409, "TOOL_EXISTS");
    for (const id of ["access", "import", "", "a/b", "-x", "a".repeat(129)]) {
      expectProblems(await registerHttpTool("hostile", id, [ECHO]), { id: "must" });
    }
  });

  it("one of two concurrent registrations with the same id succeeds", async () => {
    const both = await Promise.all([
      registerHttpTool("hostile", "twins", [ECHO]),
      registerHttpTool("hostile", "twins", [queryCapability("other", "/ok")]),
    ]);
    const winner = both.find(({ status }) => status === 201);
    const loser = both.find(({ status }) => status !== 201);
    expect([winner?.status, loser?.status]).toEqual([201, 409]);
    const tool = await get("/agents/tools/twins");
    expect(tool.body.data.capabilities).toEqual(winner?.body.data.capabilities);
  });

  it.each<[string, JsonObject, Record<string, string>]>([
    ["a connector that is not an object", { connector: 5 }, { connector: "must be" }],
    [
      "a baseUrl with another scheme",
      { connector: { baseUrl: "ftp://example.com" } },
      { "connector.baseUrl": "must" },
    ],
    [
      "a baseUrl that is not a URL",
      { connector: { baseUrl: "harbour" } },
      { "connector.baseUrl": "must be an absolute URL" },
    ],
    [
      "a timeout that is too long",
      { connector: { timeoutMs: 30_001 } },
      { "connector.timeoutMs": "30000" },
    ],
    [
      "a secret in a header",
      { connector: { headers: { Authorization: "Bearer x" } } },
      { "connector.headers": "credentials" },
    ],
    ["no capability", { capabilities: [] }, { capabilities: "at least 1" }],
    ["an unknown category", { category: "fun" }, { category: "must be one of" }],
    ["an unknown field", { colour: "red" }, { colour: "is not a known field" }],
    [
      "a negative price",
      { pricing: { free: 0, overage: -1 } },
      { "pricing.overage": "at least 0" },
    ],
    [
      "a rate limit of 0 requests",
      { rateLimit: { requests: 0, period: "hour" } },
      { "rateLimit.requests": "at least 1" },
    ],
    [
      "scopes without oauth",
      { authentication: { type: "api-key", scopes: ["a"] } },
      { "authentication.scopes": "oauth" },
    ],
    [
      "documentation that is not a URL",
      { documentation: "javascript:alert(1)" },
      { documentation: "URL" },
    ],
    [
      "an mcp capability",
      { capabilities: [{ id: "x", tool: "y" }] },
      { "capabilities[0]": "`request`" },
    ],
    [
      "a request and a tool",
      { capabilities: [{ ...ECHO, tool: "y" }] },
      { "capabilities[0].request": "mcp tool" },
    ],
    [
      "a duplicate capability",
      { capabilities: [ECHO, ECHO] },
      { "capabilities[1].id": "more than once" },
    ],
  ])("registration rejects %s", async (_, changes, problems) => {
    const { capabilities, ...others } = changes;
    const list = Array.isArray(capabilities) ? capabilities : [ECHO];
    const answer = await registerHttpTool("hostile", "refused", [], {
      ...others,
      capabilities: list,
    });
    expectProblems(answer, problems);
    expectError(await get("/agents/tools/refused"), 404, "TOOL_NOT_FOUND");
  });

  it.each<[string, JsonObject, Record<string, string>]>([
    [
      "a path that names no parameter",
      { path: "/x/{nobody}" },
      { "request.path": "nobody", "parameters[0]": "not used" },
    ],
    ["a path with an open brace", { path: "/x/{word" }, { "request.path": "brace" }],
    ["a path with reserved expansion", { path: "/x/{+word}" }, { "request.path": "RFC 6570" }],
    ["a path without a slash", { path: "x" }, { "request.path": 'begin with "/"' }],
    [
      "a body for GET",
      { path: "/{word}", body: { parameter: "word" } },
      { "request.body": "has no body" },
    ],
    [
      "styles of a body that is not a form",
      { method: "POST", path: "/{word}", body: { fields: {}, styles: { a: {} } } },
      { "request.body.styles": "only with `as: form` or `as: multipart`" },
    ],
    [
      "a file that is not a field",
      { method: "POST", path: "/{word}", body: { as: "multipart", fields: {}, files: { a: {} } } },
      { "request.body.files": "must name fields" },
    ],
    ["an unused parameter", { path: "/x" }, { "parameters[0]": "not used" }],
    [
      "an unknown method",
      { method: "TRACE", path: "/{word}" },
      { "request.method": "must be one of" },
    ],
    [
      "a query that names no parameter",
      { path: "/{word}", query: { q: { parameter: "gone" } } },
      { "request.query.q": "gone" },
    ],
    ["an invalid JSONPath", { path: "/{word}", result: "$.[" }, { "request.result": "JSONPath" }],
  ])("registration rejects a request with %s", async (_, request, problems) => {
    const capability = {
      id: "one",
      parameters: [{ name: "word", type: "string" }],
      request: { method: "GET", ...request },
    };
    const answer = await registerHttpTool("hostile", "refused", [capability]);
    const below = Object.entries(problems).map(([path, message]) => [
      `capabilities[0].${path}`,
      message,
    ]);
    expectProblems(answer, Object.fromEntries(below));
  });

  it("registration rejects duplicate parameters and an invalid schema", async () => {
    const capability = {
      id: "one",
      parameters: [
        { name: "word", type: "string", schema: { type: "strong" } },
        { name: "word", type: "string" },
      ],
      request: { method: "GET", path: "/{word}" },
    };
    expectProblems(await registerHttpTool("hostile", "refused", [capability]), {
      "capabilities[0].parameters[1].name": "more than once",
      "capabilities[0].parameters[0].schema": "type",
    });
  });
});

describe("changing a tool", () => {
  it("a change increments a tool's version, replaces the given fields, and keeps the others", async () => {
    await registerHttpTool("hostile", "changing", [ECHO]);
    const changed = await patch("/agents/tools/changing", {
      description: "Echoes.",
      rateLimit: { requests: 2, period: "minute" },
      capabilities: [queryCapability("shout", "/echo", "word")],
    });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body.data).toMatchObject({
      version: 2,
      name: "Tool changing",
      description: "Echoes.",
      capabilities: [{ id: "shout" }],
    });
    expectError(await invoke("changing", "echo", {}), 404, "CAPABILITY_NOT_FOUND");
    const called = await invoke("changing", "shout", { word: "a" });
    expect(called.headers.get("RateLimit-Policy")).toBe('"tool";q=2;w=60');
    const found = await get("/agents/tools?search=Echoes.");
    expect(found.body.data.tools.map(({ id }: { id: string }) => id)).toEqual(["changing"]);
  });

  it("a change to the current values does not increment the version", async () => {
    await registerHttpTool("hostile", "same", [ECHO]);
    const again = await patch("/agents/tools/same", { name: "Tool same" });
    expect(again.body.data.version).toBe(1);
  });

  it("three concurrent changes to a tool all take effect", async () => {
    await registerHttpTool("hostile", "busy", [ECHO]);
    const answers = await Promise.all([
      patch("/agents/tools/busy", { name: "One" }),
      patch("/agents/tools/busy", { description: "Two" }),
      patch("/agents/tools/busy", { category: "data" }),
    ]);
    const done = answers.filter(({ status }) => status === 200).length;
    expect(done).toBe(3);
    expect((await get("/agents/tools/busy")).body.data).toMatchObject({
      version: 4,
      name: "One",
      description: "Two",
      category: "data",
    });
  });

  it("a PATCH rejects an empty change, an unknown tool, a built-in tool and invalid fields", async () => {
    expectProblems(await patch("/agents/tools/same", {}), { body: "must set at least one field" });
    expectError(await patch("/agents/tools/nobody", { name: "x" }), 404, "TOOL_NOT_FOUND");
    expectError(await patch("/agents/tools/chart-maker", { name: "x" }), 409, "TOOL_BUILT_IN");
    expectProblems(await patch("/agents/tools/same", { id: "other" }), {
      id: "not a known field",
      body: "must set at least one field",
    });
    const mcp = { type: "mcp", url: originOf("everything") };
    expectProblems(await patch("/agents/tools/same", { connector: mcp }), {
      capabilities: "are required, because the connector type changes from http to mcp",
    });
    const both = { connector: mcp, capabilities: [ECHO] };
    expectProblems(await patch("/agents/tools/same", both), { "capabilities[0]": "`tool`" });
  });
});

describe("a retired tool", () => {
  it("a retired tool cannot be used, keeps its history, and its id cannot be registered again", async () => {
    await registerHttpTool("hostile", "old", [ECHO]);
    await post("/agents/tools/access", { agentId: "reader", toolId: "old" });
    expect((await invoke("old", "echo", { word: "x" }, { agentId: "reader" })).status).toBe(200);
    const retired = await del("/agents/tools/old");
    expect(retired.body.data).toEqual({ id: "old", retired: true });
    const call = await invoke("old", "echo", { word: "x" }, { agentId: "reader" });
    expectError(call, 404, "TOOL_NOT_FOUND");
    expectError(await get("/agents/tools/old"), 404, "TOOL_NOT_FOUND");
    expectError(await del("/agents/tools/old"), 404, "TOOL_NOT_FOUND");
    expect((await get("/agents/tools/access/reader")).body.data.tools).toEqual([]);
    expect((await get("/agents/tools?search=Tool old")).body.data.tools).toEqual([]);
    expect((await get("/agents/tools/old/usage")).body.data.total).toMatchObject({ calls: 1 });
    const again = await registerHttpTool("hostile", "old", [ECHO]);
    expectError(again, 409, "TOOL_EXISTS");
    expect(again.body.error.message).toContain("retired");
  });

  it("a built-in tool cannot be retired", async () => {
    expectError(await del("/agents/tools/json-workbench"), 409, "TOOL_BUILT_IN");
  });
});

describe("a tool's connector", () => {
  it("the connector is shown only to keys with tools:manage", async () => {
    await registerHttpTool("hostile", "shown", [ECHO]);
    const key = await keyWith(["tools:read"]);
    const open = await get("/agents/tools/shown");
    expect(open.body.data.connector.baseUrl).toBe(originOf("hostile"));
    expect(open.body.data.capabilities[0].request.path).toBe("/echo");
    const reader = await get("/agents/tools/shown", { key });
    expect(reader.body.data.connector).toEqual({ type: "http" });
    expect(reader.body.data.capabilities[0]).toEqual({
      id: "echo",
      name: "echo",
      description: "",
      parameters: [{ name: "word", type: "string", required: false }],
    });
    expect(reader.text).not.toContain("127.0.0.1");
  });
});

describe("a tool's credentials", () => {
  const put = (id: string) =>
    send("PUT", `/agents/tools/${id}/credentials`, { type: "api-key", value: "s3cret-value" });
  const credentialsStatus = async (id: string) =>
    (await get(`/agents/tools/${id}/credentials`)).status;

  it("a tool's credentials are kept when it changes, but not when it moves to another origin", async () => {
    await registerHttpTool("hostile", "keyed", [ECHO]);
    expect((await put("keyed")).status).toBe(201);
    await patch("/agents/tools/keyed", { name: "Still there" });
    const connector = { type: "http", baseUrl: `${originOf("hostile")}/below` };
    await patch("/agents/tools/keyed", { connector });
    expect(await credentialsStatus("keyed")).toBe(200);

    const otherConnector = { type: "http", baseUrl: originOf("documents") };
    await patch("/agents/tools/keyed", { connector: otherConnector });
    expect(await credentialsStatus("keyed")).toBe(404);
  });

  it("a tool's credentials are removed if one of its requests moves to another origin", async () => {
    await registerHttpTool("hostile", "keyed-too", [ECHO]);
    await put("keyed-too");
    const { request, ...rest } = ECHO;
    const stray = { ...rest, request: { ...Object(request), baseUrl: originOf("documents") } };
    await patch("/agents/tools/keyed-too", { capabilities: [stray] });
    expect(await credentialsStatus("keyed-too")).toBe(404);
  });
});

describe("a very large tool", () => {
  it("a tool is rejected within ten seconds if references double in each level of its schemas", async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        `d${at}`,
        { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    );
    const schema = { $ref: "#/$defs/d0", $defs: { ...$defs, d20: { type: "string" } } };
    const many = Array.from({ length: 500 }, (_, at) => ({
      id: `c${at}`,
      parameters: [{ name: "p", type: "string", schema }],
      request: { method: "GET", path: "/{p}" },
    }));
    const startedAt = performance.now();
    const answer = await registerHttpTool("hostile", "bomb", many);
    const tookMs = performance.now() - startedAt;
    expectError(answer, 400, "VALIDATION_ERROR");
    expect(answer.body.error.details[0].path).toMatch(
      /^capabilities\[\d+\]\.parameters\[0\]\.schema$/,
    );
    console.log(`500 schemas of doubling references: ${Math.round(tookMs)} ms`);
    expect(tookMs).toBeLessThan(10_000);
  });

  it("a tool with requests to more than 20 servers is rejected", async () => {
    const many = Array.from({ length: 30 }, (_, at) => ({
      id: `c${at}`,
      request: { method: "GET", path: "/x", baseUrl: `https://h${at}.example.com` },
    }));
    const answer = await registerHttpTool("hostile", "scattered", many);
    expectProblems(answer, { "capabilities[29].request.baseUrl": "at most 20" });
  });

  it("pages of a tool with very large parameters end early and together list every capability", async () => {
    const wide = { type: "string", description: "d".repeat(60_000) };
    const list = (from: number) =>
      Array.from({ length: 15 }, (_, at) => ({
        id: `c${from + at}`,
        parameters: [{ name: "p", type: "string", schema: wide }],
        request: { method: "GET", path: "/{p}" },
      }));
    await registerHttpTool("hostile", "wide-tool", list(0));
    await env.DB.prepare(
      `INSERT INTO capabilities (tool_id, id, position, name, description, parameters, operation)
       SELECT tool_id, 'k' || n.value || id, position + 15 * n.value, name, description, parameters, operation
       FROM capabilities, (SELECT value FROM json_each('[1,2,3,4]')) AS n WHERE tool_id = 'wide-tool'`,
    ).run();
    const detail = await get("/agents/tools/wide-tool");
    expect(detail.body.data.totalCapabilities).toBe(75);
    expect(detail.text.length).toBeLessThan(2_500_000);
    const seen = new Set<string>();
    let offset: number | null = 0;
    while (offset !== null) {
      const page: Answer = await get(
        `/agents/tools/wide-tool/capabilities?limit=100&offset=${offset}`,
      );
      for (const { id } of page.body.data.capabilities) seen.add(id);
      offset = page.body.data.nextOffset;
    }
    expect(seen.size).toBe(75);
  });
});
