import { Hono } from "hono";
import { toolOperations } from "./operations.ts";
import { getDatabase } from "../platform/d1/client.ts";
import { formatEntityTag } from "../kernel/entity-tag.ts";
import type { Failure } from "../kernel/failure.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { toIsoTime } from "../kernel/text.ts";
import type { ToolWithCapabilities } from "./model/tool-changes.ts";
import {
  type AppContext,
  type AppEnv,
  readPathParam,
  requestOriginOf,
  readIfMatch,
  sendFailure,
  type SuccessReply,
} from "../http/envelope.ts";
import { defineEndpoint, answerOtherMethods } from "../http/endpoint.ts";
import { actorOf } from "../governance/audit/actor.ts";
import { importTool } from "./import/import-tool.ts";
import {
  findCapability,
  findToolDetail,
  listCatalogueTools,
  listToolCapabilities,
} from "./catalogue.store.ts";
import { capabilityView, managedToolView, registeredToolView, toolView } from "./view.ts";
import { changeTool, registerTool, retireTool } from "./manage/tool-lifecycle.ts";
import { invalidateAgents } from "../agents/agent-cache.ts";
import { formatBinding, canActAs, canCallForTask, type Key } from "../keys/model/key.ts";
import { CATEGORIES } from "./model/tool.ts";
import { hasSignedLink } from "../http/downloads.ts";
import { formatRateLimitHeaders } from "../http/wire-error.ts";
import { invokeForClient } from "../tasks/api/invoke-for-task.ts";
import { grantAccess, revokeAccess } from "./access.ts";
import { findAgentAccess, type Grant } from "./access.store.ts";
import type { RegisteredToolResponse } from "./tool-schemas.ts";
import { findUnconnectedTools } from "./credentials/find-unconnected-tools.ts";
import { credentialRoutes } from "./credentials/routes.ts";
import { grantRoutes } from "./grants/routes.ts";
import { readStoredResult } from "./large-results.ts";
import { usageRoutes } from "./metering/routes.ts";
import { buildUsageReport } from "./metering/usage-report.ts";

/** Whether a request uses the signed link to an oversized result instead of a key. */
export function isSignedResultRequest(c: AppContext): boolean {
  return hasSignedLink(c, /^\/agents\/tools\/[^/]+\/results\/[^/]+$/);
}

const getTools = defineEndpoint(toolOperations.listTools, async (c, { query }) => {
  const { agentIds } = c.get("key");
  if (query.credentials !== undefined && !canManageTools(c))
    return fail<Failure>({ kind: "insufficient_scope", scopes: ["tools:manage"] });
  const credentials =
    query.credentials === "unconnected"
      ? await findUnconnectedTools(c.env, Date.now())
      : ok(query.credentials ?? null);
  if (!credentials.ok) return credentials;
  const filter = {
    category: query.category,
    search: query.search,
    credentials: credentials.value,
    agentIds: query.agentId === undefined ? agentIds : intersectAgentIds(agentIds, query.agentId),
  };
  const db = getDatabase(c.env.DB);
  const page = await listCatalogueTools(db, filter, query, agentIds, canManageTools(c));
  return ok({ data: { ...page, categories: CATEGORIES } });
});

const getTool = defineEndpoint(toolOperations.getTool, async (c) => {
  const isManager = canManageTools(c);
  const { agentIds } = c.get("key");
  const id = readPathParam(c, "id");
  const tool = await findToolDetail(getDatabase(c.env.DB), id, agentIds, isManager);
  if (tool === null) return toolNotFound(c);
  const data = toolView(tool, isManager);
  // Clients cannot change a built-in tool, so it needs no ETag.
  return tool.connector.type === "builtin"
    ? ok({ data })
    : ok({ data, headers: { ETag: formatEntityTag(tool.version) } });
});

const getCapabilities = defineEndpoint(toolOperations.listCapabilities, async (c, { query }) => {
  const toolId = readPathParam(c, "id");
  const { agentIds } = c.get("key");
  const found = await listToolCapabilities(getDatabase(c.env.DB), toolId, query, agentIds);
  if (found === null) return toolNotFound(c);
  const views = found.capabilities.map((one) => capabilityView(one, canManageTools(c)));
  const { total, nextOffset } = found;
  return ok({ data: { toolId, capabilities: views, total, nextOffset } });
});

