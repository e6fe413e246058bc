import * as z from "zod";
import * as schema from "../http/schemas.ts";
import { DESCRIPTION_CHARACTERS_MAX } from "../kernel/limits.ts";
import { CALLS_LIMIT_MAX, COST_LIMIT_MAX, FAILED_ATTEMPTS_LIMIT_MAX } from "./limits.ts";
import { NO_PROGRESS_DEFAULTS, NO_PROGRESS_MEASURES, PAUSE_CAUSES } from "./model/pause.ts";

/** Request body of POST /agents/:agentId/pause and POST /agents/pause-all. */
export const pauseBody = z.strictObject({
  // The length is checked before leading and trailing spaces are removed.
  reason: z
    .string()
    .max(DESCRIPTION_CHARACTERS_MAX)
    .trim()
    .min(1)
    .meta({ pattern: "\\S" })
    .optional()
    .describe("Why the agent is paused, for people."),
});

const noProgressLimits = {
  failedAttempts: z
    .int()
    .min(1)
    .max(FAILED_ATTEMPTS_LIMIT_MAX)
    .nullable()
    .describe("Failed attempts in a row, in all tasks of the agent."),
  calls: z
    .int()
    .min(1)
    .max(CALLS_LIMIT_MAX)
    .nullable()
    .describe("Tool calls within one task without new progress, a new file or an end."),
  cost: z
    .number()
    .min(0.01)
    .max(COST_LIMIT_MAX)
    .nullable()
    .describe("US dollars spent within one task without new progress, a new file or an end."),
};
/** The limits in a request body. */
export const noProgressBody = z
  .strictObject({
    failedAttempts: noProgressLimits.failedAttempts.default(NO_PROGRESS_DEFAULTS.failedAttempts),
    calls: noProgressLimits.calls.default(NO_PROGRESS_DEFAULTS.calls),
    cost: noProgressLimits.cost.default(NO_PROGRESS_DEFAULTS.cost),
  })
  .describe(
    "When the agent is paused because it makes no progress. Null turns a limit off; an omitted limit has its default.",
  );

export const noProgressSchema = schema.component(
  "NoProgressLimits",
  "When the agent is paused because it makes no progress. A limit that is null is off.",
  noProgressLimits,
);

const evidenceSchema = schema.component(
  "PauseEvidence",
  "What the service measured; absent for other causes.",
  {
    taskId: schema.text("The task that reached the limit."),
    measure: z.enum(NO_PROGRESS_MEASURES).describe("The limit that was reached."),
    limit: z.number().describe("The value of the limit."),
    counts: z
      .strictObject({
        failedAttempts: schema.optional.integer("Failed attempts in a row."),
        calls: schema.optional.integer("Tool calls since the last progress."),
        cost: z.number().optional().describe("US dollars spent since the last progress."),
      })
      .describe("The amounts that were measured."),
  },
);

export const pauseSchema = schema
  .component("AgentPause", "Why the agent is paused.", {
    at: schema.instant("When the agent was paused."),
    by: schema.optional.text(
      "Id of the key that paused the agent, or `root` for the root key; absent if the service paused it.",
    ),
    cause: z
      .enum(PAUSE_CAUSES)
      .describe(
        "`request`: a request paused the agent. `pause-all`: a request paused all agents. `no-progress`: the service paused the agent because it made no progress. `spending-limit`: a call would have exceeded a spending limit that pauses agents.",
      ),
    reason: schema.optional.text("Why the agent was paused; absent if no reason was given."),
    evidence: evidenceSchema.optional(),
  })
  .nullable()
  .describe("Null if the agent is not paused.");

export const pausedAgentsSchema = schema.component("PausedAgents", null, {
  paused: schema.count("Number of agents that the request paused."),
});

export const resumedAgentsSchema = schema.component("ResumedAgents", null, {
  resumed: schema.count("Number of agents that the request resumed."),
});
