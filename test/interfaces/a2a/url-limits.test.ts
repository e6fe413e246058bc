import { describe, expect, it } from "vitest";
import { get, send } from "../../support/client.ts";
import { VERSION } from "./expect-errors.ts";

const headers = VERSION;
const LONG = `?x=${"x".repeat(9_000)}`;

describe("a URL over 8 KiB", () => {
  it("a JSON-RPC URL over 8 KiB is rejected with a JSON-RPC error", async () => {
    const call = { jsonrpc: "2.0", id: 1, method: "ListTasks" };
    const { status, body } = await send("POST", `/a2a${LONG}`, call, { headers });
    expect(status).toBe(413);
    expect(body).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32_600 } });
    expect(body.error.message).toContain("URL");
  });

  it("a REST URL over 8 KiB is rejected with a REST error", async () => {
    const answer = await get(`/a2a/v1/tasks${LONG}`, { headers });
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([
      413,
      "application/a2a+json",
    ]);
    const { error } = JSON.parse(answer.text);
    expect(error).toMatchObject({ code: 413, status: "OUT_OF_RANGE" });
    expect(error.message).toContain("URL");
  });

  it.each(["/a2a", "/a2a/v1/tasks"])(
    "a URL over 8 KiB at %s without a key gets 401",
    async (path) => {
      const answer = await get(`${path}${LONG}`, { key: null, headers });
      expect(answer.status).toBe(401);
    },
  );

  it("an agent card URL over 8 KiB gets 414", async () => {
    const answer = await get(`/.well-known/agent-card.json${LONG}`, { key: null });
    expect([answer.status, answer.body.error.code]).toEqual([414, "URI_TOO_LONG"]);
  });
});

describe("the A2A addresses", () => {
  const call = { jsonrpc: "2.0", id: 1, method: "ListTasks", params: {} };

  it("the JSON-RPC address may end with a slash", async () => {
    // The OpenAPI document does not list this alias.
    const options = { headers, documented: false };
    const { status, body } = await send("POST", "/a2a/", call, options);
    expect([status, body.id, body.result.tasks]).toEqual([200, 1, []]);
    expect((await send("POST", "/a2a/", call, { ...options, key: null })).status).toBe(401);
    expect((await send("POST", "/a2a//", call, options)).status).toBe(404);
  });

  it("the JSON-RPC address accepts only the version as a query parameter", async () => {
    const versioned = await send("POST", "/a2a?A2A-Version=1.0", call);
    expect(versioned.body.result.tasks).toEqual([]);
    const { body } = await send("POST", "/a2a?agentId=x", call, { headers });
    expect(body.error).toMatchObject({ code: -32_602 });
    expect(body.error.message).toContain("agentId is not a known query parameter");
  });

  it("the REST binding rejects unknown query parameters and names the known ones", async () => {
    const answer = await get("/a2a/v1/tasks?state=x", { headers });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("state is not a known query parameter; known: contextId, status");
    expect((await get("/a2a/v1/tasks?A2A-Version=1.0")).status).toBe(200);
    for (const path of [
      "tasks/x?status=TASK_STATE_FAILED&historyLength=1",
      "extendedAgentCard?status=foo",
      "tasks/x/pushNotificationConfigs?pageToken=abc",
      "tasks/x/pushNotificationConfigs/y?historyLength=1",
      "tasks/x:subscribe?pageSize=1",
    ]) {
      const other = await get(`/a2a/v1/${path}`, { headers, documented: false });
      expect(other.status, path).toBe(400);
      expect(other.text).toContain("is not a known query parameter; known: ");
    }
    const posted = await send("POST", "/a2a/v1/message:send?dryRun=1", {}, { headers });
    expect(posted.text).toContain("dryRun is not a known query parameter");
  });
});