const getCapability = defineEndpoint(toolOperations.getCapability, async (c) => {
  const id = readPathParam(c, "capability");
  const db = getDatabase(c.env.DB);
  const found = await findCapability(db, readPathParam(c, "id"), id, c.get("key").agentIds);
  if (!found.tool) return toolNotFound(c);
  return found.capability === null
    ? fail<Failure>({ kind: "not_found", what: "capability", id })
    : ok({ data: capabilityView(found.capability, canManageTools(c)) });
});

const postInvocation = defineEndpoint(toolOperations.invokeTool, async (c, { body }) => {
  const key = c.get("key");
  const { taskId } = body;
  if (taskId !== undefined && !canCallForTask(key)) {
    return fail<Failure>({ kind: "insufficient_scope", scopes: ["tasks:write"] });
  }
  const caller = resolveCaller(key, body.agentId, taskId !== undefined);
  if (!caller.ok) return caller;
  const call = {
    toolId: readPathParam(c, "id"),
    capability: body.capability,
    parameters: body.parameters,
    agentId: caller.value,
  };
  const invoked = await invokeForClient(c.env, key, call, taskId ?? null, {
    origin: new URL(c.req.url).origin,
    source: "rest",
    actor: actorOf(c),
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
  });
  if (!invoked.ok) return toPendingApproval(c, invoked.failure);
  const { result, usage, window } = invoked.value;
  const headers = window === null ? {} : formatRateLimitHeaders(window);
  return ok({ data: { result, usage }, headers });
});

/** A call that waits for approval is not an error. */
function toPendingApproval(c: AppContext, failure: Failure) {
  if (failure.kind !== "approval_pending") return fail(failure);
  const { approvalId, policyId, reason, expiresAt } = failure;
  const url = `${requestOriginOf(c)}/agents/approvals/${approvalId}`;
  const stored = { approvalId, status: "pending" as const, url, policyId, reason };
  return ok({ data: { ...stored, expiresAt: toIsoTime(expiresAt) }, status: 202 as const });
}

const getResult = defineEndpoint(toolOperations.downloadResult, async (c) => {
  const { searchParams } = new URL(c.req.url);
  const resultId = readPathParam(c, "resultId");
  const file = await readStoredResult(c.env, readPathParam(c, "id"), resultId, searchParams);
  return file.ok ? file.value : sendFailure(c, file.failure);
});

const getUsage = defineEndpoint(toolOperations.getToolUsage, async (c, { query }) => {
  const report = await buildUsageReport(c.env, readPathParam(c, "id"), query.days, c.get("key"));
  return report.ok ? ok({ data: report.value }) : report;
});

const getAccess = defineEndpoint(toolOperations.getAgentAccess, async (c) => {
  const agentId = readPathParam(c, "agentId");
  const found = canActAs(c.get("key"), agentId)
    ? await findAgentAccess(getDatabase(c.env.DB), agentId)
    : null;
  if (found === null) return fail<Failure>({ kind: "not_found", what: "agent", id: agentId });
  const tools = found.tools.map(({ category: _, ...tool }) => tool);
  const { agentName } = found;
  return ok({ data: { agentId, agentName, tools, totalTools: tools.length } });
});

const postAccess = defineEndpoint(toolOperations.grantAccess, async (c, { body }) => {
  const { capabilities: allowed, ...terms } = body;
  const wanted: Grant = {
    ...terms,
    capabilities: allowed === undefined ? null : [...new Set(allowed)],
    grantedAt: Date.now(),
  };
  const granted = await grantAccess(c.env, wanted, actorOf(c));
  invalidateAgents();
  if (!granted.ok) return granted;
  const data = {
    ...wanted,
    capabilities: granted.value.usable,
    grantedAt: new Date(wanted.grantedAt).toISOString(),
  };
  return ok({ data, status: granted.value.replaced ? (200 as const) : (201 as const) });
});

const deleteAccess = defineEndpoint(toolOperations.revokeAccess, async (c) => {
  const agentId = readPathParam(c, "agentId");
  const toolId = readPathParam(c, "toolId");
  const revoked = await revokeAccess(c.env, { agentId, toolId }, actorOf(c));
  invalidateAgents();
  if (revoked) return ok({ data: { agentId, toolId, revoked: true } });
  return fail<Failure>({ kind: "not_found", what: "access", id: `${agentId}/${toolId}` });
});

