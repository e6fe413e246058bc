import * as z from "zod";

export const taskResult = z
  .strictObject({
    summary: z.string().meta({ description: "What came of it, in a few sentences." }),
    insights: z.array(z.string()).meta({ description: "Findings, each a sentence." }),
    recommendations: z.array(z.string()).meta({ description: "What to do about them." }),
  })
  .meta({ id: "TaskResult", description: "The result of the work in words." });

const figure = (description: string) => z.number().min(0).max(100).meta({ description });

export const quality = z
  .strictObject({
    score: figure("Overall, 0 to 100."),
    accuracy: figure("How sure the figures are, 0 to 100."),
    completeness: figure("How much of what was asked for is there, 0 to 100."),
    clarity: figure("How easily it reads, 0 to 100."),
  })
  .meta({
    id: "Quality",
    description:
      "How good the work is by the agent's own account: built-in agents compute it from what they did; workers may report it.",
  });
