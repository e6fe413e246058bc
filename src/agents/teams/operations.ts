import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "../schemas.ts";
import * as z from "zod";
import * as schema from "../../http/schemas.ts";

const id = schema.text("The team's id.", "night-shift");
const name = schema.text("Its name, for people to read.");

const teamSchema = schema.component("Team", "Agents that tasks can be given to together.", {
  id,
  name,
  agents: schema.textList("Ids of its members, in order."),
});

const teamListSchema = schema.component("TeamList", "One page of the teams.", {
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

const deletedTeamSchema = schema.component("DeletedTeam", null, {
  id,
  deleted: z.literal(true).describe("The team was deleted; its agents remain."),
});

/** GET /agents/teams */
export const listTeams = defineOperation({
  operationId: "listTeams",
  tag: "Teams",
  scope: "agents:manage",
  query: schemas.listTeamsQuery,
  summary: "List teams",
  description: "A page of the teams, by id, with how many members each has.",
  parameters: {
    limit: "Teams on one page.",
    offset: "Teams to skip: those of the pages before.",
  },
  responses: [respond(200, "The page.", teamListSchema)],
});

/** GET /agents/teams/:teamId */
export const getTeam = defineOperation({
  operationId: "getTeam",
  tag: "Teams",
  scope: "agents:manage",
  summary: "Read a team",
  description: "A team with all of its members.",
  responses: [respond(200, "The team.", teamSchema)],
});

/** PUT /agents/teams/:teamId */
export const putTeam = defineOperation({
  operationId: "putTeam",
  tag: "Teams",
  scope: "agents:manage",
  body: schemas.putTeamBody,
  summary: "Make a team, or replace its members",
  description:
    "Afterwards the team has exactly these members. Keys bound to the team see its agents and the tasks given to it, after ten seconds at most. The id of a deleted team is not reused (409 `TEAM_EXISTS`).",
  parameters: {
    teamId:
      "The team's id: 1 to 128 letters, digits and `. _ : @ -`, beginning with a letter or digit.",
  },
  fields: {
    name: "Its name, for people to read. Left out: the present one, or the id of a new team.",
    agents: "Ids of all its members, who must be registered. May be empty.",
  },
  responses: [
    respond(201, "A new team was made.", teamSchema),
    respond(200, "The team has these members now.", teamSchema),
  ],
  errorCodes: ["AGENT_NOT_FOUND", "TEAM_EXISTS"],
});

/** DELETE /agents/teams/:teamId */
export const deleteTeam = defineOperation({
  operationId: "deleteTeam",
  tag: "Teams",
  scope: "agents:manage",
  summary: "Delete a team",
  description:
    "Deletes a team with its memberships, and revokes the keys bound to it. Its agents stay, and so do tasks that were given to it. Its id is not reused.",
  responses: [respond(200, "The team was deleted.", deletedTeamSchema)],
});