function canManageTools(c: AppContext): boolean {
  return c.get("key").scopes.includes("tools:manage");
}

function toolNotFound(c: AppContext): Result<never, Failure> {
  return fail({ kind: "not_found", what: "tool", id: readPathParam(c, "id") });
}

/** A list with the requested agent; empty if the key may not see it. */
function intersectAgentIds(agentIds: readonly string[] | null, agentId: string): readonly string[] {
  return agentIds === null || agentIds.includes(agentId) ? [agentId] : [];
}

/**
 * The calling agent. Null if the request names none and the key is not bound to an agent; the call then has no agent,
 * or the task's own agent.
 */
function resolveCaller(
  key: Key,
  named: string | undefined,
  underTask: boolean,
): Result<string | null, Failure> {
  if (named === undefined && key.teamId !== null && !underTask) {
    const message =
      "is required, because this key is bound to a team; name the agent that makes the call";
    return fail({ kind: "validation", problems: [{ path: "agentId", message }] });
  }
  const agentId = named ?? key.agentId;
  if (agentId === null || canActAs(key, agentId)) return ok(agentId);
  return fail({ kind: "agent_mismatch", path: "agentId", bound: formatBinding(key) });
}

const postTool = defineEndpoint(toolOperations.registerTool, async (c, { body }) => {
  const registered = await registerTool(c.env, body, actorOf(c));
  return registered.ok ? ok(createdReply(c, registered.value)) : registered;
});

const patchTool = defineEndpoint(toolOperations.updateTool, async (c, { body }) => {
  const id = readPathParam(c, "id");
  const ifMatch = readIfMatch(c.req.raw.headers);
  if (!ifMatch.ok) return ifMatch;
  const changes = await changeTool(c.env, id, body, ifMatch.value, actorOf(c));
  if (!changes.ok) return changes;
  const tool = await findToolDetail(getDatabase(c.env.DB), id, null, true);
  if (tool === null) return toolNotFound(c);
  const headers = { ETag: formatEntityTag(tool.version) };
  return ok({ data: { ...managedToolView(tool), changes: changes.value }, headers });
});

const deleteTool = defineEndpoint(toolOperations.retireTool, async (c) => {
  const id = readPathParam(c, "id");
  const retired = await retireTool(c.env, id, actorOf(c));
  return retired.ok ? ok({ data: { id, retired: true } }) : retired;
});

const postImport = defineEndpoint(toolOperations.importTool, async (c, { body }, onProgress) => {
  const imported = await importTool(c.env, body, actorOf(c), onProgress);
  if (!imported.ok) return imported;
  const { isNew, dryRun, definition, changes, notes } = imported.value;
  const data = { dryRun, changes, notes, tool: registeredToolView(definition) };
  return ok(isNew && !dryRun ? { ...createdReply(c, definition), data } : { data });
});

function createdReply(
  c: AppContext,
  registered: ToolWithCapabilities,
): SuccessReply<RegisteredToolResponse> {
  const path = `/agents/tools/${encodeURIComponent(registered.tool.id)}`;
  const headers = { Location: new URL(path, c.req.url).href };
  return { data: registeredToolView(registered), status: 201, headers };
}

/** `access` and `import` are reserved words, not tool ids, so their routes come first. */
const reservedRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .post("/agents/tools/access", ...postAccess)
    .get("/agents/tools/access/:agentId", ...getAccess)
    .delete("/agents/tools/access/:agentId/:toolId", ...deleteAccess)
    .post("/agents/tools/import", ...postImport),
);
const catalogueRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get("/agents/tools", ...getTools)
    .post("/agents/tools", ...postTool)
    .get("/agents/tools/:id", ...getTool)
    .patch("/agents/tools/:id", ...patchTool)
    .delete("/agents/tools/:id", ...deleteTool)
    .get("/agents/tools/:id/capabilities", ...getCapabilities)
    .get("/agents/tools/:id/capabilities/:capability", ...getCapability)
    .post("/agents/tools/:id/invoke", ...postInvocation)
    .get("/agents/tools/:id/results/:resultId", ...getResult)
    .get("/agents/tools/:id/usage", ...getUsage),
);
export const toolRoutes = reservedRoutes
  .route("/", catalogueRoutes)
  .route("/", credentialRoutes)
  .route("/", usageRoutes)
  .route("/", grantRoutes);
