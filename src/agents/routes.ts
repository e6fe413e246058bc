import type { Hono } from "hono";
import { database } from "../db/client.ts";
import type { Failure } from "../domain/failure.ts";
import { fail, ok } from "../domain/result.ts";
import type { AppEnv } from "../http/context.ts";
import { endpoint, resource } from "../http/endpoint.ts";
import { param } from "../http/named.ts";
import { lastUseOf } from "./last-use.ts";
import { lookAtQueue } from "./queue/look.ts";
import { changeAgent, registerAgent, removeAgent } from "./register.ts";
import { findAgent, listAgents } from "./store.ts";
import { teamRoutes } from "./teams/routes.ts";
import { agentView, queueView, usedView } from "./view.ts";
import { changeBody, listAgentsQuery, registerBody } from "./wire.ts";

/** The registry. It comes after every other room below /agents, whose names are no ids of agents. */
export function agentRoutes(app: Hono<AppEnv>): void {
  teamRoutes(app);
  resource(app, "/agents", { GET: list, POST: register });
  resource(app, "/agents/:agentId", { GET: detail, PATCH: change, DELETE: remove });
}

const list = endpoint({ scope: "agents:manage", query: listAgentsQuery }, async (c, { query }) => {
  const { limit, offset, teamId, executor, enabled, search } = query;
  const filter = { teamId, executor, enabled, search };
  const page = await listAgents(database(c.env.DB), filter, { limit, offset });
  return ok({ data: { ...page, agents: page.agents.map(agentView), limit, offset } });
});

const register = endpoint({ scope: "agents:manage", body: registerBody }, async (c, { body }) => {
  const registered = await registerAgent(c.env, body, c.get("key").id);
  if (!registered.ok) return registered;
  const at = new URL(`/agents/${encodeURIComponent(registered.value.id)}`, c.req.url);
  const headers = { Location: at.href };
  return ok({ data: agentView(registered.value), status: 201 as const, headers });
});

const detail = endpoint({ scope: "agents:manage" }, async (c) => {
  const agent = await findAgent(database(c.env.DB), param(c, "agentId"));
  if (agent === null)
    return fail<Failure>({ kind: "not_found", what: "agent", id: param(c, "agentId") });
  const [standing, lastUsedAt] = await Promise.all([
    lookAtQueue(c.env, agent),
    lastUseOf(c.env, agent.id),
  ]);
  const queue = standing === null ? {} : queueView(standing);
  return ok({ data: { ...agentView(agent), ...usedView(lastUsedAt), ...queue } });
});

const change = endpoint({ scope: "agents:manage", body: changeBody }, async (c, { body }) => {
  const changed = await changeAgent(c.env, param(c, "agentId"), body, c.get("key").id);
  return changed.ok ? ok({ data: agentView(changed.value) }) : changed;
});

const remove = endpoint({ scope: "agents:manage" }, async (c) => {
  const removed = await removeAgent(c.env, param(c, "agentId"));
  return removed.ok ? ok({ data: { id: param(c, "agentId"), deleted: true } }) : removed;
});
