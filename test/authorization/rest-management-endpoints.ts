import { env } from "cloudflare:workers";
import type { JsonObject } from "../../src/kernel/json.ts";
import { webhookStub } from "../../src/events/webhooks/webhook.rpc.ts";
import { get, post, send } from "../support/client.ts";
import { keyWith } from "../support/keys.ts";
import { taskIn } from "../support/tasks.ts";
import { DOCUMENT, HTTP, PERSON, put, SHIPS } from "../tools/credentials/fixtures.ts";
import { uniqueName, must, ownTool, blockWebhooks, type Tenant } from "./tenants.ts";
import type { RequestCase, RequestCases } from "./request-case.ts";
import { keyKindOf } from "./key-kinds.ts";
import { unknownIdLike } from "./unknown-ids.ts";

const AT = `${HTTP.baseUrl}/hook`;
const OTHER_HOOK = `whk_${"0".repeat(16)}`;

/** A request for a webhook whose address is blocked. */
function onHook(more: Partial<RequestCase> = {}) {
  return async (): Promise<RequestCase> => ({
    values: { id: await hook() },
    missing: OTHER_HOOK,
    ...more,
  });
}

/** A request for a pending delivery. */
function onDelivery(more: Partial<RequestCase> = {}) {
  return async (): Promise<RequestCase> => {
    const id = await hook();
    await taskIn("cancelled");
    const port = webhookStub(env.WEBHOOKS, id);
    while ((await port.readStats()).pending === 0) await port.notify(id);
    const { deliveries } = (await get(`/agents/webhooks/${id}/deliveries`)).body.data;
    return { values: { id, deliveryId: deliveries[0].id }, missing: OTHER_HOOK, ...more };
  };
}

async function hook(): Promise<string> {
  const answer = await post("/agents/webhooks", { url: AT });
  must(answer);
  const { id }: { id: string } = answer.body.data;
  await blockWebhooks(id);
  return id;
}

/** A request for a registered tool, optionally with credentials. */
function onOwnTool(credentials: JsonObject | null, more: Partial<RequestCase> = {}) {
  return async (): Promise<RequestCase> => {
    const id = await ownTool();
    if (credentials !== null) must(await put(credentials, id));
    return { values: { id }, missing: unknownIdLike(id), ...more };
  };
}

/** Creates a tool and the link that connects it to its OAuth server. */
async function connectLink(): Promise<{ id: string; link: URL }> {
  const id = await ownTool();
  must(await put(PERSON, id));
  const { url } = (await post(`/agents/tools/${id}/credentials/connect`)).body.data;
  return { id, link: new URL(url) };
}

/**
 * Creates a child of the key that the matrix uses, because a key can manage only its descendants.
 */
async function childKey(): Promise<string> {
  const { authorization } = await keyKindOf("unbound", ["keys:manage"]);
  const key = authorization?.replace("Bearer ", "") ?? "";
  const answer = await post("/agents/keys", { name: "child", scopes: ["keys:manage"] }, { key });
  must(answer);
  return answer.body.data.id;
}

async function spare(kind: "agent" | "team"): Promise<string> {
  const id = uniqueName(kind);
  must(
    kind === "agent"
      ? await post("/agents", { id, executor: { type: "worker" } })
      : await send("PUT", `/agents/teams/${id}`, { agents: [] }),
  );
  return id;
}

const onAgent =
  (more: Partial<RequestCase> = {}) =>
  async (): Promise<RequestCase> => {
    const agentId = await spare("agent");
    return { values: { agentId }, missing: unknownIdLike(agentId), ...more };
  };

const onTeam =
  (more: Partial<RequestCase> = {}) =>
  async (): Promise<RequestCase> => {
    const teamId = await spare("team");
    return { values: { teamId }, missing: unknownIdLike(teamId), ...more };
  };

/** A limit that no call reaches. */
const LIMIT = { name: "High", scope: { all: true }, measure: "tokens", per: "day", limit: 1e9 };

const onLimit =
  (more: Partial<RequestCase> = {}) =>
  async (): Promise<RequestCase> => {
    const id = uniqueName("limit");
    must(await post("/agents/limits", { id, ...LIMIT }));
    return { values: { id }, missing: unknownIdLike(id), ...more };
  };

