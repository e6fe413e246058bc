import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import {
  customIssue,
  displayName,
  identifier,
  idText,
  pageQueryOf,
} from "../../http/validation.ts";
import {
  LIMIT_AMOUNT_MAX,
  LIMIT_AMOUNT_MIN,
  WARN_AT_MIN,
  TIME_ZONE_CHARACTERS_MAX,
} from "../limits.ts";
import { LIMIT_ACTIONS, LIMIT_MEASURES, LIMIT_PERIODS } from "../model/spending/limit.ts";
import { isTimeZone } from "../model/spending/window.ts";

const id = identifier.describe("The limit's id, which never changes.");

const scope = z
  .strictObject({
    agentId: idText.optional().describe("Covers this agent's tool calls and its model's turns."),
    teamId: idText
      .optional()
      .describe(
        "Covers the tool calls and the models' turns of the team's members, whichever team they work for.",
      ),
    keyId: idText
      .optional()
      .describe(
        "Covers the tool calls made with this key or with a key that it created, directly or indirectly.",
      ),
    toolId: idText.optional().describe("Covers the calls to this tool, whoever makes them."),
    all: z.literal(true).optional().describe("Covers all tool calls and all models' turns."),
  })
  .check(({ value, issues }) => {
    const count = Object.keys(value).length;
    const message = `must have exactly one of agentId, teamId, keyId, toolId and all, got ${count}`;
    if (count !== 1) issues.push(customIssue(message, value));
  })
  .meta({ minProperties: 1, maxProperties: 1 });

const timeZone = z
  .string()
  .max(TIME_ZONE_CHARACTERS_MAX)
  .check(({ value, issues }) => {
    if (isTimeZone(value)) return;
    issues.push(customIssue("must be an IANA time zone such as Europe/Berlin or UTC", value));
  });

/** The fields that a client sets. */
const limitFields = {
  name: displayName.describe("Display name."),
  scope: scope.describe("What the limit covers."),
  measure: z
    .enum(LIMIT_MEASURES)
    .describe(
      "What is counted: `usd`, the cost of tool calls and of models with known prices; `calls`, the tool calls that are made, including those that fail; `tokens`, the tokens that models read and write.",
    ),
  per: z
    .enum(LIMIT_PERIODS)
    .describe(
      "The period for which the limit applies. Days, weeks (from Monday) and months begin at midnight in the limit's time zone. `call`: the limit applies to each tool call or model turn. `total`: the use is never reset.",
    ),
  timeZone: timeZone.describe("The IANA time zone of days, weeks and months."),
  limit: z
    .number()
    .min(LIMIT_AMOUNT_MIN)
    .max(LIMIT_AMOUNT_MAX)
    .describe("The maximum use: US dollars, or a whole number of calls or tokens."),
  warnAt: z
    .number()
    .min(WARN_AT_MIN)
    .max(1)
    .describe("The part of the limit whose use causes the warning `limit.warned`."),
  onExceeded: z
    .enum(LIMIT_ACTIONS)
    .describe(
      "What happens if a call would exceed the limit: `deny` rejects the call; `pause-agent` also pauses the agent that makes it.",
    ),
  enabled: schema.flag(
    "Whether the limit is in force. A limit that is not in force counts nothing.",
  ),
};

const optionalFields = {
  timeZone: limitFields.timeZone.default("UTC"),
  warnAt: limitFields.warnAt.default(0.8),
  onExceeded: limitFields.onExceeded.default("deny"),
  enabled: limitFields.enabled.default(true),
};

/** Body of PUT /agents/limits/:id. */
export const putLimitBody = z.strictObject({ ...limitFields, ...optionalFields });
export type LimitBody = z.output<typeof putLimitBody>;

/** Body of POST /agents/limits. */
export const createLimitBody = z.strictObject({ id, ...limitFields, ...optionalFields });

/** Body of PATCH /agents/limits/:id. */
export const patchLimitBody = z.strictObject(limitFields).partial();

/** Query of GET /agents/limits. */
export const listLimitsQuery = z.object(pageQueryOf("Limits"));

const amount = z.number().min(0);

export const limitSchema = schema.component("Limit", "A spending limit.", {
  id: schema.text("The limit's id.", "daily-spend"),
  ...limitFields,
  scopeExists: schema.flag(
    "Whether the agent, team, key or tool in `scope` still exists. If not, the limit covers nothing.",
  ),
  used: amount.describe(
    "The use in the current period, in the unit of the limit. 0 for a limit per call.",
  ),
  reserved: amount.describe("What calls in progress can use at most, in addition to `used`."),
  resetAt: schema
    .instant("When the current period ends.")
    .nullable()
    .describe("When the current period ends; null if `per` is `call` or `total`."),
  createdBy: schema.text("Id of the key that created the limit, or `root` for the root key."),
  createdAt: schema.instant("When the limit was created."),
  updatedAt: schema.instant("When the limit was last changed."),
});
export type LimitResponse = schema.ResponseOf<typeof limitSchema>;

export const limitListSchema = schema.component("LimitList", "One page of limits.", {
  limits: schema.list(limitSchema, "The limits on the page, ordered by id."),
  total: schema.count("Number of limits."),
  limit: z.int().min(1).describe("The requested page size."),
  offset: schema.count("The requested offset."),
});

export const deletedLimitSchema = schema.component("DeletedLimit", null, {
  id: schema.text("The limit's id."),
  deleted: z.literal(true).describe("The limit was deleted."),
});
