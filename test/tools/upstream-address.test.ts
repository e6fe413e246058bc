import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { requestToken } from "../../src/tools/credentials/oauth-token.ts";
import { get, post, send } from "../support/client.ts";
import { keyWith, UNMANAGING } from "../support/keys.ts";

/** A public IP address, so no name is resolved. Tests that would send a request replace `fetch`. */
const HOST = "93.184.216.34";
const CAPABILITY = { id: "go", request: { method: "GET", path: "/go" } };

async function registered(id: string, change: JsonObject): Promise<void> {
  const body = {
    id,
    name: "Tool",
    connector: { type: "http", baseUrl: `https://${HOST}/v1` },
    capabilities: [CAPABILITY],
  };
  const answer = await post("/agents/tools", { ...body, ...change });
  if (answer.status !== 201) throw new Error(answer.text);
}

/**
 * Makes every connection fail, or return the response that `answer` creates, and silences the
 * service's warnings.
 */
function unreachable(answer?: () => Response) {
  const fetched = vi.spyOn(globalThis, "fetch");
  if (answer === undefined) fetched.mockRejectedValue(new Error("No connection"));
  else fetched.mockImplementation(async () => answer());
  const warned = vi.spyOn(console, "warn").mockReturnValue();
  onTestFinished(() => {
    fetched.mockRestore();
    warned.mockRestore();
  });
  return warned;
}

let reader = "";
beforeAll(async () => {
  reader = await keyWith(UNMANAGING);
  await registered("documented", { documentation: `https://${HOST}:8443/docs` });
  await registered("public", { documentation: "https://docs.example.com/harbour" });
});

describe("a key without tools:manage", () => {
  it("a key without tools:manage does not see documentation that reveals a tool's address", async () => {
    const lists = await get("/agents/tools?limit=100", { key: reader });
    const listed = (id: string) =>
      lists.body.data.tools.find((tool: { id: string }) => tool.id === id).documentation;
    expect([listed("documented"), listed("public")]).toEqual([
      "",
      "https://docs.example.com/harbour",
    ]);
    expect(lists.text).not.toContain(HOST);
    const detail = await get("/agents/tools/documented", { key: reader });
    expect(detail.body.data.documentation).toBe("");
    expect(detail.text).not.toContain(HOST);
    const other = await get("/agents/tools/public", { key: reader });
    expect(other.body.data.documentation).toBe("https://docs.example.com/harbour");
  });

  it("documentation does not reveal the address of a single request, however many capabilities the tool has", async () => {
    const other = "93.184.216.77";
    const free = Array.from({ length: 100 }, (_, at) => ({ ...CAPABILITY, id: `go-${at}` }));
    const last = { id: "last", request: { ...CAPABILITY.request, baseUrl: `https://${other}/v2` } };
    await registered("split", {
      documentation: `https://${other}/docs`,
      capabilities: [...free, last],
    });
    const detail = await get("/agents/tools/split", { key: reader });
    expect(detail.body.data.documentation).toBe("");
    const list = await get("/agents/tools?limit=100", { key: reader });
    for (const { text } of [detail, list]) expect(text).not.toContain(other);
    const shown = await get("/agents/tools/split");
    expect(shown.body.data.documentation).toBe(`https://${other}/docs`);
  });

  it("keys with tools:manage see the documentation", async () => {
    const manager = await keyWith(["tools:read", "tools:manage"]);
    const detail = await get("/agents/tools/documented", { key: manager });
    expect(detail.body.data.documentation).toBe(`https://${HOST}:8443/docs`);
    const list = await get("/agents/tools?limit=100", { key: manager });
    expect(list.text).toContain(`https://${HOST}:8443/docs`);
  });

  it.each([
    ["that cannot be reached", undefined, 502],
    [
      "that redirects",
      () => new Response(null, { status: 302, headers: { Location: "http://93.184.216.34/x" } }),
      502,
    ],
    [
      "that redirects to a private address",
      () => new Response(null, { status: 302, headers: { Location: "https://10.1.2.3/x" } }),
      400,
    ],
  ])("a failed call does not reveal the address of a system %s", async (_, answer, status) => {
    const warned = unreachable(answer);
    const called = await post(
      "/agents/tools/documented/invoke",
      { capability: "go", parameters: {} },
      { key: reader },
    );
    expect(called.status, called.text).toBe(status);
    expect(called.text).not.toMatch(/93\.184|10\.1\.2\.3/);
    const logged = JSON.stringify(warned.mock.calls);
    expect(logged).toContain("tool_request_failed");
    expect(logged).toMatch(/93\.184|10\.1\.2\.3/);
  });

  it("a failed call does not reveal the address of a token endpoint", async () => {
    await registered("tokens", { authentication: { type: "oauth", scopes: [] } });
    const tokenUrl = "https://93.184.216.35/token";
    await send("PUT", "/agents/tools/tokens/credentials", {
      type: "oauth-client-credentials",
      tokenUrl,
      clientId: "c",
      clientSecret: "s3cret-of-client",
    });
    unreachable();
    const credential = {
      type: "oauth-client-credentials",
      tokenUrl,
      clientId: "c",
      clientSecret: "s",
      clientAuthentication: "basic",
      scopes: [],
      audience: null,
      resource: null,
      token: null,
    } as const;
    const env = { ALLOW_PRIVATE_EGRESS: "false", DNS_RESOLVER_URL: "" };
    const failed = await requestToken(env, "harbour", credential);
    expect(failed).toMatchObject({ ok: false, failure: { kind: "upstream", isTransient: true } });
    expect(JSON.stringify(failed)).not.toContain("93.184");
  });
});
