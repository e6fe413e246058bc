import { Hash } from "node:crypto";
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import worker from "../../src/index.ts";
import { get, ORIGIN, post, ROOT, send } from "../support/client.ts";
import { keyWith } from "../support/keys.ts";
import {
  scanText,
  rescanTexts,
  formatLogEntry,
  countKnownSecrets,
  takeLeaks,
} from "../support/secret-scanner.ts";
import { SHOWN_ONCE } from "../support/shown-once.ts";
import { scanRows, scanStreams } from "../support/watch-for-secrets.ts";
import { create, stopClock } from "../support/tasks.ts";
import { HTTP } from "../tools/credentials/fixtures.ts";
import { heldTask } from "../tasks/workers/fixtures.ts";
import { ownTool } from "./tenants.ts";
import { rest, rpc } from "./a2a-endpoints.ts";
import { called } from "./mcp-endpoints.ts";
import { sendRequest } from "./send-request.ts";

beforeAll(stopClock);
afterEach(() => vi.restoreAllMocks());

/** Returns the leaks found since the previous call. */
function caught(): string[] {
  return takeLeaks().map((leak) => leak.replace(/, after: .*$/s, ""));
}

const secretOf = (key: string): string => key.split("_")[2] ?? "";

describe("the secret scanner for responses and log lines", () => {
  it("the secret scanner finds a key in any part of a response and in a database row", async () => {
    const key = await keyWith(["tools:read"]);
    const id = await create({ task: `Look after ${key}` });
    expect(caught()).toEqual(["POST /agents/tasks → 201 contains a key"]);
    await get(`/agents/tasks/${id}`);
    await get("/agents/tasks");
    await get(`/agents/tasks/${id}/events`);
    const leaks = caught();
    expect(leaks).toEqual([
      `GET /agents/tasks/${id} → 200 contains a key`,
      "GET /agents/tasks → 200 contains a key",
      `GET /agents/tasks/${id}/events → 200 contains a key`,
    ]);
    await sendRequest(called("get_task", { taskId: id }), `Bearer ${ROOT}`);
    expect(caught()).toEqual(["POST /mcp → 200 contains a key"]);
    await scanRows();
    expect(caught()).toEqual(["table directory contains a key"]);
    await env.DB.prepare("DELETE FROM directory WHERE id = ?").bind(id).run();
  });

  it("the secret scanner finds the end of a key without its beginning, and a URL-encoded secret", async () => {
    const key = await keyWith(["tools:read"]);
    scanText("here", `…${secretOf(key)}…`);
    const answer = await post("/agents/webhooks", { url: `${HTTP.baseUrl}/hook` });
    scanText("there", `?secret=${encodeURIComponent(answer.body.data.secret)}`);
    expect(caught()).toEqual(["here contains a key", "there contains a webhook's secret"]);
  });

  it.each(["debug", "log", "info", "warn", "error"] as const)(
    "the secret scanner finds a secret in console.%s, in nested errors, and behind a test's own mock",
    async (level) => {
      const key = await keyWith(["tools:read"]);
      const spy = vi.spyOn(console, level).mockReturnValue();
      console[level]({ event: "planted", error: new Error("x", { cause: { given: key } }) });
      expect(spy).toHaveBeenCalledTimes(1);
      expect(caught()).toEqual([`console.${level} contains a key`]);
      console[level]({ event: "planted", error: new Error("x") });
      expect(caught()).toEqual([]);
    },
  );

  it.each([
    ["whole", (key: string) => key, ["what looks like a key", "a key"]],
    ["only its end", secretOf, ["a key"]],
  ])(
    "the secret scanner finds a key (%s) in a line that is logged while the key is issued",
    async (_, partOf, seen) => {
      vi.spyOn(console, "info").mockReturnValue();
      // oxlint-disable-next-line typescript/unbound-method -- called with `this` below
      const { update } = Hash.prototype;
      // Logs the key at the moment the service hashes it.
      function log(this: Hash, text: string): Hash {
        if (/^bsn_[0-9a-f]{16}_\w+$/.test(text)) {
          console.info({ event: "planted", given: partOf(text) });
        }
        return update.bind(this)(text);
      }
      const spy = vi.spyOn(Hash.prototype, "update").mockImplementation(log);
      await keyWith(["tools:read"]);
      spy.mockRestore();
      rescanTexts();
      expect(caught()).toEqual(seen.map((what) => `console.info contains ${what}`));
    },
  );

  it("the secret scanner finds a key in an event stream at the end of a test, even if the stream is still open", async () => {
    const key = await keyWith(["tools:read"]);
    const id = await create({ task: `Look after ${key}` });
    const headers = { Accept: "text/event-stream" };
    const path = `/agents/tasks/${id}/events`;
    caught();
    // `sendRequest` returns only the first chunk of the stream.
    await sendRequest({ method: "GET", path, headers }, `Bearer ${ROOT}`);
    expect(caught()).toEqual([`GET ${path} → 200 contains a key`]);
    const request = new Request(`${ORIGIN}${path}`, {
      headers: { ...headers, Authorization: `Bearer ${ROOT}` },
    });
    const stream = (await worker.fetch(request, env, createExecutionContext())).body?.getReader();
    let text = "";
    while (!text.includes(key)) text += new TextDecoder().decode((await stream?.read())?.value);
    expect(caught()).toEqual([]);
    scanStreams();
    expect(caught()).toEqual([`GET ${path} → 200 contains a key`]);
    await stream?.cancel();
    await env.DB.prepare("DELETE FROM directory WHERE id = ?").bind(id).run();
    rescanTexts();
    caught();
  });

  it("the secret scanner searches maps, sets, headers, requests and aggregate errors", async () => {
    const key = await keyWith(["tools:read"]);
    const headers = { Authorization: `Bearer ${key}` };
    const entries = [
      new Map([["key", key]]),
      new Set([key]),
      new Headers(headers),
      new Request("https://bosun.test/", { headers }),
      new Request(`https://bosun.test/?key=${key}`),
      new Response(null, { headers }),
      new AggregateError([new Error(key)], "many"),
    ];
    for (const entry of entries) {
      scanText("here", formatLogEntry({ entry }));
      expect(caught(), formatLogEntry(entry)).toEqual(["here contains a key"]);
    }
  });

  it.each([
    ["ROOT_API_KEY", () => env.ROOT_API_KEY],
    ["SIGNING_KEY", () => env.SIGNING_KEY],
    ["CREDENTIALS_KEY", () => env.CREDENTIALS_KEY.slice("test-1:".length)],
    ["CREDENTIALS_KEY", () => atob(env.CREDENTIALS_KEY.slice("test-1:".length))],
  ])("the secret scanner finds %s", (what, secret) => {
    scanText("here", `{"x":"${secret()}"}`);
    expect(caught()).toEqual([`here contains ${what}`]);
  });

  it("the secret scanner registers every secret that a request sends or a response returns", async () => {
    const toolId = await ownTool();
    const at = `/agents/tools/${toolId}/credentials`;
    const brought = {
      value: "an-api-key-of-a-tool",
      clientSecret: "a-client-secret-of-a-tool",
      refreshToken: "a-refresh-token-of-a-tool",
      imported: "an-api-key-that-an-import-brings",
      apiKey: "an-api-key-of-an-agent",
      token: "a-token-of-a-receiver",
      credentials: "the-credentials-of-a-receiver",
      otherToken: "a-token-of-another-receiver",
      otherCredentials: "the-credentials-of-another-receiver",
      secret: `whsec_${btoa("a-secret-of-32-bytes-for-testing")}`,
    };
    const { value, clientSecret, refreshToken, imported, apiKey, secret } = brought;
    const client = { tokenUrl: `${HTTP.baseUrl}/token`, clientId: "bosun", clientSecret };
    await send("PUT", at, { type: "api-key", value });
    await send("PUT", at, { type: "oauth-refresh-token", ...client, refreshToken });
    await post("/agents/tools/import", { credentials: { type: "api-key", value: imported } });
    const push = (token: string, credentials: string): JsonObject => ({
      url: HTTP.baseUrl,
      token,
      authentication: { scheme: "Bearer", credentials },
    });
    const overRpc = push(brought.token, brought.credentials);
    await sendRequest(rpc("CreateTaskPushNotificationConfig", overRpc), `Bearer ${ROOT}`);
    const overRest = push(brought.otherToken, brought.otherCredentials);
    await sendRequest(
      rest("POST", "/tasks/none/pushNotificationConfigs", overRest),
      `Bearer ${ROOT}`,
    );
    const executor = { type: "model", model: "m", baseUrl: `${HTTP.baseUrl}/v1`, apiKey };
    await post("/agents", { id: "secretive", executor });
    const made = await post("/agents/webhooks", { url: `${HTTP.baseUrl}/hook`, secret });
    const rotated = await post(`/agents/webhooks/${made.body.data.id}/secret`, {});
    const { lease } = await heldTask();
    for (const text of [...Object.values(brought), rotated.body.data.secret, lease]) {
      expect(caught()).toEqual([]);
      scanText("here", text);
      expect(caught(), text).toHaveLength(1);
    }
    expect(countKnownSecrets()).toBeGreaterThan(10);
  });

  it("the secret scanner allows a response to show the secret that it creates, and no other secret", async () => {
    const other = await keyWith(["tools:read"]);
    await post("/agents/keys", { name: other, scopes: ["tools:read"] });
    expect(caught()).toEqual(["POST /agents/keys → 201 contains a key"]);
    await env.DB.prepare("DELETE FROM keys WHERE name = ?").bind(other).run();
    expect(SHOWN_ONCE.map(({ method, path }) => `${method} ${path.source}`)).toHaveLength(5);
  });
});
