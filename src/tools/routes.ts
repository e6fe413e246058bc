import type { Hono } from "hono";
import { forgetAgents } from "../agents/recent.ts";
import { database } from "../db/client.ts";
import { entityTag } from "../domain/entity-tag.ts";
import type { Failure } from "../domain/failure.ts";
import { boundTo, mayActAs, maySpend, type Key } from "../domain/key.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { CATEGORIES } from "../domain/tool.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { followsLink, LINK_PARAMETERS } from "../http/download.ts";
import { endpoint, resource } from "../http/endpoint.ts";
import { param } from "../http/named.ts";
import { failed } from "../http/envelope.ts";
import { rateHeaders } from "../http/tool-failure.ts";
import { invokeForTask, invokeWithoutTask } from "../tasks/tool-calls.ts";
import { accessOf, grantAccess, revokeAccess, type Grant } from "./access.ts";
import { findCapability, listCapabilities } from "./capabilities.ts";
import { findTool, listTools } from "./catalogue.ts";
import { credentialRoutes } from "./credentials/routes.ts";
import { usageOf } from "./invoke.ts";
import { change, importRoutes, register, retire } from "./manage/routes.ts";
import { answerable, readResult } from "./results.ts";
import { usageReport } from "./usage.ts";
import { capabilityView, toolView } from "./view.ts";
import { capabilitiesQuery, grantBody, invokeBody, listToolsQuery, usageQuery } from "./wire.ts";

/** The catalogue. `access` and `import` come first: they are not ids of tools. */
export function toolRoutes(app: Hono<AppEnv>): void {
  resource(app, "/agents/tools/access", { POST: grant });
  resource(app, "/agents/tools/access/:agentId", { GET: access });
  resource(app, "/agents/tools/access/:agentId/:toolId", { DELETE: revoke });
  importRoutes(app);
  resource(app, "/agents/tools", { GET: list, POST: register });
  resource(app, "/agents/tools/:id", { GET: detail, PATCH: change, DELETE: retire });
  resource(app, "/agents/tools/:id/capabilities", { GET: capabilities });
  resource(app, "/agents/tools/:id/capabilities/:capability", { GET: capability });
  resource(app, "/agents/tools/:id/invoke", { POST: invokeTool });
  resource(app, "/agents/tools/:id/results/:resultId", { GET: result });
  resource(app, "/agents/tools/:id/usage", { GET: usage });
  credentialRoutes(app);
}

/** Whether a request follows the link of an oversized result, which stands for a key. */
export function isSignedResult(c: AppContext): boolean {
  return followsLink(c, /^\/agents\/tools\/[^/]+\/results\/[^/]+$/);
}

const list = endpoint({ scope: "tools:read", query: listToolsQuery }, async (c, { query }) => {
  const { agentIds } = c.get("key");
  const filter = {
    category: query.category,
    search: query.search,
    agentIds: query.agentId === undefined ? agentIds : within(agentIds, query.agentId),
  };
  const page = await listTools(database(c.env.DB), filter, query, agentIds, manages(c));
  return ok({ data: { ...page, categories: CATEGORIES } });
});

const detail = endpoint({ scope: "tools:read" }, async (c) => {
  const isManager = manages(c);
  const { agentIds } = c.get("key");
  const tool = await findTool(database(c.env.DB), param(c, "id"), agentIds, isManager);
  if (tool === null) return noTool(c);
  const data = toolView(tool, isManager);
  // A built-in tool follows the release, with no version of its own, and nobody may change it.
  return tool.connector.type === "builtin"
    ? ok({ data })
    : ok({ data, headers: { ETag: entityTag(tool.version) } });
});

const capabilities = endpoint(
  { scope: "tools:read", query: capabilitiesQuery },
  async (c, { query }) => {
    const page = { ...query, search: query.search };
    const found = await listCapabilities(
      database(c.env.DB),
      param(c, "id"),
      page,
      c.get("key").agentIds,
    );
    if (found === null) return noTool(c);
    const views = found.capabilities.map((one) => capabilityView(one, manages(c)));
    const { total, nextOffset } = found;
    return ok({ data: { toolId: param(c, "id"), capabilities: views, total, nextOffset } });
  },
);

const capability = endpoint({ scope: "tools:read" }, async (c) => {
  const id = param(c, "capability");
  const db = database(c.env.DB);
  const found = await findCapability(db, param(c, "id"), id, c.get("key").agentIds);
  if (!found.tool) return noTool(c);
  return found.capability === null
    ? fail<Failure>({ kind: "not_found", what: "capability", id })
    : ok({ data: capabilityView(found.capability, manages(c)) });
});