/** A policy that covers no call of another test. */
const POLICY = { name: "Rare", effect: "allow", tools: ["table-analyst/trend"], reason: "None." };

/** A period in the past, and a policy to try out on its calls. */
function simulation() {
  const [from = "", to = ""] = [2, 1].map((hours) => {
    return new Date(Date.now() - hours * 3_600_000).toISOString();
  });
  return { policy: POLICY, from, to };
}

const onPolicy =
  (more: Partial<RequestCase> = {}) =>
  async (): Promise<RequestCase> => {
    const id = uniqueName("policy");
    must(await post("/agents/policies", { id, ...POLICY }));
    return { values: { id }, missing: unknownIdLike(id), ...more };
  };

/** A request about a call that waits for approval, made with another key. */
const onApproval =
  (more: Partial<RequestCase> = {}) =>
  async (): Promise<RequestCase> => {
    const id = await storedCall();
    return { values: { id }, missing: unknownIdLike(id), ...more };
  };

/** A request with a link for a decision. */
const onDecisionLink =
  (more: Partial<RequestCase> = {}) =>
  async (): Promise<RequestCase> => {
    const id = await storedCall();
    const answer = await post(`/agents/approvals/${id}/link`, {});
    must(answer);
    return { values: { id }, query: new URL(answer.body.data.url).search, ...more };
  };

/** Makes a call that waits for approval and returns the approval's id. */
async function storedCall(): Promise<string> {
  const agentId = await spare("agent");
  must(await post("/agents/tools/access", { agentId, toolId: "json-workbench" }));
  const policy = { ...POLICY, effect: "ask", tools: ["json-workbench"], agents: [agentId] };
  must(await post("/agents/policies", { id: uniqueName("policy"), ...policy }));
  const call = { capability: "query", parameters: { document: "[1]", path: "$" }, agentId };
  const key = await keyWith(["tools:invoke"]);
  const stored = await post("/agents/tools/json-workbench/invoke", call, { key });
  must(stored);
  return stored.body.data.approvalId;
}

