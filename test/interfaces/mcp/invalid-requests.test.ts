import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { ROOT, send, type Answer } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { sendBytes } from "../../support/raw-request.ts";
import { stopClock } from "../../support/tasks.ts";

beforeAll(stopClock);

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
/** The headers that a request of 2026-07-28 repeats itself in. */
const MODERN = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" };

const legacy = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 7, method, params });
const modern = (method: string, params: object = {}, meta: object = META) =>
  JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: { ...params, _meta: meta } });
const call = (name: unknown) => ({ name, arguments: {} });
const LIST = legacy("tools/list");

function ask(
  body: string,
  headers: Record<string, string> = {},
  path = "/mcp",
  key: string | null = ROOT,
): Promise<Answer> {
  return send("POST", path, body, { key, headers });
}

/** Asserts a refusal in the form of JSON-RPC. */
function expectRpcError(answer: Answer, status: number, code: number, id: unknown = null): void {
  expect([answer.status, answer.body?.error?.code, answer.body?.id], answer.text).toEqual([
    status,
    code,
    id,
  ]);
  expect(Object.keys(answer.body).toSorted()).toEqual(["error", "id", "jsonrpc"]);
  expect(answer.body.error.message).toMatch(/\w/);
  expect(answer.headers.get("X-Request-Id")).toMatch(/./);
}

describe("who asks", () => {
  it.each([
    ["no key", null, {}],
    ["an unknown key", "bsn_0123456789abcdef_nothing", {}],
    ["a key in the wrong words", null, { Authorization: "Basic abc" }],
    ["two keys", null, { Authorization: `Bearer ${ROOT}, Bearer ${ROOT}` }],
  ])("with %s is asked for one", async (_, key, headers) => {
    const answer = await ask(LIST, headers, "/mcp", key);
    expectRpcError(answer, 401, -32_000);
    expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
    expect(answer.body.error.data.code).toBe("AUTHENTICATION_FAILED");
  });

  it.each([
    ["https://evil.example", 403],
    ["null", 403],
    ["http://bosun.test", 403],
    ["https://bosun.test:8443", 403],
    ["https://bosun.test.evil.example", 403],
    ["https://bosun.test", 200],
  ])("as a page of %s gets %d", async (Origin, status) => {
    const answer = await ask(LIST, { Origin });
    if (status === 200) expect(answer.status).toBe(200);
    else expectRpcError(answer, status, -32_000);
  });

  it("a request from another origin is rejected before its key is checked", async () => {
    expectRpcError(await ask(LIST, { Origin: "https://evil.example" }, "/mcp", null), 403, -32_000);
  });

  it.each([
    ["?agentId=", 400, -32_602],
    ["?agentId=a&agentId=b", 400, -32_602],
    [`?agentId=${"a".repeat(129)}`, 400, -32_602],
    ["?taskId=x", 400, -32_602],
    ["?agent=researcher", 400, -32_602],
    ["?agentId=researcher", 200, 0],
  ])("at /mcp%s gets %d", async (query, status, code) => {
    const answer = await ask(LIST, {}, `/mcp${query}`);
    if (status === 200) expect(answer.status).toBe(200);
    else expectRpcError(answer, status, code, 7);
  });

  it("a request for a task without an agent-bound key states what the key is bound to", async () => {
    const message = async (key: string) =>
      (await ask(LIST, {}, "/mcp?taskId=x", key)).body.error.message;
    expect(await message(ROOT)).toContain("this key is bound to no agent");
    const team = await keyWith(["tools:invoke", "tasks:write"], { teamId: "insights" });
    expect(await message(team)).toContain("this key is bound to a team, not to an agent");
  });

  it("a URL over 8 KiB is rejected with a JSON-RPC error once the key is known", async () => {
    const path = `/mcp?x=${"x".repeat(9_000)}`;
    const answer = await ask(LIST, {}, path);
    expectRpcError(answer, 414, -32_000);
    expect(answer.body.error.data.code).toBe("URI_TOO_LONG");
    expectRpcError(await ask(LIST, {}, path, null), 401, -32_000);
  });

  it("a call under a task without the scope to spend its budget is rejected", async () => {
    const key = await keyWith(["tools:invoke"]);
    expectRpcError(await ask(LIST, {}, "/mcp?agentId=researcher&taskId=x", key), 403, -32_000, 7);
  });
});

