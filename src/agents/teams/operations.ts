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
    description:
      "Returns one page of teams, ordered by id, with the number of members in each team.",
    responses: [respond(200, "A page of teams.", schemas.teamListSchema)],
  }),

  /** GET /agents/teams/:teamId */
  getTeam: defineOperation({
    operationId: "getTeam",
    tag: "Teams",
    scope: "agents:manage",
    summary: "Read a team",
    description: "Returns a team with all its members.",
    responses: [respond(200, "The team.", schemas.teamSchema)],
  }),

  /** PUT /agents/teams/:teamId */
  putTeam: defineOperation({
    operationId: "putTeam",
    tag: "Teams",
    scope: "agents:manage",
    body: schemas.putTeamBody,
    summary: "Create a team or replace its members",
    description:
      "Sets the team's members to exactly those in `agents`. Changes take effect within ten seconds for keys bound to the team. The id of a deleted team cannot be reused (409 `TEAM_EXISTS`).",
    parameters: {
      teamId:
        "The team's id: 1 to 128 letters, digits and `. _ : @ -`, starting with a letter or digit.",
    },
    responses: [
      respond(201, "The team was created.", schemas.teamSchema),
      respond(200, "The team was updated.", schemas.teamSchema),
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
      "Deletes a team with its memberships, and revokes the keys bound to it. Its agents and tasks remain. Its id cannot be reused.",
    responses: [respond(200, "The team was deleted.", schemas.deletedTeamSchema)],
  }),
};
