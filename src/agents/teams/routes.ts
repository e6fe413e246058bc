import { Hono } from "hono";
import { teamOperations } from "./operations.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { IDENTIFIER_PATTERN, IDENTIFIER_RULE } from "../../kernel/identifier.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { type AppContext, type AppEnv, readPathParam } from "../../http/envelope.ts";
import { defineEndpoint, answerOtherMethods } from "../../http/endpoint.ts";
import { invalidateKey } from "../../keys/authenticate.ts";
import { actorOf } from "../../governance/audit/actor.ts";
import { audited } from "../../governance/audit/audited.ts";
import { changeEntry } from "../../governance/model/audit-entry.ts";
import { invalidateAgents } from "../agent-cache.ts";
import { isDeletedId } from "../agents.store.ts";
import { deleteTeam, findTeam, listTeams, checkTeam, saveTeam, type Team } from "./teams.store.ts";

const list = defineEndpoint(teamOperations.listTeams, async (c, { query }) => {
  const page = await listTeams(getDatabase(c.env.DB), query);
  return ok({ data: { ...page, limit: query.limit, offset: query.offset } });
});

const detail = defineEndpoint(teamOperations.getTeam, async (c) => {
  const team = await findTeam(getDatabase(c.env.DB), readPathParam(c, "teamId"));
  return team === null ? teamNotFound(c) : ok({ data: team });
});

const put = defineEndpoint(teamOperations.putTeam, async (c, { body }) => {
  const id = readPathParam(c, "teamId");
  if (!IDENTIFIER_PATTERN.test(id))
    return fail<Failure>(createFieldFailure("teamId", IDENTIFIER_RULE));
  const db = getDatabase(c.env.DB);
  const { exists, unknownAgent } = await checkTeam(db, id, body.agents);
  if (unknownAgent !== null) {
    return fail<Failure>({ kind: "not_found", what: "agent", id: unknownAgent });
  }
  const deleted = fail<Failure>({ kind: "team_exists", teamId: id });
  if (!exists && (await isDeletedId(c.env, "team", id))) return deleted;
  const saved = await audited(c.env, actorOf(c), async (record) => {
    const before = await findTeam(db, id);
    const name = body.name ?? null;
    const after = { name: name ?? before?.name ?? id, agents: body.agents.toSorted() };
    const batch = record(changeEntry("team", id, before && stateOf(before), after));
    const team = await saveTeam(db, { id, name, agents: body.agents }, batch);
    return { team, isNew: before === null };
  });
  invalidateAgents();
  const { team, isNew } = saved;
  if (team === null) return deleted;
  return ok({ data: team, status: isNew ? (201 as const) : (200 as const) });
});

const remove = defineEndpoint(teamOperations.deleteTeam, async (c) => {
  const id = readPathParam(c, "teamId");
  const db = getDatabase(c.env.DB);
  const revoked = await audited(c.env, actorOf(c), async (record) => {
    const before = await findTeam(db, id);
    if (before === null) return null;
    return deleteTeam(db, id, Date.now(), record(changeEntry("team", id, stateOf(before), null)));
  });
  invalidateAgents();
  if (revoked === null) return teamNotFound(c);
  for (const key of revoked) invalidateKey(key);
  return ok({ data: { id, deleted: true } });
});

/** A team's state in the audit log. */
function stateOf({ name, agents }: Team) {
  return { name, agents };
}

function teamNotFound(c: AppContext): Result<never, Failure> {
  return fail({ kind: "not_found", what: "team", id: readPathParam(c, "teamId") });
}

export const teamRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get("/agents/teams", ...list)
    .get("/agents/teams/:teamId", ...detail)
    .put("/agents/teams/:teamId", ...put)
    .delete("/agents/teams/:teamId", ...remove),
);
