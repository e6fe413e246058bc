import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "./schemas.ts";

export const teamOperations = {
  /** GET /agents/teams */
  listTeams: defineOperation({
    operationId: "listTeams",
    tag: "Teams",
    scope: "agents:manage",
    query: schemas.listTeamsQuery,
    summary: "List teams",
    description: "A page of the teams, by id, with how many members each has.",
    responses: [respond(200, "The page.", schemas.teamListSchema)],
  }),

  /** GET /agents/teams/:teamId */
  getTeam: defineOperation({
    operationId: "getTeam",
    tag: "Teams",
    scope: "agents:manage",
    summary: "Read a team",
    description: "A team with all of its members.",
    responses: [respond(200, "The team.", schemas.teamSchema)],
  }),

  /** PUT /agents/teams/:teamId */
  putTeam: defineOperation({
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
    responses: [
      respond(201, "A new team was made.", schemas.teamSchema),
      respond(200, "The team has these members now.", schemas.teamSchema),
    ],
    errorCodes: ["AGENT_NOT_FOUND", "TEAM_EXISTS"],
  }),

  /** DELETE /agents/teams/:teamId */
  deleteTeam: defineOperation({
    operationId: "deleteTeam",
    tag: "Teams",
    scope: "agents:manage",
    summary: "Delete a team",
    description:
      "Deletes a team with its memberships, and revokes the keys bound to it. Its agents stay, and so do tasks that were given to it. Its id is not reused.",
    responses: [respond(200, "The team was deleted.", schemas.deletedTeamSchema)],
  }),
};