const invokeTool = endpoint({ scope: "tools:invoke", body: invokeBody }, async (c, { body }) => {
  const key = c.get("key");
  const { taskId } = body;
  if (taskId !== undefined && !maySpend(key)) {
    return fail<Failure>({ kind: "insufficient_scope", scopes: ["tasks:write"] });
  }
  const caller = callerOf(key, body.agentId, taskId !== undefined);
  if (!caller.ok) return caller;
  const call = {
    toolId: param(c, "id"),
    capability: body.capability,
    parameters: body.parameters,
    agentId: caller.value,
    visibleAgentIds: key.agentIds,
  };
  const work =
    taskId === undefined
      ? invokeWithoutTask(c.env, key, call)
      : invokeForTask(c.env, key, taskId, call);
  // A client that hangs up must not keep a call that was made from being counted and paid.
  c.executionCtx.waitUntil(work.catch(() => null));
  const invoked = await work;
  if (!invoked.ok) return invoked;
  const { origin } = new URL(c.req.url);
  const answer = await answerable(c.env, origin, call.toolId, invoked.value.result);
  const data = { result: answer, usage: usageOf(call, invoked.value) };
  return ok({ data, headers: rateHeaders(invoked.value.window) });
});

const result = endpoint({ ownQuery: LINK_PARAMETERS }, async (c) => {
  const query = new URL(c.req.url).searchParams;
  const file = await readResult(c.env, param(c, "id"), param(c, "resultId"), query);
  return file.ok ? file.value : failed(c, file.failure);
});

const usage = endpoint({ scope: "tools:read", query: usageQuery }, async (c, { query }) => {
  const report = await usageReport(c.env, param(c, "id"), query.days, c.get("key"));
  return report.ok ? ok({ data: report.value }) : report;
});

const access = endpoint({ scope: "tools:read" }, async (c) => {
  const agentId = param(c, "agentId");
  const found = mayActAs(c.get("key"), agentId)
    ? await accessOf(database(c.env.DB), agentId)
    : null;
  if (found === null) return fail<Failure>({ kind: "not_found", what: "agent", id: agentId });
  const tools = found.tools.map(({ id, name, proficiency, capabilities: usable }) => ({
    id,
    name,
    proficiency,
    capabilities: usable,
  }));
  const { agentName } = found;
  return ok({ data: { agentId, agentName, tools, totalTools: tools.length } });
});

const grant = endpoint({ scope: "access:manage", body: grantBody }, async (c, { body }) => {
  const { capabilities: allowed, ...terms } = body;
  const wanted: Grant = {
    ...terms,
    capabilities: allowed === undefined ? null : [...new Set(allowed)],
    grantedAt: Date.now(),
  };
  const granted = await grantAccess(c.env, wanted, c.get("key").id);
  forgetAgents();
  if (!granted.ok) return granted;
  const data = {
    ...wanted,
    capabilities: granted.value.usable,
    grantedAt: new Date(wanted.grantedAt).toISOString(),
  };
  return ok({ data, status: granted.value.replaced ? (200 as const) : (201 as const) });
});

const revoke = endpoint({ scope: "access:manage" }, async (c) => {
  const agentId = param(c, "agentId");
  const toolId = param(c, "toolId");
  const revoked = await revokeAccess(database(c.env.DB), agentId, toolId);
  forgetAgents();
  if (revoked) return ok({ data: { agentId, toolId, revoked: true } });
  return fail<Failure>({ kind: "not_found", what: "access", id: `${agentId}/${toolId}` });
});

function manages(c: AppContext): boolean {
  return c.get("key").scopes.includes("tools:manage");
}

function noTool(c: AppContext): Result<never, Failure> {
  return fail({ kind: "not_found", what: "tool", id: param(c, "id") });
}

/** The agents a list is about: the one asked for, if the key may see it. */
function within(agentIds: readonly string[] | null, agentId: string): readonly string[] {
  return agentIds === null || agentIds.includes(agentId) ? [agentId] : [];
}

/**
 * Who invokes: the agent named, the key's own agent, or, for an unbound key, nobody in particular.
 * Under a task null stands for the task's own agent.
 */
function callerOf(
  key: Key,
  named: string | undefined,
  underTask: boolean,
): Result<string | null, Failure> {
  if (named === undefined && key.teamId !== null && !underTask) {
    const message = "is required: this key acts for a team, so name the agent that invokes";
    return fail({ kind: "validation", problems: [{ path: "agentId", message }] });
  }
  const agentId = named ?? key.agentId;
  if (agentId === null || mayActAs(key, agentId)) return ok(agentId);
  return fail({ kind: "agent_mismatch", path: "agentId", bound: boundTo(key) });
}
