import * as z from "zod";
import { displayName, idText, pageQueryOf } from "../../http/validation.ts";
import * as schema from "../../http/schemas.ts";
import { TEAM_AGENTS_MAX } from "../limits.ts";

/** Query of GET /agents/teams. */
export const listTeamsQuery = z.object(pageQueryOf("Teams"));

/** Body of PUT /agents/teams/:teamId: all members. */
export const putTeamBody = z.strictObject({
  name: displayName
    .optional()
    .describe("Its name, for people to read. Left out: the present one, or the id of a new team."),
  agents: z
    .array(idText)
    .max(TEAM_AGENTS_MAX)
    .describe("Ids of all its members, who must be registered. May be empty."),
});

const id = schema.text("The team's id.", "night-shift");
const name = schema.text("Its name, for people to read.");

export const teamSchema = schema.component("Team", "Agents that tasks can be given to together.", {
  id,
  name,
  agents: schema.textList("Ids of its members, in order."),
});

export const teamListSchema = schema.component("TeamList", "One page of the teams.", {
  teams: schema.list(
    schema.component("ListedTeam", "A team as lists show it.", {
      id,
      name,
      totalAgents: schema.count("How many members it has."),
    }),
    "The page, by id.",
  ),
  total: schema.count("How many teams there are."),
  limit: z.int().min(1).describe("The requested page size."),
  offset: schema.count("The requested number of skipped items."),
});

export const deletedTeamSchema = schema.component("DeletedTeam", null, {
  id,
  deleted: z.literal(true).describe("The team was deleted; its agents remain."),
});
