import * as z from "zod";

const id = z.string().meta({ description: "The team's id.", examples: ["night-shift"] });
const name = z.string().meta({ description: "Its name, for people to read." });

export const team = z
  .strictObject({
    id,
    name,
    agents: z.array(z.string()).meta({ description: "Ids of its members, in order." }),
  })
  .meta({ id: "Team", description: "Agents that tasks can be given to together." });

/** GET /agents/teams. */
export const teamList = z
  .strictObject({
    teams: z
      .array(
        z
          .strictObject({
            id,
            name,
            totalAgents: z.int().min(0).meta({ description: "How many members it has." }),
          })
          .meta({ id: "ListedTeam", description: "A team as lists show it." }),
      )
      .meta({ description: "The page, by id." }),
    total: z.int().min(0).meta({ description: "How many teams there are." }),
    limit: z.int().min(1).meta({ description: "The page's size, as asked for." }),
    offset: z.int().min(0).meta({ description: "How many were skipped, as asked for." }),
  })
  .meta({ id: "TeamList", description: "One page of the teams." });

/** DELETE /agents/teams/:teamId. */
export const deletedTeam = z
  .strictObject({
    id,
    deleted: z.literal(true).meta({ description: "It is gone; its agents stay." }),
  })
  .meta({ id: "DeletedTeam" });
