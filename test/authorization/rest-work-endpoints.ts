import { env } from "cloudflare:workers";
import { taskStub } from "../../src/tasks/task.rpc.ts";
import { get, post, ROOT } from "../support/client.ts";
import { bytesOf, OUTCOME } from "../tasks/workers/fixtures.ts";
import {
  FILE,
  uniqueName,
  must,
  OWN_TENANT,
  taskOf,
  type Tenant,
  type TaskStage,
} from "./tenants.ts";
import type { RequestCase, RequestCases } from "./request-case.ts";
import { missingTaskId, unknownIdLike } from "./unknown-ids.ts";

/** A request for a tenant's task at the given stage. */
function onTask(stage: TaskStage, more: Omit<RequestCase, "values"> = {}) {
  return async (tenant: Tenant): Promise<RequestCase> => {
    const { id } = await taskOf(tenant, stage);
    return { values: { id }, missing: missingTaskId(), taskId: id, ...more };
  };
}

function onTool(more: Partial<RequestCase> = {}) {
  return async ({ toolId }: Tenant): Promise<RequestCase> => ({
    values: { id: toolId, capability: toolId === OWN_TENANT.toolId ? "keywords" : "query" },
    missing: unknownIdLike(toolId),
    ...more,
  });
}

/** Records a rejected call of a task, and returns the call's id. */
async function rejectedCallOf(taskId: string): Promise<string> {
  const stub = taskStub(env.TASKS, taskId);
  if (!stub.ok) throw new Error("The task has no stub");
  const id = crypto.randomUUID();
  const error = { code: "TOOL_ACCESS_DENIED", message: "No grant." };
  await stub.value.recordRejectedCall(
    { agentId: null, teamId: null },
    {
      id,
      toolId: "json-workbench",
      capability: "query",
      agentId: null,
      source: "rest",
      keyId: "root",
      turn: null,
      requestId: null,
      startedAt: Date.now(),
      parameters: { text: "{}", bytes: 2 },
      end: { outcome: "rejected", durationMs: 0, cost: 0, error },
    },
  );
  return id;
}

/** Operations that need no key. */
export const PUBLIC_ENDPOINTS: RequestCases = {
  "GET /health": async () => ({}),
  "GET /openapi.json": async () => ({}),
  "GET /docs": async () => ({}),
  "GET /docs/settings.json": async () => ({}),
  "GET /docs/guides": async () => ({}),
  "GET /docs/guides/:page": async () => ({ values: { page: "webhooks" } }),
  // Each address has only 20 attempts a minute.
  "POST /agents/sessions": async () => ({
    body: { apiKey: ROOT },
    headers: { "CF-Connecting-IP": uniqueName("address") },
    status: 201,
  }),
  "GET /docs/:file": async () => ({ values: { file: "start.js" } }),
  "GET /console": async () => ({}),
  "GET /console/:view": async () => ({ values: { view: "tasks" } }),
  "GET /console/:view/:item": async () => ({ values: { view: "tools", item: "import" } }),
};

