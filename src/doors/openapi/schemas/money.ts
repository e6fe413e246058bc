import * as z from "zod";

const usd = (description: string) => z.number().min(0).meta({ description });

export const budget = z
  .looseObject({
    maxCost: usd("The most that tools and models may cost together, in US dollars.").optional(),
    maxToolCalls: z
      .int()
      .min(0)
      .optional()
      .meta({ description: "The most calls of tools, over all attempts." }),
    maxDurationSeconds: z.number().optional().meta({
      description:
        "Seconds that the agent may work in one attempt; then the attempt fails. Time in `blocked`, in `review` and in the queue does not count.",
    }),
  })
  .meta({
    id: "Budget",
    description:
      "Limits on what a task may spend. Other fields are stored but not enforced; `metadata.warnings` names them when the task is created.",
  });

export const spend = z
  .strictObject({
    cost: usd("What calls of tools and turns of models have cost, in US dollars."),
    toolCalls: z.int().min(0).meta({ description: "Calls of tools so far." }),
    tokens: z
      .strictObject({
        input: z.int().min(0).meta({ description: "Tokens that models have read." }),
        output: z.int().min(0).meta({ description: "Tokens that models have written." }),
      })
      .optional()
      .meta({ description: "Only where a language model was at work." }),
  })
  .meta({ id: "Spend", description: "What all attempts of a task have used so far." });

/** A call as events record it. */
export const toolCall = z
  .strictObject({
    toolId: z.string().meta({ description: "The tool." }),
    capability: z.string().meta({ description: "Which of its capabilities." }),
    cost: usd("What the call cost, in US dollars."),
    durationMs: z.number().min(0).meta({ description: "How long it took, in milliseconds." }),
    ok: z.boolean().meta({ description: "Whether the tool gave a result." }),
    problem: z.string().optional().meta({ description: "Why it gave none." }),
  })
  .meta({ id: "ToolCall", description: "One call of a tool for the task." });

export const modelUse = z
  .strictObject({
    inputTokens: z.int().min(0).meta({ description: "Tokens that the model has read." }),
    outputTokens: z.int().min(0).meta({ description: "Tokens that the model has written." }),
    cost: usd("What they cost at the agent's prices, in US dollars."),
  })
  .meta({ id: "ModelUse", description: "What a turn of a language model has used." });
