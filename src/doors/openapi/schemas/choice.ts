import * as z from "zod";
import { executorType } from "./task-words.ts";

const candidate = z
  .strictObject({
    agentId: z.string().meta({ description: "The agent's id." }),
    score: z.number().meta({
      description:
        "Its points: skills, granted tools and rating count for it, live tasks and a full house against it. The highest gets the task.",
    }),
  })
  .meta({ id: "Candidate", description: "An agent that was considered, with its score." });

const fields = {
  agentId: z.string().meta({ description: "The agent that was chosen." }),
  agentName: z.string().meta({ description: "Its name at that time." }),
  reasons: z.array(z.string()).meta({
    description: "Why this one, for people to read; `asked for by name` where it was no choice.",
  }),
  candidates: z.array(candidate).optional().meta({
    description:
      "The ten best of all that were considered, the chosen one first; empty where the agent was asked for by name. Absent for a key bound to an agent or a team.",
  }),
};

/** Why an agent has a task. */
export const choice = z
  .strictObject(fields)
  .meta({ id: "AgentChoice", description: "The agent picked for a task, and why." });

const terms = z
  .strictObject({
    executor: executorType,
    maxConcurrentTasks: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: "Tasks that the agent works on at once; null: any number." }),
    requireReview: z.boolean().meta({
      description: "Whether people approve what the agent did before a task is completed.",
    }),
  })
  .meta({
    id: "AgentTerms",
    description:
      "What held between task and agent when it was assigned; later changes do not touch it.",
  });

/** The data of `assigned`. */
export const assignment = z.strictObject({
  ...fields,
  terms: terms.optional().meta({
    description: "Absent in logs from before there were other agents than built-in ones.",
  }),
});
