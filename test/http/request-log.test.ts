import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { ROOT } from "../support/client.ts";

type Init = Omit<RequestInit, "headers"> & { readonly headers?: Record<string, string> };

const info = vi.spyOn(console, "info");
const bindings = { ...env, LOG_ACTIVITY: "true" };

beforeEach(() => void info.mockReset());
afterEach(() => void info.mockReset());

/** Sends a request, and returns its log lines and the text of its response. */
async function linesOf(path: string, init: Init = {}, variables = bindings) {
  const headers = { Authorization: `Bearer ${ROOT}`, "X-Request-Id": "r-1", ...init.headers };
  const request = new Request(`https://bosun.test${path}`, { ...init, headers });
  const response = await worker.fetch(request, variables, createExecutionContext());
  const text = await response.text();
  return { lines: info.mock.calls.map(([line]) => String(line)), text };
}

function postJson(body: object): Init {
  const headers = { "Content-Type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

it("a successful request is logged as one line with its status, agent, task, key and request id", async () => {
  const task = { task: "Count", agentId: "data-analyst" };
  const { lines, text } = await linesOf("/agents/tasks", postJson(task));
  const { taskId } = JSON.parse(text).data;
  expect(lines).toEqual([
    expect.stringMatching(
      /Z request POST \/agents\/tasks: 201, \d+ ms agent=data-analyst task=\w{12} key=root request=r-1$/,
    ),
  ]);
  expect(lines[0]).toContain(`task=${taskId.slice(0, 12)}`);
});

it("a rejected request is logged as one line with the error code and message", async () => {
  const { lines } = await linesOf("/agents/tools/none");
  expect(lines).toEqual([
    expect.stringMatching(
      /GET \/agents\/tools\/none: 404, \d+ ms TOOL_NOT_FOUND "There is no tool .+" key=root request=r-1$/,
    ),
  ]);
});

it("a request without a key is logged as one line that names no key", async () => {
  const headers = { Authorization: "" };
  const { lines } = await linesOf("/agents/tools", { headers });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/401, \d+ ms AUTHENTICATION_FAILED ".+" request=r-1$/);
});

it("a protocol error is logged with its message and the key", async () => {
  const { lines } = await linesOf("/mcp", {
    ...postJson({ jsonrpc: "2.0", id: 1, method: "nope" }),
    headers: { "Content-Type": "application/json", Accept: "application/json" },
  });
  expect(lines).toEqual([
    expect.stringMatching(/POST \/mcp: 200, \d+ ms "Method not found" key=root request=r-1$/),
  ]);
});

it("the log line contains the path without its query, which can contain a link's signature", async () => {
  const { lines } = await linesOf("/agents/tools?search=secret-words");
  expect(lines).toEqual([expect.stringContaining("GET /agents/tools: 200")]);
  expect(lines.join()).not.toContain("secret-words");
});

it("requests are not logged by default", async () => {
  const { lines } = await linesOf("/agents/tools", {}, env);
  expect(lines).toEqual([]);
});

it("the path is not decoded, so that it cannot imitate a field", async () => {
  const { lines } = await linesOf("/agents/tools/x:%20200%20key=admin");
  expect(lines).toEqual([expect.stringContaining("GET /agents/tools/x:%20200%20key=admin: 404")]);
});

it("the log line of a HEAD request for a list names no task", async () => {
  await linesOf("/agents/tasks", postJson({ task: "Count", agentId: "data-analyst" }));
  info.mockReset();
  const { lines } = await linesOf("/agents/tasks?limit=1", { method: "HEAD" });
  expect(lines).toEqual([expect.stringMatching(/HEAD \/agents\/tasks: 200, \d+ ms key=root /)]);
});