describe("methods of HTTP", () => {
  it.each(["GET", "DELETE", "PUT", "PATCH", "TRACE", "PROPFIND"])("%s is 405", async (method) => {
    const answer = await send(method, "/mcp", undefined, {
      headers: { Accept: "text/event-stream", "Mcp-Session-Id": "x" },
    });
    expectRpcError(answer, 405, -32_000);
    expect(answer.headers.get("Allow")).toBe("POST, OPTIONS");
  });

  it("HEAD gets 405 without a body, and OPTIONS lists the allowed methods", async () => {
    const head = await send("HEAD", "/mcp");
    expect([head.status, head.text]).toEqual([405, ""]);
    const options = await send("OPTIONS", "/mcp");
    expect([options.status, options.headers.get("Allow")]).toEqual([204, "POST, OPTIONS"]);
  });

  it("an address with a trailing slash works, and one with two slashes is 404", async () => {
    // The OpenAPI document lists only one of the two addresses.
    const options = { documented: false };
    const answer = await send("POST", "/mcp/", LIST, options);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual((await ask(LIST)).body);
    expectRpcError(await send("POST", "/mcp/", LIST, { ...options, key: null }), 401, -32_000);
    expect((await send("GET", "/mcp/", undefined, options)).headers.get("Allow")).toBe(
      "POST, OPTIONS",
    );
    expect((await send("POST", "/mcp//", LIST, options)).status).toBe(404);
  });
});

describe("headers", () => {
  it.each([
    ["text/event-stream", 406],
    ["application/json;q=0", 406],
    ["text/html", 406],
    ["application/json, text/event-stream", 200],
    ["application/json", 200],
    ["*/*", 200],
  ])("Accept: %s gets %d", async (Accept, status) => {
    const answer = await ask(LIST, { Accept });
    if (status === 200) expect(answer.headers.get("Content-Type")).toMatch(/^application\/json/);
    else expectRpcError(answer, status, -32_000);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "text/event-stream", "json"])(
    "Content-Type: %s is 415",
    async (type) => {
      expectRpcError(await ask(LIST, { "Content-Type": type }), 415, -32_000);
    },
  );

  it("Content-Encoding is 415", async () => {
    expectRpcError(await ask(LIST, { "Content-Encoding": "gzip" }), 415, -32_000);
  });

  it.each([
    ["an unknown revision", LIST, { "MCP-Protocol-Version": "1999-01-01" }, 400, -32_022],
    ["one before streamable HTTP", LIST, { "MCP-Protocol-Version": "2024-11-05" }, 400, -32_022],
    ["none at all", LIST, { "MCP-Protocol-Version": "newest" }, 400, -32_602],
    ["a future one", LIST, { "MCP-Protocol-Version": "2031-01-01" }, 400, -32_602],
    ["2026-07-28 without its envelope", LIST, MODERN, 400, -32_602],
    ["2026-07-28 in the body alone", modern("tools/list"), {}, 400, -32_020],
    [
      "another in the body",
      modern(
        "tools/list",
        {},
        { ...META, "io.modelcontextprotocol/protocolVersion": "2031-01-01" },
      ),
      MODERN,
      400,
      -32_020,
    ],
    [
      "a future one in header and body",
      modern(
        "tools/list",
        {},
        { ...META, "io.modelcontextprotocol/protocolVersion": "2031-01-01" },
      ),
      { ...MODERN, "MCP-Protocol-Version": "2031-01-01" },
      400,
      -32_022,
    ],
    [
      "an earlier one in header and envelope",
      modern(
        "tools/list",
        {},
        { ...META, "io.modelcontextprotocol/protocolVersion": "2025-11-25" },
      ),
      { ...MODERN, "MCP-Protocol-Version": "2025-11-25" },
      400,
      -32_022,
    ],
  ])("MCP-Protocol-Version: %s", async (_, body, headers, status, code) => {
    expectRpcError(await ask(body, headers), status, code, 7);
  });

  it.each([
    [LIST, { "MCP-Protocol-Version": "1999-01-01" }, "1999-01-01"],
    [
      modern(
        "tools/list",
        {},
        { ...META, "io.modelcontextprotocol/protocolVersion": "2031-01-01" },
      ),
      { ...MODERN, "MCP-Protocol-Version": "2031-01-01" },
      "2031-01-01",
    ],
  ])(
    "errors for an unknown revision list those of server/discover",
    async (body, headers, requested) => {
      const discovered = await ask(modern("server/discover"), {
        ...MODERN,
        "Mcp-Method": "server/discover",
      });
      const { supportedVersions } = discovered.body.result;
      expect(supportedVersions).toContain("2026-07-28");
      const refused = await ask(body, headers);
      expect(refused.body.error.data).toEqual({ supported: supportedVersions, requested });
    },
  );

  it.each([
    ["no Mcp-Method", modern("tools/list"), { "MCP-Protocol-Version": "2026-07-28" }],
    ["another Mcp-Method", modern("tools/list"), { ...MODERN, "Mcp-Method": "tools/call" }],
    ["no Mcp-Name", modern("tools/call", call("x")), { ...MODERN, "Mcp-Method": "tools/call" }],
    [
      "another Mcp-Name",
      modern("tools/call", call("x")),
      { ...MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "y" },
    ],
    [
      "an Mcp-Name in broken base64",
      modern("tools/call", call("x")),
      { ...MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "=?base64?eA=?=" },
    ],
  ])("%s with 2026-07-28 is a mismatch", async (_, body, headers) => {
    expectRpcError(await ask(body, headers), 400, -32_020, 7);
  });

  it("Mcp-Name may be in base64", async () => {
    const name = "smørrebrød";
    const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(name)));
    const headers = { ...MODERN, "Mcp-Method": "tools/call", "Mcp-Name": `=?base64?${encoded}?=` };
    const answer = await ask(modern("tools/call", call(name)), headers);
    expectRpcError(answer, 200, -32_602, 7);
    expect(answer.body.error.message).toContain(name);
  });
});

