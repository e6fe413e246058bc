import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { get, post, type Answer } from "../../support/client.ts";
import { queryCapability, invoke, originOf, registerHttpTool } from "../../support/server-tools.ts";
import { expectError } from "../../support/expect-errors.ts";

type Misbehaviour = readonly [
  id: string,
  path: string,
  status: number,
  code: string,
  retryable: boolean,
];

/** The error for each misbehaviour, and whether a later GET may succeed. */
const WAYS: readonly Misbehaviour[] = [
  ["error-500", "/status?status=500", 502, "TOOL_UPSTREAM_ERROR", true],
  ["hang", "/hang", 504, "TOOL_TIMEOUT", true],
  ["hang-in-body", "/hang-in-body", 504, "TOOL_TIMEOUT", true],
  ["drip", "/drip?everyMs=20", 504, "TOOL_TIMEOUT", true],
  ["reset", "/reset", 502, "TOOL_UPSTREAM_ERROR", true],
  ["truncated", "/truncated", 502, "TOOL_UPSTREAM_ERROR", true],
  ["large", "/large", 502, "TOOL_UPSTREAM_ERROR", false],
  ["bomb", "/bomb", 502, "TOOL_UPSTREAM_ERROR", false],
  ["brotli-bomb", "/bomb?encoding=br", 502, "TOOL_UPSTREAM_ERROR", false],
  ["garbage", "/garbage", 502, "TOOL_UPSTREAM_ERROR", true],
  ["not-json", "/not-json", 502, "TOOL_UPSTREAM_ERROR", false],
  ["loop", "/redirect-loop", 502, "TOOL_UPSTREAM_ERROR", false],
];

/**
 * Short for misbehaviours that use up the whole timeout, and long enough for those that end after a
 * few attempts.
 */
const timeoutMs = (status: number): number => (status === 504 ? 700 : 5_000);

const MAYBE_DONE = "may have been executed";

/** Builds a capability that writes to `path`. */
function changing(id: string, path: string): JsonObject {
  const body = { as: "json", fields: {} };
  return { id, parameters: [], request: { method: "POST", path, body } };
}

beforeAll(async () => {
  const pricing = { free: 0, overage: 1 };
  for (const [id, path, status] of WAYS) {
    const registered = await registerHttpTool("hostile", id, [queryCapability("go", path)], {
      connector: { timeoutMs: timeoutMs(status) },
      pricing,
    });
    expect(registered.status, registered.text).toBe(201);
  }
  await registerHttpTool("hostile", "healthy", [queryCapability("go", "/ok")]);
});

describe("another system that misbehaves", () => {
  it.each(WAYS)(
    "the failure '%s' is reported with the tool's id and costs nothing",
    async (id, _, status, code, retryable) => {
      const answer = await invoke(id, "go");
      expectError(answer, status, code);
      expect(answer.body.error.retryable).toBe(retryable);
      expect(answer.body.error.message).not.toContain(MAYBE_DONE);
      expect(answer.body.error.message).toContain(`"${id}"`);
      const usage = (await get(`/agents/tools/${id}/usage`)).body.data;
      expect(usage.total).toMatchObject({ calls: 1, failed: 1, cost: 0 });
      expect(usage.recentCalls[0]).toMatchObject({ ok: false, code });
    },
  );

  it("a misbehaving system does not slow down other requests", async () => {
    const slow: Promise<Answer>[] = WAYS.map(([id]) => invoke(id, "go"));
    let areOthersWaiting = true;
    const ended = Promise.all(slow).finally(() => (areOthersWaiting = false));
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 10 }, () => invoke("healthy", "go")));
    const tookMs = performance.now() - startedAt;
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(areOthersWaiting).toBe(true);
    console.log(
      `ten calls of a healthy tool next to twelve failing ones: ${Math.round(tookMs)} ms`,
    );
    for (const { status } of await ended) expect([502, 504]).toContain(status);
  });

  it("the Retry-After of a system's 429 is passed on", async () => {
    await registerHttpTool("hostile", "busy-one", [
      queryCapability("go", "/status?status=429&retryAfter=30"),
    ]);
    const answer = await invoke("busy-one", "go");
    expectError(answer, 502, "TOOL_UPSTREAM_ERROR");
    expect(answer.headers.get("Retry-After")).toBe("30");
    expect(answer.body.error.retryable).toBe(true);
  });

  it("an error response of a system is passed on with its status and is not retryable", async () => {
    await registerHttpTool("hostile", "strict-one", [queryCapability("go", "/status?status=422")]);
    const answer = await invoke("strict-one", "go");
    expectError(answer, 502, "TOOL_UPSTREAM_ERROR");
    expect(answer.body.error).toMatchObject({ retryable: false, context: { status: 422 } });
  });
});

