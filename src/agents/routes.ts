import { Hono } from "hono";
import { agentOperations } from "./operations.ts";
import { getDatabase } from "../platform/d1/client.ts";
import type { Failure } from "../kernel/failure.ts";
import { fail, ok } from "../kernel/result.ts";
import { toIsoTime } from "../kernel/text.ts";
import { type AppContext, type AppEnv, readPathParam } from "../http/envelope.ts";
import { defineEndpoint, answerOtherMethods } from "../http/endpoint.ts";
import { actorOf } from "../governance/audit/actor.ts";
import { changeAgent, registerAgent, removeAgent } from "./manage-agents.ts";
import { findAgent, findKeyUses, listAgents } from "./agents.store.ts";
import type { Agent } from "./model/agent.ts";
import type { PauseCause } from "./model/pause.ts";
import { pauseAgent, pauseAllAgents, resumeAgent, resumeAllAgents } from "./pause-agents.ts";
import { presenceOf } from "./model/presence.ts";
import { findLastUse, readQueueCounts } from "./read-agent.ts";
import { teamRoutes } from "./teams/routes.ts";
import { agentView, presenceView, workerView } from "./view.ts";

const list = defineEndpoint(agentOperations.listAgents, async (c, { query }) => {
  const { limit, offset, teamId, executor, enabled, search } = query;
  const filter = { teamId, executor, enabled, search };
  const db = getDatabase(c.env.DB);
  const page = await listAgents(db, filter, { limit, offset });
  const workers = page.agents.filter(isWorkerAgent).map(({ id }) => id);
  const uses = await findKeyUses(db, workers);
  const now = Date.now();
  const agents = page.agents.map((agent) => ({
    ...agentView(agent),
    ...presenceView(
      isWorkerAgent(agent) ? presenceOf([uses.get(agent.id) ?? null], false, now) : null,
    ),
  }));
  return ok({ data: { ...page, agents, limit, offset } });
});

function isWorkerAgent({ executor }: Pick<Agent, "executor">): boolean {
  return executor.type === "worker";
}

const register = defineEndpoint(agentOperations.registerAgent, async (c, { body }) => {
  const registered = await registerAgent(c.env, body, actorOf(c));
  if (!registered.ok) return registered;
  const at = new URL(`/agents/${encodeURIComponent(registered.value.id)}`, c.req.url);
  const headers = { Location: at.href };
  return ok({ data: agentView(registered.value), status: 201 as const, headers });
});

const detail = defineEndpoint(agentOperations.getAgent, async (c) => {
  const agent = await findAgent(getDatabase(c.env.DB), readPathParam(c, "agentId"));
  if (agent === null)
    return fail<Failure>({ kind: "not_found", what: "agent", id: readPathParam(c, "agentId") });
  const [counts, lastUsedAt, keyUses] = await Promise.all([
    readQueueCounts(c.env, agent),
    findLastUse(c.env, agent.id),
    findKeyUses(getDatabase(c.env.DB), isWorkerAgent(agent) ? [agent.id] : []),
  ]);
  const workers = isWorkerAgent(agent) ? counts?.workers : undefined;
  const now = Date.now();
  const seenAt = workers?.map(({ isWaiting, lastSeenAt }) => (isWaiting ? now : lastSeenAt)) ?? [];
  const holdsTask = workers?.some(({ taskIds }) => taskIds.length > 0) ?? false;
  const presence = isWorkerAgent(agent)
    ? presenceOf([keyUses.get(agent.id) ?? null, ...seenAt], holdsTask, now)
    : null;
  const data = {
    ...agentView(agent),
    lastUsedAt: toIsoTime(lastUsedAt) ?? undefined,
    queue: counts === null ? undefined : { waiting: counts.waiting, running: counts.running },
    ...presenceView(presence),
    workers: workers?.map(workerView),
  };
  return ok({ data });
});

const change = defineEndpoint(agentOperations.updateAgent, async (c, { body }) => {
  const changed = await changeAgent(c.env, readPathParam(c, "agentId"), body, actorOf(c));
  return changed.ok ? ok({ data: agentView(changed.value) }) : changed;
});

const remove = defineEndpoint(agentOperations.deleteAgent, async (c) => {
  const removed = await removeAgent(c.env, readPathParam(c, "agentId"), actorOf(c));
  return removed.ok ? ok({ data: { id: readPathParam(c, "agentId"), deleted: true } }) : removed;
});

function pauseFor(c: AppContext, cause: PauseCause, reason: string | undefined) {
  const by = c.get("key").id;
  return { at: Date.now(), by, cause, reason: reason ?? null, evidence: null };
}

const pause = defineEndpoint(agentOperations.pauseAgent, async (c, { body }) => {
  const pauseOfAgent = pauseFor(c, "request", body.reason);
  const paused = await pauseAgent(c.env, readPathParam(c, "agentId"), pauseOfAgent, actorOf(c));
  return paused.ok ? ok({ data: agentView(paused.value) }) : paused;
});

const resume = defineEndpoint(agentOperations.resumeAgent, async (c) => {
  const resumed = await resumeAgent(c.env, readPathParam(c, "agentId"), Date.now(), actorOf(c));
  return resumed.ok ? ok({ data: agentView(resumed.value) }) : resumed;
});

const pauseAll = defineEndpoint(agentOperations.pauseAllAgents, async (c, { body }) => {
  const pauseOfAll = pauseFor(c, "pause-all", body.reason);
  return ok({ data: { paused: await pauseAllAgents(c.env, pauseOfAll, actorOf(c)) } });
});

const resumeAll = defineEndpoint(agentOperations.resumeAllAgents, async (c) => {
  return ok({ data: { resumed: await resumeAllAgents(c.env, Date.now(), actorOf(c)) } });
});

/** Two reserved words, which are not agent ids. */
const allAgentsRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .post("/agents/pause-all", ...pauseAll)
    .post("/agents/resume-all", ...resumeAll),
);

/** The registry's routes. They come last so that other paths below /agents are not mistaken for agent ids. */
const registryRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get("/agents", ...list)
    .post("/agents", ...register)
    .get("/agents/:agentId", ...detail)
    .patch("/agents/:agentId", ...change)
    .delete("/agents/:agentId", ...remove)
    .post("/agents/:agentId/pause", ...pause)
    .post("/agents/:agentId/resume", ...resume),
);
export const agentRoutes = new Hono<AppEnv>()
  .route("/", teamRoutes)
  .route("/", allAgentsRoutes)
  .route("/", registryRoutes);
