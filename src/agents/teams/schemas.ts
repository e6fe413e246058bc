import * as z from "zod";
import { displayName, idText, pageQueryOf } from "../../http/validation.ts";
import * as schema from "../../http/schemas.ts";
import { TEAM_AGENTS_MAX } from "../limits.ts";

/** Query parameters of GET /agents/teams. */
export const listTeamsQuery = z.object(pageQueryOf("Teams"));

/** Request body of PUT /agents/teams/:teamId, with all members of the team. */
export const putTeamBody = z.strictObject({
  name: displayName
    .optional()
    .describe("Display name. Default: the current name, or the id for a new team."),
  agents: z
    .array(idText)
    .max(TEAM_AGENTS_MAX)
    .describe("Ids of all members, which must be registered agents; can be empty."),
});

const id = schema.text("The team's id.", "night-shift");
const name = schema.text("Display name.");

export const teamSchema = schema.component(
  "Team",
  "A group of agents that tasks can be assigned to.",
  {
    id,
    name,
    agents: schema.textList("Ids of the team's members, in ascending order."),
  },
);

export const teamListSchema = schema.component("TeamList", "One page of teams.", {
  teams: schema.list(
    schema.component("ListedTeam", "A team in a list.", {
      id,
      name,
      totalAgents: schema.count("Number of members."),
    }),
    "The teams on the page, ordered by id.",
  ),
  total: schema.count("Number of teams."),
  limit: z.int().min(1).describe("The requested page size."),
  offset: schema.count("The requested offset."),
});

export const deletedTeamSchema = schema.component("DeletedTeam", null, {
  id,
  deleted: z.literal(true).describe("The team was deleted; its agents remain."),
});
