import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { queryInteger } from "../../http/validation.ts";
import { USAGE_DAYS_DEFAULT, USAGE_DAYS_MAX } from "../limits.ts";

export const usageQuery = z.object({
  days: queryInteger(1, USAGE_DAYS_MAX)
    .default(USAGE_DAYS_DEFAULT)
    .describe("Number of days to include, up to and including today."),
});

export const daySchema = (description: string) =>
  z.iso.date().meta({ description, examples: ["2026-11-21"] });
const cost = z.number().min(0).describe("Cost in US dollars.");
export const durationSchema = z
  .string()
  .meta({ description: "Duration as display text.", examples: ["850ms", "3m 20s"] });
export const agentIdSchema = schema.text(
  "The id of the calling agent; absent for calls without an agent, and `*` for agents beyond the first thousand on a day.",
);
export const countedSchemas = {
  calls: schema.count("Number of admitted calls."),
  failed: schema.count("Number of failed calls, which cost nothing."),
  cost,
};

const dayUsageSchema = schema.component("DayUsage", "One agent's usage of a tool on one day.", {
  day: daySchema("The day, in UTC."),
  agentId: agentIdSchema.optional(),
  ...countedSchemas,
  duration: durationSchema.describe("Total duration as display text."),
});

const callSchema = schema.component("RecordedCall", "One call that the tool's meter recorded.", {
  at: schema.instant("When the call began."),
  capability: schema.text("The id of the called capability."),
  agentId: agentIdSchema
    .describe("The id of the calling agent; absent for a call without an agent.")
    .optional(),
  taskId: schema.optional.text("The id of the task that the call was for."),
  ok: schema.flag("Whether the call returned a result."),
  code: schema.optional.text(
    "The response's `error.code`; absent for a successful call.",
    "TOOL_UPSTREAM_ERROR",
  ),
  cost,
  duration: durationSchema,
});

const breakerSchema = z
  .discriminatedUnion("state", [
    z.strictObject({ state: z.literal("closed").describe("Calls are allowed.") }),
    z.strictObject({
      state: z
        .literal("half-open")
        .describe("The next call is a probe that shows whether the system has recovered."),
    }),
    z.strictObject({
      state: z
        .literal("open")
        .describe(
          "Calls get 503, because five calls in a row, by different agents or without an agent, failed.",
        ),
      until: schema.instant("When the next call is allowed."),
    }),
  ])
  .meta({
    id: "Breaker",
    description:
      "Whether calls reach the system behind the tool, or are rejected while it recovers.",
  });

const agentBreakerSchema = schema.component(
  "AgentBreaker",
  "An agent whose last calls to the tool, at least five in a row, failed.",
  {
    agentId: schema.text("The agent whose calls failed."),
    state: z
      .enum(["open", "half-open"])
      .describe(
        "As for the tool's breaker, but for this agent's calls. Agents that are not listed are limited only by the tool's breaker.",
      ),
    until: schema.optional.instant(
      "When the agent's next call is allowed; absent if it is allowed now.",
    ),
  },
);

export const toolUsageSchema = schema.component("ToolUsage", "The usage of a tool.", {
  toolId: schema.text("The tool's id."),
  from: daySchema("The first day included (UTC)."),
  to: daySchema("The last day included, which is today (UTC)."),
  lastUsedAt: schema.optional.instant(
    "When the first call in `recentCalls` began; absent if that list is empty.",
  ),
  total: schema.component("UsageTotal", "The sum over all days and agents in the report.", {
    ...countedSchemas,
    duration: durationSchema,
  }),
  days: schema.list(
    dayUsageSchema,
    "Usage by day and agent, oldest day first. Days without calls are omitted.",
  ),
  recentCalls: z
    .array(callSchema)
    .max(100)
    .describe(
      "Those of the tool's last hundred calls that the key may see, on any day, newest first.",
    ),
  breaker: breakerSchema,
  agentBreakers: schema
    .list(
      agentBreakerSchema,
      "Agents whose own calls to the tool failed repeatedly; absent if there are none.",
    )
    .optional(),
});
export type ToolUsageResponse = schema.ResponseOf<typeof toolUsageSchema>;
