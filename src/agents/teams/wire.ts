import * as z from "zod";
import { ID_CHARACTERS_MAX, TEAM_AGENTS_MAX } from "../../domain/limits.ts";
import { pageQuery } from "../../http/query.ts";
import { displayName } from "../../http/body.ts";

/** Query of GET /agents/teams. */
export const listTeamsQuery = z.object(pageQuery);

/** Body of PUT /agents/teams/:teamId: all members; without a name a team keeps its own, at first its id. */
export const putTeamBody = z.strictObject({
  name: displayName.optional(),
  agents: z.array(z.string().min(1).max(ID_CHARACTERS_MAX)).max(TEAM_AGENTS_MAX),
});
export type PutTeamBody = z.output<typeof putTeamBody>;
