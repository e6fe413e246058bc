import type { Operations } from "../operation.ts";
import { CHANGED_TEAM, TEAM, TEAM_LIST } from "../examples/team.ts";
import { deletedTeam, team, teamList } from "../schemas/team.ts";

const parameters = { teamId: { description: "The team's id.", example: "night-shift" } };

/** Agents that tasks can be given to together. */
export const teamOperations: Operations = {
  "GET /agents/teams": {
    operationId: "listTeams",
    tag: "Teams",
    summary: "List teams",
    description: "A page of the teams, by id, with how many members each has.",
    parameters: {
      limit: { description: "Teams on one page.", example: 20 },
      offset: { description: "Teams to skip: those of the pages before.", example: 0 },
    },
    answers: [{ status: 200, description: "The page.", data: teamList, example: TEAM_LIST }],
    codes: [],
  },
  "GET /agents/teams/:teamId": {
    operationId: "getTeam",
    tag: "Teams",
    summary: "Look at one team",
    description: "A team with all of its members.",
    parameters,
    answers: [{ status: 200, description: "The team.", data: team, example: TEAM }],
    codes: ["TEAM_NOT_FOUND"],
  },
  "PUT /agents/teams/:teamId": {
    operationId: "putTeam",
    tag: "Teams",
    summary: "Make a team, or replace its members",
    description:
      "Afterwards the team has exactly these members. Keys bound to the team see its agents and the tasks given to it, from the next look-up on (ten seconds at most). The id of a deleted team is not reused (409 `TEAM_EXISTS`).",
    parameters: {
      teamId: {
        description:
          "The team's id: 1 to 128 letters, digits and `. _ : @ -`, beginning with a letter or digit.",
        example: "night-shift",
      },
    },
    fields: {
      name: "Its name, for people to read. Left out: the present one, or the id of a new team.",
      agents: "Ids of all its members, who must be registered. May be empty.",
    },
    bodyExample: { name: "Night shift", agents: ["word-counter", "reader"] },
    answers: [
      { status: 201, description: "A new team was made.", data: team, example: TEAM },
      {
        status: 200,
        description: "The team has these members now.",
        data: team,
        example: CHANGED_TEAM,
      },
    ],
    codes: ["AGENT_NOT_FOUND", "TEAM_EXISTS"],
  },
  "DELETE /agents/teams/:teamId": {
    operationId: "deleteTeam",
    tag: "Teams",
    summary: "Delete a team",
    description:
      "Deletes a team with its memberships, and revokes the keys bound to it. Its agents stay, and so do tasks that were given to it. Its id is not reused.",
    parameters,
    answers: [
      {
        status: 200,
        description: "It is gone.",
        data: deletedTeam,
        example: { id: "night-shift", deleted: true },
      },
    ],
    codes: ["TEAM_NOT_FOUND"],
  },
};