describe("bodies", () => {
  it.each([
    ["nothing", "", 400, -32_700, null],
    ["no JSON", "{", 400, -32_700, null],
    ["a text", '"tools/list"', 400, -32_600, null],
    ["null", "null", 400, -32_600, null],
    ["an object of another kind", "{}", 400, -32_600, null],
    ["another JSON-RPC", '{"jsonrpc":"1.0","id":7,"method":"ping"}', 400, -32_600, 7],
    ["an id that is none", '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32_600, null],
    ["a broken id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32_600, 1.5],
    ["a method that is none", '{"jsonrpc":"2.0","id":7,"method":7}', 400, -32_600, null],
    [
      "params that are none",
      '{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}',
      400,
      -32_600,
      7,
    ],
    ["no message at all", "[]", 400, -32_600, null],
    ["a batch", `[${LIST},${LIST}]`, 400, -32_600, null],
    ["a batch of 2026-07-28", `[${modern("tools/list")}]`, 400, -32_600, null],
  ])("%s", async (_, body, status, code, id) => {
    expectRpcError(await ask(body), status, code, id);
  });

  it("over 1 MiB are 413", async () => {
    expectRpcError(await ask(legacy("ping", { x: "x".repeat(1_048_577) })), 413, -32_000);
  });

  it("a body of more than 32 levels is rejected", async () => {
    const deep = `${"[".repeat(40)}${"]".repeat(40)}`;
    const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":${deep}}}}`;
    expectRpcError(await ask(body), 400, -32_602);
  });

  it("a body that is not UTF-8 is rejected", async () => {
    const bytes = new TextEncoder().encode(LIST);
    bytes[20] = 0xff;
    expectRpcError(await sendBytes("POST", "/mcp", bytes), 400, -32_700);
  });

  it("numbers and texts that cannot be represented are reported with their path", async () => {
    const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"create_task","arguments":{"task":"x","context":{"n":9007199254740993,"t":"\\ud800"}}}}`;
    const answer = await ask(body);
    expectRpcError(answer, 400, -32_602, 7);
    expect(answer.body.error.data.details.map(({ path }: { path: string }) => path)).toEqual([
      "params.arguments.context.n",
      "params.arguments.context.t",
    ]);
  });
});

describe("methods of MCP", () => {
  const UNKNOWN = [
    "resources/list",
    "prompts/list",
    "logging/setLevel",
    "tools/brew",
    "",
    "tasks/get",
  ];

  it.each(UNKNOWN)("%j there is not: 200 before 2026-07-28, 404 since", async (method) => {
    expectRpcError(await ask(legacy(method)), 200, -32_601, 7);
    const headers = { ...MODERN, "Mcp-Method": method };
    expectRpcError(await ask(modern(method), headers), 404, -32_601, 7);
  });

  it.each([
    ["tools/call", {}],
    ["tools/call", { name: 7 }],
    ["tools/call", { name: "create_task", arguments: [] }],
    ["tools/call", { name: "create_task", arguments: "x" }],
    ["tools/list", { cursor: 7 }],
    ["tools/list", { cursor: "" }],
    ["tools/list", { cursor: "x" }],
    ["tools/list", { cursor: "-1.0" }],
    ["tools/list", { cursor: "9".repeat(400) }],
    ["initialize", {}],
    ["initialize", { protocolVersion: 7, capabilities: {}, clientInfo: {} }],
  ])("%s with %j is a protocol error", async (method, params) => {
    const answer = await ask(legacy(method, params));
    expectRpcError(answer, 200, -32_602, 7);
  });

  it("initialize with an unknown revision is offered the latest of its kind", async () => {
    const clientInfo = { name: "t", version: "1" };
    const params = { protocolVersion: "1999-01-01", capabilities: {}, clientInfo };
    const { body } = await ask(legacy("initialize", params));
    expect(body.result.protocolVersion).toBe("2025-11-25");
  });

  it("notifications and answers are taken without a word", async () => {
    for (const body of [
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","method":"notifications/brewed"}',
      '{"jsonrpc":"2.0","id":1,"result":{}}',
    ]) {
      const answer = await ask(body);
      expect([answer.status, answer.text]).toEqual([202, ""]);
    }
  });
});

describe("a store out of reach", () => {
  it("an unexpected failure is a JSON-RPC error without internal text", async () => {
    const key = await keyWith(["tools:invoke"]);
    expect((await ask(LIST, {}, "/mcp", key)).status).toBe(200);
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const cut = vi.spyOn(env.DB, "prepare").mockImplementation(() => {
      throw new Error("D1_ERROR: Network connection lost.");
    });
    onTestFinished(() => {
      cut.mockRestore();
      logged.mockRestore();
    });
    const list = await ask(LIST, {}, "/mcp", key);
    expectRpcError(list, 200, -32_603, 7);
    expect(list.body.error.data).toEqual({ code: "SERVICE_UNAVAILABLE", retryable: true });
    const called = await ask(legacy("tools/call", call("json-workbench__query")), {}, "/mcp", key);
    expect(called.body.result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "SERVICE_UNAVAILABLE", retryable: true } },
    });
    for (const { text } of [list, called]) expect(text).not.toMatch(/D1_|Network/);
    expect(logged).toHaveBeenCalledTimes(2);
    // Whose key an isolate has not seen yet cannot even be let in.
    const unseen = "bsn_0123456789abcdef_" + "0".repeat(64);
    const refused = await ask(LIST, {}, "/mcp", unseen);
    expectRpcError(refused, 503, -32_000);
  });
});

describe("whatever comes", () => {
  const json = fc.json({ maxDepth: 4 });
  const method = fc.constantFrom(
    "initialize",
    "tools/list",
    "tools/call",
    "ping",
    "server/discover",
    "notifications/cancelled",
    "subscriptions/listen",
    "resources/read",
  );
  const name = fc.constantFrom(
    "create_task",
    "get_task",
    "claim_task",
    "json-workbench__query",
    "x",
  );
  const envelope = fc.constantFrom(
    {},
    { _meta: META },
    { _meta: { ...META, junk: 1 } },
    { _meta: 7 },
  );
  const message = fc
    .record({
      jsonrpc: fc.constantFrom("2.0", "1.0"),
      id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.constant(undefined)),
      method: fc.oneof(method, fc.string()),
      params: fc.oneof(
        fc
          .record({
            name: fc.oneof(name, fc.jsonValue()),
            arguments: fc.oneof(
              fc.record({ waitSeconds: fc.constant(0), agentId: fc.constant("researcher") }),
              fc.jsonValue(),
            ),
          })
          .chain((params) => envelope.map((extra) => ({ ...params, ...extra }))),
        fc.jsonValue(),
      ),
    })
    .map((value) => JSON.stringify(value));
  const strays = fc.record(
    {
      "MCP-Protocol-Version": fc.constantFrom("2025-11-25", "2026-07-28", "x"),
      "Mcp-Method": fc.constantFrom("tools/call", "tools/list", "x"),
      "Mcp-Name": fc.constantFrom("create_task", "x", "=?base64?!?="),
      "Mcp-Session-Id": fc.constantFrom("x"),
      "Last-Event-ID": fc.constantFrom("1"),
    },
    { requiredKeys: [] },
  );
  /** A message with the headers that repeat it, so that it gets further than the first of the checks. */
  const repeated = fc.tuple(method, name, envelope).map(([asked, called, extra]) => ({
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 7,
      method: asked,
      params: { ...call(called), ...extra },
    }),
    headers: {
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": asked,
      "Mcp-Name": called,
    },
  }));
  const request = fc.oneof(
    fc.record({ body: fc.oneof(json, fc.string(), message), headers: strays }),
    repeated,
  );

  it("is answered in the form of JSON-RPC, and never with a 5xx", { timeout: 60_000 }, async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(request, async ({ body, headers }) => {
        const answer = await ask(body, headers);
        statuses.add(answer.status);
        expect(answer.status, answer.text).toBeLessThan(500);
        expect(answer.text).not.toMatch(/D1_ERROR|SQLITE_|\bat \S+ \(|\.ts:\d+|for-tests-only/);
        if (answer.status === 202) return;
        expect(answer.body.jsonrpc).toBe("2.0");
        expect(answer.body.error?.code === -32_603).toBe(false);
        if (answer.status !== 200) expect(answer.body.error.message).toMatch(/\w/);
      }),
      { seed: 20_260_801, numRuns: 1_500 },
    );
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 202, 400, 404]);
  });
});
