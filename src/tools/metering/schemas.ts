import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { queryInteger } from "../../http/validation.ts";
import { USAGE_DAYS_DEFAULT, USAGE_DAYS_MAX } from "../limits.ts";

export const usageQuery = z.object({
  days: queryInteger(1, USAGE_DAYS_MAX)
    .default(USAGE_DAYS_DEFAULT)
    .describe("How many days to include, today being the last."),
});

const day = (description: string) => z.iso.date().meta({ description, examples: ["2026-11-21"] });
const cost = z.number().min(0).describe("In US dollars.");
const duration = z
  .string()
  .meta({ description: "For people to read.", examples: ["850ms", "3m 20s"] });
const agentId = schema.text(
  "The agent that called; absent for calls without an agent, `*` for the agents of a day beyond its first thousand.",
);
const counted = {
  calls: schema.count("Admitted calls."),
  failed: schema.count("Those of them that failed, and so cost nothing."),
  cost,
};

const dayUsageSchema = schema.component("DayUsage", "One agent's use of a tool on one day.", {
  day: day("The day, in UTC."),
  agentId: agentId.optional(),
  ...counted,
  duration: duration.describe("All of them together, for people to read."),
});

const callSchema = schema.component("RecordedCall", "One call, as the tool's meter recorded it.", {
  at: schema.instant("When the call began."),
  capability: schema.text("The capability that was used."),
  agentId: agentId
    .describe("The agent that called; absent for a call without an agent.")
    .optional(),
  taskId: schema.optional.text("The task under which it was made."),
  ok: schema.flag("Whether it gave a result."),
  code: schema.optional.text(
    "`error.code` of the answer; absent for a successful call.",
    "TOOL_UPSTREAM_ERROR",
  ),
  cost,
  duration,
});

const breakerSchema = z
  .discriminatedUnion("state", [
    z.strictObject({ state: z.literal("closed").describe("Calls go through.") }),
    z.strictObject({
      state: z
        .literal("half-open")
        .describe("The next call goes through, and shows whether the system has recovered."),
    }),
    z.strictObject({
      state: z
        .literal("open")
        .describe(
          "Calls get 503: five calls in a row failed, by different agents or without an agent.",
        ),
      until: schema.instant("When the next call may try it."),
    }),
  ])
  .meta({
    id: "Breaker",
    description:
      "Whether calls reach the system behind the tool, or are rejected while it recovers.",
  });

const agentBreakerSchema = schema.component(
  "AgentBreaker",
  "An agent whose calls to the tool failed five times in a row and which must wait.",
  {
    agentId: schema.text("The agent whose calls failed."),
    state: z
      .enum(["open", "half-open"])
      .describe("As for the tool; agents that are not listed can call."),
    until: schema.optional.instant("When its next call may try the tool; absent if it may now."),
  },
);

export const toolUsageSchema = schema.component("ToolUsage", "The use of a tool.", {
  toolId: schema.text("The tool's id."),
  from: day("The first day that is counted (UTC)."),
  to: day("The last day, today (UTC)."),
  lastUsedAt: schema.optional.instant(
    "When the newest call that the key may see was made; absent if there is none.",
  ),
  total: schema.component("UsageTotal", "All these days and agents together.", {
    ...counted,
    duration,
  }),
  days: schema.list(
    dayUsageSchema,
    "By day and agent, the oldest day first; days without calls are left out.",
  ),
  recentCalls: z
    .array(callSchema)
    .max(100)
    .describe("The last hundred calls of any day, newest first."),
  breaker: breakerSchema,
  agentBreakers: schema
    .list(
      agentBreakerSchema,
      "Agents that must wait although others can call; absent if there are none.",
    )
    .optional(),
});
export type ToolUsageResponse = schema.ResponseOf<typeof toolUsageSchema>;
