import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { SCOPES } from "../../src/keys/model/key.ts";
import worker from "../../src/index.ts";
import { del, ORIGIN } from "../support/client.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { passTime, stopClock } from "../support/tasks.ts";
import { bytesOf, heldTask } from "../tasks/workers/fixtures.ts";
import { fileKeysOf } from "../support/task-state.ts";

beforeAll(stopClock);

/** Sends a request whose key is revoked before the rest of its body arrives. */
async function sendLate(
  path: string,
  text: string,
  { method = "POST", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  const key = await keyWith([...SCOPES]);
  const bytes = bytesOf(text);
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const writer = body.writable.getWriter();
  const request = new Request(`${ORIGIN}${path}`, {
    method,
    body: body.readable,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
  });
  const answering = worker.fetch(request, env, createExecutionContext());
  // Once this write returns, the Worker has accepted the key and started to read the body.
  await writer.write(bytes.subarray(0, 1));
  await del(`/agents/keys/${keyId(key)}`);
  passTime(2_000);
  await writer.write(bytes.subarray(1));
  await writer.close();
  return answering;
}

const rpc = (method: string, params: object) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

it.each([
  ["REST", "/agents/tasks", JSON.stringify({ task: "Wait" }), {}],
  [
    "MCP",
    "/mcp",
    rpc("tools/call", { name: "create_task", arguments: { task: "Wait" } }),
    { Accept: "application/json, text/event-stream" },
  ],
  [
    "A2A",
    "/a2a",
    rpc("SendMessage", {
      message: { messageId: "late", role: "ROLE_USER", parts: [{ text: "Wait" }] },
    }),
    { "A2A-Version": "1.0" },
  ],
  [
    "REST A2A",
    "/a2a/v1/message:send",
    JSON.stringify({
      message: { messageId: "late", role: "ROLE_USER", parts: [{ text: "Wait" }] },
    }),
    { "A2A-Version": "1.0" },
  ],
])(
  "a request over %s whose key ends before its body has arrived is rejected",
  async (_, path, text, headers) => {
    const count = () => env.DB.prepare("SELECT count(*) AS n FROM directory").first("n");
    const before = await count();
    const answer = await sendLate(path, text, { headers });
    expect([answer.status, await answer.text()]).toEqual([
      401,
      expect.stringContaining("revoked or has expired"),
    ]);
    expect(await count()).toBe(before);
  },
);

it("a file whose key ends while it is uploaded is not stored", async () => {
  const { id, lease } = await heldTask();
  const headers = { "Bosun-Lease": lease, "Content-Type": "text/plain" };
  const path = `/agents/tasks/${id}/deliverables/late.txt`;
  const answer = await sendLate(path, "wind and tide", { method: "PUT", headers });
  expect(answer.status).toBe(401);
  expect(await fileKeysOf(id)).toEqual([]);
});
