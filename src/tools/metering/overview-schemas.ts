import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { cursorText, customIssue, idText } from "../../http/validation.ts";
import { preview } from "../../kernel/result.ts";
import { USAGE_PERIOD_DAYS_DEFAULT, USAGE_PERIOD_DAYS_MAX } from "../limits.ts";
import { USAGE_GROUPINGS, type UsageGrouping } from "../model/usage-groups.ts";
import { agentIdSchema, countedSchemas, daySchema, durationSchema } from "./schemas.ts";

const GROUPINGS_RULE = `must be one or more of ${USAGE_GROUPINGS.join(", ")}, separated by commas`;

/** The values of `groupBy`, in the given order. */
const groupBy = z
  .string()
  .min(1)
  .default("day")
  .transform((text) => text.split(","))
  .pipe(
    z.array(z.string()).transform((names, { issues, value }): UsageGrouping[] => {
      const known = USAGE_GROUPINGS.filter((one) => names.includes(one));
      if (known.length === names.length)
        return known.toSorted((a, b) => names.indexOf(a) - names.indexOf(b));
      issues.push(
        customIssue(`${GROUPINGS_RULE}, each at most once; got ${preview(value.join(","))}`, value),
      );
      return z.NEVER;
    }),
  );

const queryDay = z.iso.date({ error: "must be a date such as 2026-11-21" });

/** Query parameters of GET /agents/usage. */
export const overviewQuery = z.object({
  from: queryDay
    .optional()
    .describe(
      `The first day included (UTC), at most ${USAGE_PERIOD_DAYS_MAX - 1} days before \`to\`. Default: ${USAGE_PERIOD_DAYS_DEFAULT - 1} days before \`to\`.`,
    ),
  to: queryDay.optional().describe("The last day included (UTC). Default: today."),
  groupBy: groupBy.describe(
    "What to group the sums by: `day`, `agent`, `tool`, `team`, `key` or `label`, or several of them separated by commas. The rows are sorted by them in the given order. A key that is bound to an agent or a team cannot group by `key`.",
  ),
  agentId: idText.optional().describe("Only usage by this agent."),
  toolId: idText
    .optional()
    .describe("Only calls to this tool, which may be retired; no usage of models and agents."),
  cursor: cursorText.describe(
    "The `nextCursor` of the previous response, unchanged, with the same other parameters.",
  ),
  format: z
    .enum(["json", "csv"])
    .optional()
    .describe("The format of the response. Default: the format that the `Accept` header prefers."),
});

/** Costs that do not belong to tools. */
const workSchemas = {
  cost: countedSchemas.cost.describe("Cost of tool calls, models and agents' work, in US dollars."),
  modelCost: countedSchemas.cost
    .optional()
    .describe("The part of `cost` for language models; absent if it is 0."),
  agentCost: countedSchemas.cost
    .optional()
    .describe(
      "The part of `cost` for agents' prices and for costs that workers reported; absent if it is 0.",
    ),
  tokens: z
    .strictObject({
      input: schema.count("Input tokens of all models."),
      output: schema.count("Output tokens of all models."),
    })
    .optional()
    .describe("The tokens of language models; absent if there are none."),
};

export const usageOverviewSchema = schema.component(
  "UsageOverview",
  "The usage of all tools that the key may see.",
  {
    from: daySchema("The first day included (UTC)."),
    to: daySchema("The last day included (UTC)."),
    groupBy: z
      .array(z.enum(USAGE_GROUPINGS))
      .describe("What the rows are grouped by, as in the request."),
    total: schema.component(
      "UsageOverviewTotal",
      "The sum over the rows of this page. If usage is grouped by label, usage with several labels counts several times.",
      { ...countedSchemas, ...workSchemas, duration: durationSchema },
    ),
    usage: schema.list(
      schema.component(
        "UsageRow",
        "The usage with the same day, agent, tool, team, key and label.",
        {
          day: daySchema("The day, in UTC; absent if usage is not grouped by day.").optional(),
          agentId: agentIdSchema
            .describe(
              "The id of the calling agent; absent for calls without an agent and if usage is not grouped by agent, and `*` for agents beyond the first thousand on a day.",
            )
            .optional(),
          toolId: schema.optional.text(
            "The tool's id; absent if usage is not grouped by tool, and for models and agents' work.",
          ),
          teamId: schema.optional.text(
            "The id of the task's team or, for calls without a task, of the key's team; absent if there is none and if usage is not grouped by team.",
          ),
          keyId: schema.optional.text(
            "The id of the key that created the task or, for calls without a task, of the calling key; absent for calls that earlier releases recorded and if usage is not grouped by key, and `*` for keys beyond a tool's first hundreds on a day.",
          ),
          label: schema.optional.text(
            "One label of the task, as `key=value`; absent for usage without labels and if usage is not grouped by label, and `*` for labels beyond a tool's first hundreds on a day. Usage with several labels is in several rows.",
          ),
          ...countedSchemas,
          ...workSchemas,
          duration: durationSchema.describe("Total duration as display text."),
        },
      ),
      "The sums, sorted by the fields in `groupBy`. Groups without calls are omitted.",
    ),
    missing: schema.textList(
      "Ids of tools whose meters did not respond, so that their usage is not included. Empty if the sums are complete; otherwise, repeat the request.",
    ),
    nextCursor: z
      .string()
      .nullable()
      .describe(
        "The cursor of the next page; null on the last page. Only usage that is grouped by tool has several pages, and each tool is on one of them.",
      ),
  },
);
export type UsageOverviewResponse = schema.ResponseOf<typeof usageOverviewSchema>;
