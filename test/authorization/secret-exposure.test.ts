import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { SCOPES } from "../../src/keys/model/key.ts";
import { del, get, patch, post, ROOT, send, type Answer } from "../support/client.ts";
import { scanText, formatLogEntry, takeLeaks } from "../support/secret-scanner.ts";
import { scanRows } from "../support/watch-for-secrets.ts";
import { stopClock } from "../support/tasks.ts";
import { keyed } from "../platform/idempotency/fixtures.ts";
import { HTTP } from "../tools/credentials/fixtures.ts";
import { rest, rpc } from "./a2a-endpoints.ts";
import {
  AUTHORIZATION,
  USER_SECRETS,
  createSecrets,
  CREDENTIALS,
  made,
  MODEL,
  secrets,
} from "./seed-secrets.ts";
import { sendRequest } from "./send-request.ts";
import { must, OWN_TENANT } from "./tenants.ts";
import { called, mcp } from "./mcp-endpoints.ts";
import { readObjectStorage } from "./object-storage.ts";

const { value, clientSecret, refreshToken, apiKey, cardKey, secret } = USER_SECRETS;

/** A secret in plain text, and its base64 forms within a longer text, as in Basic Authorization. */
function forms(text: string): string[] {
  const shifted = ["", "x", "xx"].map((before) => btoa(before + text));
  // The first and last base64 characters depend on the adjacent text, so they are removed.
  return [text, ...shifted.map((base64) => base64.slice(4, -6))];
}

function hidden(where: string, text: string): void {
  scanText(where, text);
  for (const [what, one] of secrets) {
    for (const form of forms(one))
      expect(text.includes(form), `${where} shows ${what}`).toBe(false);
  }
}

const responseText = ({ headers, text }: Answer): string => JSON.stringify([...headers]) + text;

beforeAll(async () => {
  stopClock();
  await createSecrets();
});

afterEach(() => vi.restoreAllMocks());