describe("a system that says why it fails", () => {
  it("the body of a 500, 429 or 401 is quoted, and only the error for the 401 gives advice", async () => {
    const codes = [500, 429, 401] as const;
    const statuses = codes.map((code) =>
      queryCapability(`status-${code}`, `/status?status=${code}`),
    );
    await registerHttpTool("hostile", "wordy", statuses);
    for (const [code, status, name] of [
      [500, 502, "TOOL_UPSTREAM_ERROR"],
      [429, 502, "TOOL_UPSTREAM_ERROR"],
      [401, 424, "TOOL_CREDENTIALS_REQUIRED"],
    ] as const) {
      const answer = await invoke("wordy", `status-${code}`);
      expectError(answer, status, name);
      const response = { status: code, body: { error: `status ${code}` } };
      expect(answer.body.error.context).toEqual(response);
      const advice = "Set credentials with PUT /agents/tools/wordy/credentials.";
      expect(answer.body.error.message.includes(advice)).toBe(code === 401);
    }
  });
});

describe("a call that changes something", () => {
  it.each([
    ["hangs", "/hang", 504, "TOOL_TIMEOUT"],
    ["is reset", "/reset", 502, "TOOL_UPSTREAM_ERROR"],
    ["is cut off", "/truncated", 502, "TOOL_UPSTREAM_ERROR"],
    ["ends in a 500", "/status?status=500", 502, "TOOL_UPSTREAM_ERROR"],
    ["ends in a gateway's 503", "/status?status=503", 502, "TOOL_UPSTREAM_ERROR"],
    [
      "is redirected to a 429",
      "/redirect?status=303&to=/status?status=429",
      502,
      "TOOL_UPSTREAM_ERROR",
    ],
    ["ends in a response that is too large", "/large", 502, "TOOL_UPSTREAM_ERROR"],
    ["ends in a response that is not JSON", "/not-json", 502, "TOOL_UPSTREAM_ERROR"],
  ])(
    "the error for a changing call that %s is not retryable and says that the call may have been executed",
    async (way, path, status, code) => {
      const id = `changing-${way.replaceAll(/\W/g, "-")}`;
      const connector = { timeoutMs: timeoutMs(status) };
      await registerHttpTool("hostile", id, [changing("go", path)], { connector });
      const answer = await invoke(id, "go");
      expectError(answer, status, code);
      expect(answer.body.error.retryable).toBe(false);
      expect(answer.body.error.message).toContain(MAYBE_DONE);
      expect(answer.headers.get("Retry-After")).toBeNull();
    },
  );

  it.each([
    ["busy", "/status?status=429", true],
    ["away", "/status?status=503&retryAfter=7", true],
    ["strict", "/status?status=422", false],
  ])(
    "the error for a rejected changing call does not say that the call may have been executed: %s",
    async (way, path, retryable) => {
      const id = `turning-${way}`;
      await registerHttpTool("hostile", id, [changing("go", path)]);
      const answer = await invoke(id, "go");
      expectError(answer, 502, "TOOL_UPSTREAM_ERROR");
      expect(answer.body.error.retryable).toBe(retryable);
      expect(answer.body.error.message).not.toContain(MAYBE_DONE);
      expect(answer.headers.get("Retry-After")).toBe(way === "away" ? "7" : null);
    },
  );
});

describe("a permanent failure", () => {
  it("permanent failures do not open the circuit of a system", async () => {
    const lasting = ["/large", "/not-json", "/redirect-loop", "/deflate"];
    const odd = lasting.map((path) => queryCapability(path.slice(1), path));
    await registerHttpTool("hostile", "half-odd", [...odd, queryCapability("ok", "/ok")]);
    for (const path of [...lasting, ...lasting]) {
      const answer = await invoke("half-odd", path.slice(1));
      expectError(answer, 502, "TOOL_UPSTREAM_ERROR");
      expect(answer.body.error.retryable).toBe(false);
    }
    expect((await get("/agents/tools/half-odd/usage")).body.data.breaker.state).toBe("closed");
    expect((await invoke("half-odd", "ok")).status).toBe(200);
  });

  it("a redirect that cannot be followed counts as the system's failure, and one to a rejected address gets a 400", async () => {
    const other = await (await fetch(`${originOf("hostile")}/other-origin`)).text();
    const to = (url: string) => `/redirect?status=307&to=${encodeURIComponent(url)}`;
    await registerHttpTool("hostile", "redirecting", [
      changing("other-origin", to(`${other}/echo`)),
      queryCapability("no-web", to("ftp://harbour.example.com/tides")),
    ]);
    const redirected = await invoke("redirecting", "other-origin");
    expectError(redirected, 502, "TOOL_UPSTREAM_ERROR");
    expect(redirected.body.error.retryable).toBe(false);
    const { message } = redirected.body.error;
    expect(message).toContain("it redirects to an address that is not allowed");
    expect(message).not.toContain(new URL(other).host);
    const refused = await invoke("redirecting", "no-web");
    expectError(refused, 400, "VALIDATION_ERROR");
    expect(refused.body.error.details[0].path).toBe("url");
  });
});