/** Operations for agents and their clients. Bound keys can have the scopes that these require. */
export const WORK_ENDPOINTS: RequestCases = {
  "GET /agents/tools": async () => ({}),
  "GET /agents/tools/:id": onTool(),
  "GET /agents/tools/:id/capabilities": onTool(),
  "GET /agents/tools/:id/capabilities/:capability": onTool(),
  "GET /agents/tools/:id/usage": onTool(),
  "GET /agents/usage": async () => ({}),
  "GET /agents/access": async () => ({}),
  "GET /agents/access/explain": async ({ toolId, call }) => ({
    query: `?agentId=${OWN_TENANT.agentId}&toolId=${toolId}&capability=${call.capability}`,
  }),
  "GET /agents/approvals": async () => ({}),
  // Whether a key sees an approval depends on the call, which test/governance/approvals checks.
  "GET /agents/approvals/:id": async () => ({
    values: { id: crypto.randomUUID() },
    status: 404,
    expectedText: "There is no approval",
  }),
  "GET /agents/sessions": async () => ({}),
  "DELETE /agents/sessions": async () => ({}),
  "GET /agents/sessions/current": async () => ({}),
  // A request with a key has no session of its own.
  "DELETE /agents/sessions/current": async () => ({
    status: 404,
    expectedText: "There is no session",
  }),
  "DELETE /agents/sessions/:id": async () => ({
    values: { id: "0".repeat(64) },
    status: 404,
    expectedText: "There is no session",
  }),
  "GET /agents/tools/access/:agentId": async ({ agentId }) => ({
    values: { agentId },
    missing: unknownIdLike(agentId),
  }),
  "POST /agents/tools/:id/invoke": async ({ toolId, call }) => ({
    values: { id: toolId },
    missing: unknownIdLike(toolId),
    body: { ...call, agentId: OWN_TENANT.agentId },
  }),
  "POST /agents/tools/:id/invoke for a task": async (tenant) => {
    const { id: taskId } = await taskOf(tenant, "held");
    const missing = missingTaskId();
    const body = { ...OWN_TENANT.call, agentId: OWN_TENANT.agentId };
    return {
      values: { id: OWN_TENANT.toolId },
      body: { ...body, taskId },
      strange: { ...body, taskId: missing },
      ids: [taskId, missing],
      taskId,
    };
  },
  "GET /agents/tools/:id/results/:resultId": async () => {
    const parameters = { document: JSON.stringify({ text: "x".repeat(200_000) }), path: "$.text" };
    const call = { capability: "query", parameters };
    const answer = await post("/agents/tools/json-workbench/invoke", call);
    must(answer);
    return linkOf(answer.body.data.result.downloadUrl);
  },
  "GET /agents/tasks": async () => ({}),
  "POST /agents/tasks": async ({ agentId }) => ({
    body: { task: "Write the log", agentId },
    strange: { task: "Write the log", agentId: unknownIdLike(agentId) },
    ids: [agentId, unknownIdLike(agentId)],
    status: 201,
  }),
  "POST /agents/tasks/claim": async (tenant) => {
    await taskOf(tenant, "waiting");
    const { agentId } = tenant;
    return {
      body: { agentId, waitSeconds: 0 },
      strange: { agentId: unknownIdLike(agentId), waitSeconds: 0 },
      ids: [agentId, unknownIdLike(agentId)],
    };
  },
  "GET /agents/tasks/:id": onTask("pending"),
  "GET /agents/tasks/:id with its context": onTask("pending", { query: "?include=context" }),
  "PATCH /agents/tasks/:id": onTask("pending", { body: { notes: "Mind the tide" } }),
  "GET /agents/tasks/:id/events": onTask("pending"),
  "GET /agents/tasks/:id/events as a stream": onTask("pending", {
    headers: { Accept: "text/event-stream" },
  }),
  "GET /agents/tasks/:id/calls": onTask("pending"),
  "GET /agents/tasks/:id/calls/:callId": async (tenant) => {
    const { id } = await taskOf(tenant, "held");
    const missing = missingTaskId();
    return { values: { id, callId: await rejectedCallOf(id) }, missing, taskId: id };
  },
  "POST /agents/tasks/:id/cancel": onTask("pending", { body: {} }),
  "POST /agents/tasks/:id/retry": onTask("failed", { body: {} }),
  "POST /agents/tasks/:id/respond": onTask("blocked", { body: { response: "1702" } }),
  "POST /agents/tasks/:id/review": onTask("review", { body: { decision: "approve" } }),
  "POST /agents/tasks/:id/feedback": onTask("completed", { body: { rating: 4 }, status: 201 }),
  "POST /agents/tasks/:id/report": async (tenant) => {
    const { id, lease } = await taskOf(tenant, "held");
    const body = { type: "completed", lease, ...OUTCOME };
    return { values: { id }, missing: missingTaskId(), body, taskId: id };
  },
  "GET /agents/tasks/:id/deliverables": onTask("completed"),
  "GET /agents/tasks/:id/deliverables/:name": async (tenant) => {
    const { id } = await taskOf(tenant, "review");
    return { values: { id, name: FILE }, missing: missingTaskId(), taskId: id };
  },
  "GET /agents/tasks/:id/deliverables/:name by its link": async (tenant) => {
    const { id } = await taskOf(tenant, "completed");
    const answer = await get(`/agents/tasks/${id}/deliverables`);
    return linkOf(answer.body.data.deliverables[0].downloadUrl);
  },
  "PUT /agents/tasks/:id/deliverables/:name": async (tenant) => {
    const { id, lease } = await taskOf(tenant, "held");
    return {
      values: { id, name: uniqueName("chart") },
      missing: missingTaskId(),
      body: bytesOf("Rocks"),
      headers: { "Bosun-Lease": lease, "Content-Type": "text/plain" },
      status: 201,
      taskId: id,
    };
  },
  "GET /agents/events": async () => ({}),
  "GET /agents/events as a stream": async () => ({ headers: { Accept: "text/event-stream" } }),
};

/** Splits a download link into the parameters of its route. */
function linkOf(link: string): RequestCase {
  const { pathname, search } = new URL(link);
  const [, , , id = "", , last = ""] = pathname.split("/");
  return { values: { id, resultId: last, name: last }, query: search };
}