describe("secrets in responses, logs and storage", () => {
  it("no secret is shown by requests that read or list resources", async () => {
    const { keyId, hookId, toolIds, taskId } = made;
    const paths = [
      "/agents/keys",
      "/agents/tools",
      "/agents",
      "/agents/teams",
      "/agents/tasks",
      "/agents/webhooks",
      "/agents/events?from=oldest",
      "/agents/thinker",
      `/agents/${OWN_TENANT.agentId}`,
      ...["", "/deliveries"].map((at) => `/agents/webhooks/${hookId}${at}`),
      ...toolIds.flatMap((id) =>
        ["", "/credentials", "/capabilities", "/usage"].map((at) => `/agents/tools/${id}${at}`),
      ),
      ...["", "/events"].map((at) => `/agents/tasks/${taskId}${at}`),
      `/agents/tools/access/${OWN_TENANT.agentId}`,
    ];
    for (const path of paths) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      hidden(path, responseText(answer));
    }
    expect((await get("/agents/keys")).text).toContain(keyId);
    expect(paths.length).toBeGreaterThan(25);
  });

  it("no secret is shown when changes are rejected or reverted, or in error responses", async () => {
    const { hookId, toolIds, taskId, keyId } = made;
    const key = secrets.get("key") ?? "";
    const answers = [
      await patch("/agents/thinker", { executor: { ...MODEL, maxTurns: 0 } }),
      await patch("/agents/thinker", { executor: { ...MODEL, apiKey: [apiKey] } }),
      await patch("/agents/thinker", { executor: { ...MODEL, provider: "workers-ai" } }),
      await patch("/agents/thinker", { executor: MODEL }),
      await post("/agents", { id: "thinker", executor: MODEL }),
      await post("/agents", {
        id: "card",
        executor: { type: "a2a", cardUrl: "http://127.0.0.1:9/card", apiKey: cardKey },
      }),
      await patch(`/agents/webhooks/${hookId}`, { description: "Renamed" }),
      await post(`/agents/webhooks/${hookId}/secret`, { secret: `${secret}!` }),
      await post(`/agents/webhooks/${hookId}/test`, {}),
      await post(`/agents/tasks/${taskId}/report`, { type: "heartbeat", lease: `${made.lease}x` }),
      await post(`/agents/tasks/${taskId}/report`, { type: "rest", lease: made.lease }),
      await post(`/agents/tasks/${taskId}/report`, { type: "heartbeat", lease: [made.lease] }),
      await get("/agents/tasks", { key: `bsn_${keyId}_${key.replace(/^./, "x")}` }),
      await get("/agents/tasks", { key: `${ROOT}x` }),
    ];
    for (const [index, id] of toolIds.entries()) {
      const at = `/agents/tools/${id}/credentials`;
      const body = CREDENTIALS[index] ?? {};
      for (const field of Object.keys(body)) {
        answers.push(await send("PUT", at, { ...body, [field]: [value, clientSecret] }));
        answers.push(await send("PUT", at, { ...body, [field]: `${clientSecret}\n` }));
        answers.push(await send("PUT", at, { ...body, [`${field}x`]: refreshToken }));
      }
      const call = { capability: "fetch", parameters: { record: "1" } };
      answers.push(
        await post(`${at}/connect`, {}),
        await patch(`/agents/tools/${id}`, { name: "x" }),
      );
      answers.push(await send("PUT", at, body));
      answers.push(await post(`/agents/tools/${id}/invoke`, { ...call, parameters: { wrong: 1 } }));
    }
    for (const [index, answer] of answers.entries())
      hidden(`answer ${index}`, responseText(answer));
    expect(answers.length).toBeGreaterThan(60);
    expect(answers.filter(({ status }) => status < 300).length).toBeGreaterThan(8);
    expect(answers.filter(({ status }) => status >= 400).length).toBeGreaterThan(40);
  });

  it("no secret is shown over MCP or A2A, in their streams, or in a task's event stream", async () => {
    const { taskId, config } = made;
    const configs = `/tasks/${taskId}/pushNotificationConfigs`;
    const asked = [
      mcp("tools/list"),
      called("get_task", { taskId }),
      called("list_tasks", {}),
      called("report_task", { taskId, type: "heartbeat", lease: `${made.lease}x` }),
      rpc("GetTask", { id: taskId }),
      rpc("ListTasks", {}),
      rpc("GetTaskPushNotificationConfig", { taskId, id: config }),
      rpc("ListTaskPushNotificationConfigs", { taskId }),
      rest("GET", configs),
      rest("GET", `${configs}/${config}`),
      rpc("SubscribeToTask", { id: taskId }),
      rest("GET", `/tasks/${taskId}:subscribe`),
      rpc("GetExtendedAgentCard", {}),
      { method: "GET", path: "/.well-known/agent-card.json" },
      {
        method: "GET",
        path: `/agents/tasks/${taskId}/events`,
        headers: { Accept: "text/event-stream" },
      },
    ];
    for (const one of asked) {
      const answer = await sendRequest(one, AUTHORIZATION);
      expect([one.path, answer.status, answer.body?.error]).toEqual([one.path, 200, undefined]);
      expect(answer.text.length).toBeGreaterThan(10);
      hidden(`${one.method} ${one.path}`, responseText(answer));
    }
  });

  it("no secret is shown by webhook deliveries or by the feed", async () => {
    const { hookId, taskId } = made;
    must(await patch(`/agents/tasks/${taskId}`, { notes: "Mind the tide" }));
    const object = env.WEBHOOKS.get(env.WEBHOOKS.idFromName(hookId));
    await runDurableObjectAlarm(object);
    const { deliveries } = (await get(`/agents/webhooks/${hookId}/deliveries`)).body.data;
    expect(deliveries.length).toBeGreaterThan(0);
    for (const { id } of deliveries) {
      const answer = await get(`/agents/webhooks/${hookId}/deliveries/${id}`);
      expect(answer.body.data.body).toHaveProperty("type");
      hidden("a delivery", responseText(answer));
    }
    const events = await get("/agents/events?from=oldest&limit=100");
    expect(events.body.data.events.length).toBeGreaterThan(1);
    hidden("the feed", responseText(events));
  });

  it("no secret is logged or returned when D1 fails during requests that contain or create one", async () => {
    const levels = ["debug", "log", "info", "warn", "error"] as const;
    const spies = levels.map((level) => vi.spyOn(console, level).mockReturnValue());
    for (const table of ["keys", "webhooks", "credentials", "agents"]) {
      await env.DB.prepare(`ALTER TABLE ${table} RENAME TO away`).run();
      try {
        const answers = [
          await post("/agents/keys", {
            name: "x",
            scopes: ["tools:read"],
            agentId: OWN_TENANT.agentId,
          }),
          await post("/agents/webhooks", { url: `${HTTP.baseUrl}/hook`, secret }),
          await send("PUT", `/agents/tools/${made.toolIds[0]}/credentials`, {
            type: "api-key",
            value,
          }),
          await post("/agents", { id: `lost-${table}`, executor: MODEL }),
        ];
        expect(answers.some(({ status }) => status === 503)).toBe(true);
        for (const answer of answers) if (answer.status >= 400) hidden(table, responseText(answer));
      } finally {
        await env.DB.prepare(`ALTER TABLE away RENAME TO ${table}`).run();
      }
    }
    const lines = spies.flatMap(({ mock }) => mock.calls);
    expect(lines.length).toBeGreaterThan(3);
    hidden("the console", formatLogEntry(lines));
  });

  it("no secret is stored as plain text in D1 or in an object, except a lease token in the log of its task", async () => {
    const repeat = await keyed("a-key", "/agents/keys", { name: "k", scopes: [...SCOPES] });
    expect(repeat.headers.get("Idempotency-Replayed")).toBe("true");
    await scanRows();
    const objects = await readObjectStorage();
    let texts = 0;
    for (const { object, tables, values } of objects) {
      for (const [table, rows] of Object.entries({ ...tables, values })) {
        const isLog = object === "TASKS" && table === "events";
        const text = isLog ? withoutLeases(rows) : rows;
        hidden(`${object}: ${table}`, text);
        texts += 1;
      }
    }
    expect(texts).toBeGreaterThan(12);
    const kinds = new Set(objects.map(({ object }) => object));
    for (const kind of ["TASKS", "QUEUES", "FEED", "ONCE", "WEBHOOKS"])
      expect(kinds).toContain(kind);
    console.info(
      `access: none of ${secrets.size} secrets found in ${texts} tables of ${objects.length} objects or in any response`,
    );
  });

  it("no secret is shown when webhooks, keys, agents and credentials are deleted", async () => {
    const { hookId, keyId, toolIds } = made;
    const answers = [
      await del(`/agents/webhooks/${hookId}`),
      await del(`/agents/keys/${keyId}`),
      await del("/agents/thinker"),
      ...(await Promise.all(toolIds.map((id) => del(`/agents/tools/${id}/credentials`)))),
    ];
    for (const answer of answers) hidden("the end", responseText(answer));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(takeLeaks()).toEqual([]);
  });
});

/**
 * Removes the lease token. The task's log stores it, and it is valid only for this task while the
 * lease is active.
 */
function withoutLeases(rows: string): string {
  return rows.replaceAll(made.lease, "its own lease");
}
