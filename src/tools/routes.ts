import type { Hono } from "hono";
import { database } from "../db/client.ts";
import type { Failure } from "../domain/failure.ts";
import { boundTo, mayActAs, type Key } from "../domain/key.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { CATEGORIES } from "../domain/tool.ts";
import type { AppEnv } from "../http/context.ts";
import { endpoint, resource } from "../http/endpoint.ts";
import { rateHeaders } from "../http/failure.ts";
import { accessOf, grantAccess, revokeAccess, type Grant } from "./access.ts";
import { findTool, listTools } from "./catalogue.ts";
import { invoke, usageOf } from "./invoke.ts";
import { grantBody, invokeBody, listToolsQuery } from "./wire.ts";

/** The tools of the specification. `access` comes first: it is not the id of a tool. */
export function toolRoutes(app: Hono<AppEnv>): void {
  resource(app, "/agents/tools/access", { POST: grant });
  resource(app, "/agents/tools/access/:agentId", { GET: access });
  resource(app, "/agents/tools/access/:agentId/:toolId", { DELETE: revoke });
  resource(app, "/agents/tools", { GET: list });
  resource(app, "/agents/tools/:id", { GET: detail });
  resource(app, "/agents/tools/:id/invoke", { POST: invokeTool });
}

const list = endpoint({ scope: "tools:read", query: listToolsQuery }, async (c, { query }) => {
  const { agentIds } = c.get("key");
  const filter = {
    category: query.category,
    search: query.search,
    agentIds: query.agentId === undefined ? agentIds : within(agentIds, query.agentId),
  };
  const page = await listTools(database(c.env.DB), filter, query, agentIds);
  return ok({ data: { ...page, categories: CATEGORIES } });
});

const detail = endpoint({ scope: "tools:read" }, async (c) => {
  const id = c.req.param("id") ?? "";
  const tool = await findTool(database(c.env.DB), id, c.get("key").agentIds);
  return tool === null
    ? fail<Failure>({ kind: "not_found", what: "tool", id })
    : ok({ data: tool });
});

const invokeTool = endpoint({ scope: "tools:invoke", body: invokeBody }, async (c, { body }) => {
  const caller = callerOf(c.get("key"), body.agentId);
  if (!caller.ok) return caller;
  const call = {
    toolId: c.req.param("id") ?? "",
    capability: body.capability,
    parameters: body.parameters,
    agentId: caller.value,
    visibleAgentIds: c.get("key").agentIds,
    costMax: null,
  };
  const invoked = await invoke(c.env, call);
  if (!invoked.ok) return invoked;
  const data = { result: invoked.value.result, usage: usageOf(call, invoked.value) };
  return ok({ data, headers: rateHeaders(invoked.value.window) });
});

const access = endpoint({ scope: "tools:read" }, async (c) => {
  const agentId = c.req.param("agentId") ?? "";
  const found = mayActAs(c.get("key"), agentId)
    ? await accessOf(database(c.env.DB), agentId)
    : null;
  if (found === null) return fail<Failure>({ kind: "not_found", what: "agent", id: agentId });
  const tools = found.tools.map(({ id, name, proficiency, capabilities }) => ({
    id,
    name,
    proficiency,
    capabilities,
  }));
  const { agentName } = found;
  return ok({ data: { agentId, agentName, tools, totalTools: tools.length } });
});

const grant = endpoint({ scope: "access:manage", body: grantBody }, async (c, { body }) => {
  const { capabilities, ...terms } = body;
  const wanted: Grant = {
    ...terms,
    capabilities: capabilities === undefined ? null : [...new Set(capabilities)],
    grantedAt: Date.now(),
  };
  const granted = await grantAccess(database(c.env.DB), wanted);
  if (!granted.ok) return granted;
  const data = {
    ...wanted,
    capabilities: granted.value.usable,
    grantedAt: new Date(wanted.grantedAt).toISOString(),
  };
  return ok({ data, status: granted.value.replaced ? (200 as const) : (201 as const) });
});

const revoke = endpoint({ scope: "access:manage" }, async (c) => {
  const agentId = c.req.param("agentId") ?? "";
  const toolId = c.req.param("toolId") ?? "";
  const revoked = await revokeAccess(database(c.env.DB), agentId, toolId);
  if (revoked) return ok({ data: { agentId, toolId, revoked: true } });
  return fail<Failure>({ kind: "not_found", what: "access", id: `${agentId}/${toolId}` });
});

/** The agents a list is about: the one asked for, if the key may see it. */
function within(agentIds: readonly string[] | null, agentId: string): readonly string[] {
  return agentIds === null || agentIds.includes(agentId) ? [agentId] : [];
}

/** Who invokes: the agent named, the key's own agent, or, for an unbound key, nobody in particular. */
function callerOf(key: Key, named: string | undefined): Result<string | null, Failure> {
  if (named === undefined && key.teamId !== null) {
    const message = "is required: this key acts for a team, so name the agent that invokes";
    return fail({ kind: "validation", problems: [{ path: "agentId", message }] });
  }
  const agentId = named ?? key.agentId;
  if (agentId === null || mayActAs(key, agentId)) return ok(agentId);
  return fail({ kind: "agent_mismatch", path: "agentId", bound: boundTo(key) });
}