/** Management operations. Bound keys cannot have the scopes that these require. */
export const MANAGEMENT_ENDPOINTS: RequestCases = {
  "GET /agents/keys": async () => ({}),
  // The new key has only this scope, because a key cannot grant a scope that it lacks.
  "POST /agents/keys": async () => ({
    body: { name: "matrix", scopes: ["keys:manage"] },
    status: 201,
  }),
  "PATCH /agents/keys/:id": async () => ({
    values: { id: await childKey() },
    missing: "0".repeat(16),
    body: { limits: { openStreams: 5 } },
  }),
  "DELETE /agents/keys/:id": async () => ({
    values: { id: await childKey() },
    missing: "0".repeat(16),
  }),
  "POST /agents/tools": async () => ({
    body: { ...SHIPS, id: uniqueName("tool"), name: "Tool" },
    status: 201,
  }),
  "POST /agents/tools/import": async () => ({
    body: { id: uniqueName("drawn"), openapi: { document: DOCUMENT } },
    status: 201,
  }),
  "PATCH /agents/tools/:id": onOwnTool(null, { body: { name: "Renamed" } }),
  "DELETE /agents/tools/:id": onOwnTool(null),
  "POST /agents/tools/access": async ({ toolId }: Tenant) => ({
    body: { agentId: uniqueName("granted"), toolId },
    status: 201,
  }),
  "DELETE /agents/tools/access/:agentId/:toolId": async ({ toolId }: Tenant) => {
    const agentId = uniqueName("granted");
    must(await post("/agents/tools/access", { agentId, toolId }));
    return { values: { agentId, toolId }, missing: unknownIdLike(agentId) };
  },
  "GET /agents/tools/:id/credentials": onOwnTool(PERSON),
  "PUT /agents/tools/:id/credentials": onOwnTool(null, { body: PERSON, status: 201 }),
  "DELETE /agents/tools/:id/credentials": onOwnTool(PERSON),
  "POST /agents/tools/:id/credentials/connect": onOwnTool(PERSON, { body: {} }),
  "GET /agents/tools/:id/credentials/authorize": async () => {
    const { id, link } = await connectLink();
    return { values: { id }, query: link.search, status: 302 };
  },
  // The request has no cookie, so it fails like a request from another browser.
  "GET /agents/tools/:id/credentials/callback": async () => {
    const { id, link } = await connectLink();
    const opened = await get(`${link.pathname}${link.search}`, { key: null });
    const to = new URL(opened.headers.get("Location") ?? "");
    const state = to.searchParams.get("state") ?? "";
    const query = `?${new URLSearchParams({ state, error: "access_denied" }).toString()}`;
    return {
      values: { id },
      query,
      status: 400,
      expectedText: "by the browser that opened the link",
    };
  },
  "GET /agents/webhooks": async () => ({}),
  "POST /agents/webhooks": async () => ({ body: { url: AT }, status: 201 }),
  "GET /agents/webhooks/:id": onHook(),
  "PATCH /agents/webhooks/:id": onHook({ body: { description: "Renamed" } }),
  "DELETE /agents/webhooks/:id": onHook(),
  "POST /agents/webhooks/:id/secret": onHook({ body: {} }),
  "POST /agents/webhooks/:id/test": onHook({ body: {} }),
  "GET /agents/webhooks/:id/deliveries": onHook(),
  "GET /agents/webhooks/:id/deliveries/:deliveryId": onDelivery(),
  "POST /agents/webhooks/:id/deliveries/:deliveryId/redeliver": onDelivery({ body: {} }),
  "GET /agents/policies": async () => ({}),
  "POST /agents/policies": async () => ({
    body: { id: uniqueName("policy"), ...POLICY },
    status: 201,
  }),
  "GET /agents/policies/explain": async () => ({
    query: "?toolId=table-analyst&capability=trend",
  }),
  "POST /agents/policies/simulate": async () => ({ body: simulation() }),
  "GET /agents/policies/:id": onPolicy(),
  "PUT /agents/policies/:id": onPolicy({ body: POLICY }),
  "PATCH /agents/policies/:id": onPolicy({ body: { enabled: false } }),
  "DELETE /agents/policies/:id": onPolicy(),
  "POST /agents/approvals/:id/approve": onApproval({ body: {} }),
  "POST /agents/approvals/:id/deny": onApproval({ body: {} }),
  "POST /agents/approvals/:id/link": onApproval({ body: {}, status: 201 }),
  "GET /agents/approvals/:id/decision": onDecisionLink(),
  "POST /agents/approvals/:id/decision": onDecisionLink({
    body: new TextEncoder().encode("decision=deny"),
  }),
  "GET /agents/audit": async () => ({}),
  "POST /agents/audit/verify": async () => ({ body: {} }),
  "GET /agents/limits": async () => ({}),
  "POST /agents/limits": async () => ({
    body: { id: uniqueName("limit"), ...LIMIT },
    status: 201,
  }),
  "GET /agents/limits/:id": onLimit(),
  "PUT /agents/limits/:id": onLimit({ body: LIMIT }),
  "PATCH /agents/limits/:id": onLimit({ body: { enabled: false } }),
  "DELETE /agents/limits/:id": onLimit(),
  "GET /agents/teams": async () => ({}),
  "GET /agents/teams/:teamId": onTeam(),
  "PUT /agents/teams/:teamId": onTeam({ body: { agents: [] } }),
  "DELETE /agents/teams/:teamId": onTeam(),
  "GET /agents": async () => ({}),
  "POST /agents": async () => ({
    body: { id: uniqueName("hired"), executor: { type: "worker" } },
    status: 201,
  }),
  "GET /agents/:agentId": onAgent(),
  "PATCH /agents/:agentId": onAgent({ body: { name: "Renamed" } }),
  "DELETE /agents/:agentId": onAgent(),
  "POST /agents/:agentId/pause": onAgent(),
  "POST /agents/:agentId/resume": async () => {
    const agentId = await spare("agent");
    must(await post(`/agents/${agentId}/pause`));
    return { values: { agentId }, missing: unknownIdLike(agentId) };
  },
  "POST /agents/pause-all": async () => ({}),
  // Comes next, because the other requests need agents that are not paused.
  "POST /agents/resume-all": async () => ({}),
};