describe("an MCP server that misbehaves", () => {
  const importing = (id: string, path: string, others = {}) =>
    post("/agents/tools/import", {
      id,
      mcp: { url: `${originOf("hostile-mcp")}/${path}` },
      ...others,
    });

  it.each([
    ["html", 502, "TOOL_UPSTREAM_ERROR"],
    ["500", 502, "TOOL_UPSTREAM_ERROR"],
    ["lies-initialize", 502, "TOOL_UPSTREAM_ERROR"],
    ["lies-list", 502, "TOOL_UPSTREAM_ERROR"],
    ["401", 424, "TOOL_CREDENTIALS_REQUIRED"],
  ])(
    "a failed import from an MCP server (%s) leaves no tool behind",
    async (path, status, code) => {
      expectError(await importing("ill-mcp", path), status, code);
      expectError(await get("/agents/tools/ill-mcp"), 404, "TOOL_NOT_FOUND");
    },
  );

  it.each([
    ["error-result", "an error result", false, false],
    ["lies-content", "a malformed result", false, true],
    ["reset", "a broken connection", false, true],
    ["500-call", "an error of the server", false, true],
    ["503-call", "a temporary outage", true, false],
  ])(
    "the MCP failure '%s' in a call is reported as %s",
    async (path, _, retryable, mayHaveExecuted) => {
      const id = `mcp-${path}`;
      expect((await importing(id, path)).status).toBe(201);
      const answer = await invoke(id, "greet");
      expectError(answer, 502, "TOOL_UPSTREAM_ERROR");
      expect(answer.body.error.retryable).toBe(retryable);
      expect(answer.body.error.message.includes(MAYBE_DONE)).toBe(mayHaveExecuted);
    },
  );
});

describe("an MCP server that requires a key", () => {
  const at = (path: string) => ({ mcp: { url: `${originOf("hostile-mcp")}/${path}` } });
  const key = { type: "api-key", value: "top-secret-token" };

  it("an MCP server is imported with a key, which is stored with the tool and never shown", async () => {
    const wrong = { ...key, value: "another-token" };
    const refused = await post("/agents/tools/import", {
      id: "known",
      ...at("header-key"),
      credentials: wrong,
    });
    expectError(refused, 424, "TOOL_CREDENTIALS_REQUIRED");
    expectError(await get("/agents/tools/known"), 404, "TOOL_NOT_FOUND");
    const body = { id: "known", ...at("header-key"), credentials: key };
    const dry = await post("/agents/tools/import", { ...body, dryRun: true });
    expect(dry.status, dry.text).toBe(200);
    const imported = await post("/agents/tools/import", body);
    expect(imported.status, imported.text).toBe(201);
    expect(imported.body.data.tool).toMatchObject({
      authentication: { type: "api-key" },
      connector: { credential: { in: "header", name: "Authorization", prefix: "Bearer " } },
    });
    expect((await invoke("known", "greet")).status).toBe(200);
    const again = await post("/agents/tools/import", { id: "known", ...at("header-key") });
    expect(again.body.data.changes, again.text).toMatchObject({ unchanged: 1, fields: [] });
    expect(imported.text + again.text).not.toContain("top-secret");
  });

  it("the stored key is not sent to another server, even in a dry run", async () => {
    const url = `${originOf("hostile")}/echo?key=thief`;
    await post("/agents/tools/import", { id: "known", mcp: { url }, dryRun: true });
    await post("/agents/tools/import", { id: "known", mcp: { url } });
    const seen = await fetch(`${originOf("hostile")}/seen?key=thief`);
    const { requests, last } = await seen.json<{ requests: number; last: object }>();
    expect(requests).toBeGreaterThan(0);
    expect(JSON.stringify(last)).not.toContain("top-secret");
    expect((await invoke("known", "greet")).status).toBe(200);
  });

  it("an import rejects credentials for OpenAPI and an API key without a value", async () => {
    const openapi = { url: `${originOf("harbour")}/openapi.json` };
    const answers = [
      await post("/agents/tools/import", { id: "x", openapi, credentials: key }),
      await post("/agents/tools/import", {
        id: "x",
        ...at("header-key"),
        credentials: { type: "api-key" },
      }),
    ];
    const paths = answers.map(({ body }) => body.error.details[0].path);
    expect(paths).toEqual(["credentials", "credentials.value"]);
  });
});
