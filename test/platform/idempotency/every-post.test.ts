import { evictAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { webhookStub } from "../../../src/events/webhooks/webhook.rpc.ts";
import { get, post } from "../../support/client.ts";
import { filled, ROUTES } from "../../support/routes.ts";
import { expectError } from "../../support/expect-errors.ts";
import { keyWith } from "../../support/keys.ts";
import { passTime, stopClock, taskIn } from "../../support/tasks.ts";
import { tableReader } from "../../fuzz/invariants.ts";
import { eventsOf } from "../../support/task-state.ts";
import { DOCUMENT, HTTP, PERSON, put, SHIPS, tool } from "../../tools/credentials/fixtures.ts";
import { heldTask, waitingTask, workerAgent } from "../../tasks/workers/fixtures.ts";
import { expectReplay, keyed } from "./fixtures.ts";

/** A POST request, and another one that differs from it only in the body. */
interface Case {
  readonly status: 200 | 201;
  readonly values?: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** Null if the route accepts only one body. */
  readonly other: JsonObject | null;
  /**
   * Reads the state that the request changes; null if it changes nothing, and only its response
   * differs each time.
   */
  readonly changes: (() => Promise<unknown>) | null;
}

let tables = async (): Promise<unknown> => ({});
const log = (id: string) => () => eventsOf(id);
const usage = async () => (await get("/agents/tools/json-workbench/usage")).body.data;

/** Makes a call that waits for the approval of two keys, and returns the approval's id. */
async function storedCall(): Promise<string> {
  const id = crypto.randomUUID();
  const when = { "parameters.document": { eq: id } };
  const tools = ["json-workbench"];
  const policy = { ...POLICY, effect: "ask", approvals: 2, tools, when };
  await post("/agents/policies", { id, ...policy });
  const call = { capability: "query", parameters: { document: id, path: "$" } };
  const key = await keyWith(["tools:invoke"]);
  return (await post("/agents/tools/json-workbench/invoke", call, { key })).body.data.approvalId;
}

/** A command to a task, which adds an event to the task's log. */
function commanding(id: string, body: JsonObject, other: JsonObject): Case {
  return { status: 200, values: { id }, body, other, changes: log(id) };
}

const LIMIT = { name: "High", scope: { all: true }, measure: "tokens", per: "day", limit: 1e9 };
const POLICY = { name: "Rare", effect: "deny", tools: ["table-analyst/trend"], reason: "None." };
const PERIOD = { from: "2026-11-01T00:00:00Z", to: "2026-11-02T00:00:00Z" };
const TOOL = { name: "Harbour", ...SHIPS };

const CASES: Readonly<Record<string, () => Promise<Case>>> = {
  "POST /agents/webhooks": async () => ({
    status: 201,
    body: { url: `${HTTP.baseUrl}/once` },
    other: { url: `${HTTP.baseUrl}/twice` },
    changes: tables,
  }),
  "POST /agents/webhooks/:id/secret": async () => ({
    status: 200,
    values: { id: await hook() },
    body: {},
    other: { secret: `whsec_${btoa("a-secret-of-32-bytes-for-testing")}` },
    changes: tables,
  }),
  "POST /agents/webhooks/:id/test": async () => ({
    status: 200,
    values: { id: await hook() },
    body: {},
    other: null,
    changes: null,
  }),
  "POST /agents/webhooks/:id/deliveries/:deliveryId/redeliver": async () => {
    const id = await hook();
    await taskIn("cancelled");
    const port = webhookStub(env.WEBHOOKS, id);
    while ((await port.readStats()).pending === 0) await port.notify(id);
    const { deliveries } = (await get(`/agents/webhooks/${id}/deliveries`)).body.data;
    const values = { id, deliveryId: deliveries[0].id };
    return { status: 200, values, body: {}, other: null, changes: null };
  },
  "POST /agents/limits": async () => ({
    status: 201,
    body: { id: "once-limit", ...LIMIT },
    other: { id: "twice-limit", ...LIMIT },
    changes: tables,
  }),
  "POST /agents/policies": async () => ({
    status: 201,
    body: { id: "once", ...POLICY },
    other: { id: "twice", ...POLICY },
    changes: tables,
  }),
  "POST /agents/policies/simulate": async () => ({
    status: 200,
    body: { policy: POLICY, ...PERIOD },
    other: { policy: { ...POLICY, effect: "ask" }, ...PERIOD },
    changes: null,
  }),
  "POST /agents/approvals/:id/approve": async () => ({
    status: 200,
    values: { id: await storedCall() },
    body: {},
    other: { message: "Fine." },
    changes: tables,
  }),
  "POST /agents/approvals/:id/deny": async () => ({
    status: 200,
    values: { id: await storedCall() },
    body: {},
    other: { message: "No." },
    changes: tables,
  }),
  "POST /agents/approvals/:id/link": async () => ({
    status: 201,
    values: { id: await storedCall() },
    body: {},
    other: null,
    changes: null,
  }),
  "POST /agents/audit/verify": async () => ({
    status: 200,
    body: {},
    other: { since: { seq: 1, hash: "0".repeat(64) } },
    changes: null,
  }),
  "POST /agents/keys": async () => ({
    status: 201,
    body: { name: "once", scopes: ["tools:read"] },
    other: { name: "twice", scopes: ["tools:read"] },
    changes: tables,
  }),
  "POST /agents": async () => ({
    status: 201,
    body: { id: "once", executor: { type: "worker" } },
    other: { id: "twice", executor: { type: "worker" } },
    changes: tables,
  }),
  "POST /agents/:agentId/pause": async () => ({
    status: 200,
    values: { agentId: await workerAgent() },
    body: { reason: "once" },
    other: { reason: "twice" },
    changes: tables,
  }),
  "POST /agents/:agentId/resume": async () => {
    const agentId = await workerAgent();
    await post(`/agents/${agentId}/pause`);
    return { status: 200, values: { agentId }, body: {}, other: null, changes: tables };
  },
  "POST /agents/pause-all": async () => {
    await workerAgent();
    onTestFinished(async () => {
      await post("/agents/resume-all");
    });
    return { status: 200, body: { reason: "once" }, other: { reason: "twice" }, changes: tables };
  },
  "POST /agents/resume-all": async () => {
    await workerAgent();
    await post("/agents/pause-all");
    return { status: 200, body: {}, other: null, changes: tables };
  },
  "POST /agents/tools": async () => ({
    status: 201,
    body: { ...TOOL, id: "once" },
    other: { ...TOOL, id: "twice" },
    changes: tables,
  }),
  "POST /agents/tools/import": async () => ({
    status: 201,
    body: { id: "imported", openapi: { document: DOCUMENT } },
    other: { id: "imported", openapi: { document: DOCUMENT }, dryRun: true },
    changes: tables,
  }),
  "POST /agents/tools/:id/invoke": async () => ({
    status: 200,
    values: { id: "json-workbench" },
    body: { capability: "query", parameters: { document: "[5]", path: "$[0]" } },
    other: { capability: "query", parameters: { document: "[6]", path: "$[0]" } },
    changes: usage,
  }),
  "POST /agents/tools/access": async () => ({
    status: 201,
    body: { agentId: "once-granted", toolId: "json-workbench" },
    other: { agentId: "once-granted", toolId: "text-analyst" },
    changes: tables,
  }),
  "POST /agents/tools/:id/credentials/connect": async () => {
    await tool("connected", HTTP);
    await put(PERSON, "connected");
    return { status: 200, values: { id: "connected" }, body: {}, other: null, changes: null };
  },
  "POST /agents/tasks": async () => ({
    status: 201,
    body: { task: "Count the wharves" },
    other: { task: "Count the cellars" },
    changes: tables,
  }),
  "POST /agents/tasks/claim": async () => {
    const agentId = await workerAgent({ maxConcurrentTasks: 2 });
    const ids = [await waitingTask(agentId), await waitingTask(agentId)];
    return {
      status: 200,
      body: { agentId, waitSeconds: 0 },
      other: { agentId, waitSeconds: 0, max: 2 },
      changes: () => Promise.all(ids.map(eventsOf)),
    };
  },
  "POST /agents/tasks/:id/report": async () => {
    const { id, lease } = await heldTask();
    const report = { lease, type: "progress", phase: "counting" };
    return commanding(id, { ...report, progress: 40 }, { ...report, progress: 50 });
  },
  "POST /agents/tasks/:id/cancel": async () =>
    commanding(await taskIn("blocked"), { reason: "enough" }, { reason: "too much" }),
  "POST /agents/tasks/:id/retry": async () =>
    commanding(await taskIn("failed"), {}, { context: { again: true } }),
  "POST /agents/tasks/:id/respond": async () =>
    commanding(await taskIn("blocked"), { response: "1702" }, { response: "1703" }),
  "POST /agents/tasks/:id/review": async () =>
    commanding(await taskIn("review"), { decision: "approve" }, { decision: "reject" }),
  "POST /agents/tasks/:id/feedback": async () => {
    const id = await taskIn("completed");
    return { ...commanding(id, { rating: 5 }, { rating: 1 }), status: 201 };
  },
};

/** Creates a webhook, replaces its address with a blocked one, and returns the webhook's id. */
async function hook(): Promise<string> {
  const answer = await post("/agents/webhooks", { url: `${HTTP.baseUrl}/hook` });
  const { id } = answer.body.data;
  const unsent = env.DB.prepare("UPDATE webhooks SET url = 'http://127.0.0.1:9/' WHERE id = ?");
  await unsent.bind(id).run();
  return id;
}

const POSTS = ROUTES.filter(({ method, scope }) => method === "POST" && scope !== null);

describe("every POST with an Idempotency-Key", () => {
  beforeAll(async () => {
    stopClock();
    tables = await tableReader();
  });

  it.each(POSTS)(
    "POST $path with an Idempotency-Key is executed once",
    { timeout: 60_000 },
    async ({ method, path }) => {
      const given = await CASES[`${method} ${path}`]?.();
      if (given === undefined) throw new Error(`${path} has no case in this table`);
      const { status, body, other, changes } = given;
      const at = filled(path, given.values);
      const key = `every ${path}`.replaceAll(" ", "-");

      const before = await changes?.();
      const first = await keyed(key, at, body);
      expect(first.status, first.text).toBe(status);
      const after = await changes?.();
      if (changes !== null) expect(after).not.toEqual(before);

      passTime(5_000);
      expectReplay(await keyed(key, at, body), first);
      await evictAllDurableObjects();
      passTime(5_000);
      expectReplay(await keyed(key, at, body), first);
      if (other !== null) {
        expectError(await keyed(key, at, other), 422, "IDEMPOTENCY_KEY_REUSED");
      }
      expect(await changes?.()).toEqual(after);
    },
  );
});
