import type { Hono } from "hono";
import { database } from "../../db/client.ts";
import { invalid, type Failure } from "../../domain/failure.ts";
import { IDENTIFIER, IDENTIFIER_RULE } from "../../domain/identifier.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { AppContext, AppEnv } from "../../http/context.ts";
import { endpoint, resource } from "../../http/endpoint.ts";
import { param } from "../../http/named.ts";
import { forgetKey } from "../../keys/authenticate.ts";
import { forgetAgents } from "../recent.ts";
import { wasTeam } from "../reuse.ts";
import { deleteTeam, findTeam, listTeams, lookUpTeam, putTeam } from "./store.ts";
import { listTeamsQuery, putTeamBody } from "./wire.ts";

export function teamRoutes(app: Hono<AppEnv>): void {
  resource(app, "/agents/teams", { GET: list });
  resource(app, "/agents/teams/:teamId", { GET: detail, PUT: put, DELETE: remove });
}

const list = endpoint({ scope: "agents:manage", query: listTeamsQuery }, async (c, { query }) => {
  const page = await listTeams(database(c.env.DB), query);
  return ok({ data: { ...page, limit: query.limit, offset: query.offset } });
});

const detail = endpoint({ scope: "agents:manage" }, async (c) => {
  const team = await findTeam(database(c.env.DB), param(c, "teamId"));
  return team === null ? noTeam(c) : ok({ data: team });
});

const put = endpoint({ scope: "agents:manage", body: putTeamBody }, async (c, { body }) => {
  const id = param(c, "teamId");
  if (!IDENTIFIER.test(id)) return fail<Failure>(invalid("teamId", IDENTIFIER_RULE));
  const db = database(c.env.DB);
  const { exists, unknownAgent } = await lookUpTeam(db, id, body.agents);
  if (unknownAgent !== null) {
    return fail<Failure>({ kind: "not_found", what: "agent", id: unknownAgent });
  }
  const deleted = fail<Failure>({ kind: "team_exists", teamId: id });
  if (!exists && (await wasTeam(c.env, id))) return deleted;
  const team = await putTeam(db, { id, name: body.name ?? null, agents: body.agents });
  forgetAgents();
  if (team === null) return deleted;
  return ok({ data: team, status: exists ? (200 as const) : (201 as const) });
});

const remove = endpoint({ scope: "agents:manage" }, async (c) => {
  const revoked = await deleteTeam(database(c.env.DB), param(c, "teamId"), Date.now());
  forgetAgents();
  if (revoked === null) return noTeam(c);
  for (const key of revoked) forgetKey(key);
  return ok({ data: { id: param(c, "teamId"), deleted: true } });
});

function noTeam(c: AppContext): Result<never, Failure> {
  return fail({ kind: "not_found", what: "team", id: param(c, "teamId") });
}
