import { beforeAll, describe, expect, it } from "vitest";
import { get, post, type Answer } from "../support/client.ts";
import { asking, invoke, originOf, registerAt } from "../support/outside-tools.ts";
import { expectRefusal } from "../support/refusals.ts";

/** What each way of misbehaving is answered with. */
const WAYS: readonly (readonly [id: string, path: string, status: number, code: string])[] = [
  ["error-500", "/status?code=500", 502, "TOOL_UPSTREAM_ERROR"],
  ["hang", "/hang", 504, "TOOL_TIMEOUT"],
  ["hang-in-body", "/hang-in-body", 504, "TOOL_TIMEOUT"],
  ["drip", "/drip?everyMs=20", 504, "TOOL_TIMEOUT"],
  ["reset", "/reset", 502, "TOOL_UPSTREAM_ERROR"],
  ["truncated", "/truncated", 502, "TOOL_UPSTREAM_ERROR"],
  ["large", "/large", 502, "TOOL_UPSTREAM_ERROR"],
  ["bomb", "/bomb", 502, "TOOL_UPSTREAM_ERROR"],
  ["brotli-bomb", "/bomb?encoding=br", 502, "TOOL_UPSTREAM_ERROR"],
  ["garbage", "/garbage", 502, "TOOL_UPSTREAM_ERROR"],
  ["not-json", "/not-json", 502, "TOOL_UPSTREAM_ERROR"],
  ["loop", "/redirect-loop", 502, "TOOL_UPSTREAM_ERROR"],
];

beforeAll(async () => {
  const connector = { timeoutMs: 700 };
  const pricing = { free: 0, overage: 1 };
  for (const [id, path] of WAYS) {
    const registered = await registerAt("hostile", id, [asking("go", path)], {
      connector,
      pricing,
    });
    expect(registered.status, registered.text).toBe(201);
  }
  await registerAt("hostile", "healthy", [asking("go", "/ok")]);
});

describe("another system that misbehaves", () => {
  it.each(WAYS)("%s: the tool is named, and nothing is charged", async (id, _, status, code) => {
    const answer = await invoke(id, "go");
    expectRefusal(answer, status, code);
    expect(answer.body.error.message).toContain(`"${id}"`);
    const usage = (await get(`/agents/tools/${id}/usage`)).body.data;
    expect(usage.total).toMatchObject({ calls: 1, failed: 1, cost: 0 });
    expect(usage.recentCalls[0]).toMatchObject({ ok: false, code });
  });

  it("slows nobody else", async () => {
    const slow: Promise<Answer>[] = WAYS.map(([id]) => invoke(id, "go"));
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 10 }, () => invoke("healthy", "go")));
    const tookMs = performance.now() - startedAt;
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    const others = await Promise.race([
      Promise.all(slow).then(() => "done"),
      Promise.resolve("still waiting"),
    ]);
    expect(others).toBe("still waiting");
    console.log(`ten calls of a healthy tool beside twelve ill ones: ${Math.round(tookMs)} ms`);
    for (const { status } of await Promise.all(slow)) expect([502, 504]).toContain(status);
  });

  it("that answers 429 with Retry-After has that passed on", async () => {
    await registerAt("hostile", "busy-one", [asking("go", "/status?code=429&retryAfter=30")]);
    const answer = await invoke("busy-one", "go");
    expectRefusal(answer, 502, "TOOL_UPSTREAM_ERROR");
    expect(answer.headers.get("Retry-After")).toBe("30");
    expect(answer.body.error.retryable).toBe(true);
  });

  it("that says no is told in its own words, and not to be tried again", async () => {
    await registerAt("hostile", "strict-one", [asking("go", "/status?code=422")]);
    const answer = await invoke("strict-one", "go");
    expectRefusal(answer, 502, "TOOL_UPSTREAM_ERROR");
    expect(answer.body.error).toMatchObject({ retryable: false, context: { status: 422 } });
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
  ])("at import, by %s, leaves nothing behind", async (path, status, code) => {
    expectRefusal(await importing("ill-mcp", path), status, code);
    expectRefusal(await get("/agents/tools/ill-mcp"), 404, "TOOL_NOT_FOUND");
  });

  it("in a call is the tool's failure: its own words, or that it lies", async () => {
    for (const [id, path] of [
      ["mcp-says-no", "error-result"],
      ["mcp-lies", "lies-content"],
    ] as const) {
      expect((await importing(id, path)).status).toBe(201);
      const answer = await invoke(id, "greet");
      expectRefusal(answer, 502, "TOOL_UPSTREAM_ERROR");
      expect(answer.body.error.retryable).toBe(id === "mcp-lies");
    }
  });
});

describe("an MCP server that shows its tools to those it knows", () => {
  const at = (path: string) => ({ mcp: { url: `${originOf("hostile-mcp")}/${path}` } });
  const key = { type: "api-key", value: "top-secret-token" };

  it("is imported with a key, which is kept with the tool and never shown", async () => {
    const wrong = { ...key, value: "another-token" };
    const refused = await post("/agents/tools/import", {
      id: "known",
      ...at("header-key"),
      credentials: wrong,
    });
    expectRefusal(refused, 424, "TOOL_CREDENTIALS_REQUIRED");
    expectRefusal(await get("/agents/tools/known"), 404, "TOOL_NOT_FOUND");
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

  it("takes an API key alone, and only for MCP", async () => {
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
