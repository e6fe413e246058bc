import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { ROOT, send } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { sendBytes } from "../../support/raw-request.ts";
import { stopClock } from "../../support/tasks.ts";
import { META, MODERN, legacy, modern, call, LIST, ask, expectRpcError } from "./raw-client.ts";

beforeAll(stopClock);

describe("the caller of a request", () => {
  it.each([
    ["no key", null, {}],
    ["an unknown key", "bsn_0123456789abcdef_nothing", {}],
    ["a key in another authentication scheme", null, { Authorization: "Basic abc" }],
    ["two keys", null, { Authorization: `Bearer ${ROOT}, Bearer ${ROOT}` }],
  ])("a request with %s gets 401 and is asked for a key", async (_, key, headers) => {
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
  ])("a request with the Origin %s gets %d", async (Origin, status) => {
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
  ])("a request to /mcp%s gets %d", async (query, status, code) => {
    const answer = await ask(LIST, {}, `/mcp${query}`);
    if (status === 200) expect(answer.status).toBe(200);
    else expectRpcError(answer, status, code, 7);
  });

  it("the error for a taskId with a key that is not bound to an agent states what the key is bound to", async () => {
    const message = async (key: string) =>
      (await ask(LIST, {}, "/mcp?taskId=x", key)).body.error.message;
    expect(await message(ROOT)).toContain("this key is not bound to an agent");
    const team = await keyWith(["tools:invoke", "tasks:write"], { teamId: "insights" });
    expect(await message(team)).toContain("this key is bound to a team");
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

describe("HTTP methods", () => {
  it.each(["GET", "DELETE", "PUT", "PATCH", "TRACE", "PROPFIND"])(
    "the HTTP method %s gets 405",
    async (method) => {
      const answer = await send(method, "/mcp", undefined, {
        headers: { Accept: "text/event-stream", "Mcp-Session-Id": "x" },
      });
      expectRpcError(answer, 405, -32_000);
      expect(answer.headers.get("Allow")).toBe("POST, OPTIONS");
    },
  );

  it("HEAD gets 405 without a body, and OPTIONS lists the allowed methods", async () => {
    const head = await send("HEAD", "/mcp");
    expect([head.status, head.text]).toEqual([405, ""]);
    const options = await send("OPTIONS", "/mcp");
    expect([options.status, options.headers.get("Allow")]).toEqual([204, "POST, OPTIONS"]);
  });

  it("the path /mcp/ works like /mcp, and /mcp// gets 404", async () => {
    // The OpenAPI document does not list this alias.
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

describe("bodies", () => {
  it.each([
    ["an empty body", "", 400, -32_700, null],
    ["incomplete JSON", "{", 400, -32_700, null],
    ["a text", '"tools/list"', 400, -32_600, null],
    ["null", "null", 400, -32_600, null],
    ["an empty object", "{}", 400, -32_600, null],
    ["another JSON-RPC version", '{"jsonrpc":"1.0","id":7,"method":"ping"}', 400, -32_600, 7],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32_600, null],
    ["an id with a fraction", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32_600, 1.5],
    ["a method that is not a string", '{"jsonrpc":"2.0","id":7,"method":7}', 400, -32_600, null],
    [
      "params that are a list",
      '{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}',
      400,
      -32_600,
      7,
    ],
    ["an empty batch", "[]", 400, -32_600, null],
    ["a batch", `[${LIST},${LIST}]`, 400, -32_600, null],
    ["a batch of 2026-07-28", `[${modern("tools/list")}]`, 400, -32_600, null],
  ])("an invalid body is rejected: %s", async (_, body, status, code, id) => {
    expectRpcError(await ask(body), status, code, id);
  });

  it("a body over 1 MiB gets 413", async () => {
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

  it("numbers and strings that cannot be represented are reported with their path", async () => {
    const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"create_task","arguments":{"task":"x","context":{"n":9007199254740993,"t":"\\ud800"}}}}`;
    const answer = await ask(body);
    expectRpcError(answer, 400, -32_602, 7);
    expect(answer.body.error.data.details.map(({ path }: { path: string }) => path)).toEqual([
      "params.arguments.context.n",
      "params.arguments.context.t",
    ]);
  });
});

describe("MCP methods", () => {
  const UNKNOWN = [
    "resources/list",
    "prompts/list",
    "logging/setLevel",
    "tools/brew",
    "",
    "tasks/get",
  ];

  it.each(UNKNOWN)(
    "the unknown method %j gets an error with status 200 before 2026-07-28, and with 404 since then",
    async (method) => {
      expectRpcError(await ask(legacy(method)), 200, -32_601, 7);
      const headers = { ...MODERN, "Mcp-Method": method };
      expectRpcError(await ask(modern(method), headers), 404, -32_601, 7);
    },
  );

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
  ])("the method %s with %j gets a protocol error", async (method, params) => {
    const answer = await ask(legacy(method, params));
    expectRpcError(answer, 200, -32_602, 7);
  });

  it("initialize with an unknown revision gets the latest revision of its generation", async () => {
    const clientInfo = { name: "t", version: "1" };
    const params = { protocolVersion: "1999-01-01", capabilities: {}, clientInfo };
    const { body } = await ask(legacy("initialize", params));
    expect(body.result.protocolVersion).toBe("2025-11-25");
  });

  it("notifications and responses get 202 without a body", async () => {
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

describe("an unreachable database", () => {
  it("a database failure is reported as a JSON-RPC error without internal text", async () => {
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
    // During the outage, a key that this isolate has not cached cannot be authenticated.
    const unseen = "bsn_0123456789abcdef_" + "0".repeat(64);
    const refused = await ask(LIST, {}, "/mcp", unseen);
    expectRpcError(refused, 503, -32_000);
  });
});

describe("random requests", () => {
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
  /** A message whose headers match its body, so that it passes the header checks. */
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

  it(
    "a random request gets a JSON-RPC response or 202, and never a 5xx",
    { timeout: 60_000 },
    async () => {
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
    },
  );
});
