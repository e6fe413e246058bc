import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { cursorText, customIssue, idText, pageQueryOf, queryList } from "../../http/validation.ts";
import { ID_CHARACTERS_MAX } from "../../kernel/limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { proficiencySchema } from "../access-schemas.ts";
import { GRANT_AGENTS_MAX } from "../limits.ts";

/** The ids of the agents whose grants to list, sorted and without duplicates. */
const agentIdQuery = queryList<string, string>(readAgentIds, {
  type: "string",
  minLength: 1,
  maxLength: ID_CHARACTERS_MAX,
});

function readAgentIds(texts: readonly string[]): Result<string[], string> {
  const ids = [...new Set(texts)].toSorted();
  if (ids.length > GRANT_AGENTS_MAX)
    return fail(`must be given at most ${GRANT_AGENTS_MAX} times, got ${ids.length} agents`);
  return ids.every(({ length }) => length <= ID_CHARACTERS_MAX)
    ? ok(ids)
    : fail(`must be at most ${ID_CHARACTERS_MAX} characters long`);
}

export const listGrantsQuery = z
  .object({
    agentId: agentIdQuery
      .optional()
      .describe(
        `Only this agent's grants. Repeat the parameter to list the grants of several agents, at most ${GRANT_AGENTS_MAX}.`,
      ),
    toolId: idText.optional().describe("Only grants of this tool."),
    capability: idText
      .optional()
      .describe("Only grants that cover this capability of the tool. Requires `toolId`."),
    cursor: cursorText.describe(
      "The `nextCursor` of the previous page, unchanged. It is valid only with the same filters, and does not expire.",
    ),
    limit: pageQueryOf("Grants").limit,
  })
  .check(({ value: { toolId, capability }, issues }) => {
    if (capability === undefined || toolId !== undefined) return;
    issues.push(customIssue("requires toolId", capability, "capability"));
  });

export const explainAccessQuery = z.object({
  agentId: idText.describe("The agent that would make the call."),
  toolId: idText.describe("The tool that it would call."),
  capability: idText.describe("The capability that it would use."),
});

const agentId = schema.text("The agent's id.", "data-analyst");
const toolId = schema.text("The tool's id.");

const accessGrantSchema = schema.component(
  "AccessGrant",
  "An agent's permission to use a tool, as listed.",
  {
    agentId,
    agentName: schema.text("The agent's display name."),
    toolId,
    toolName: schema.text("The tool's display name."),
    proficiency: proficiencySchema,
    allCapabilities: schema.flag(
      "Whether the grant covers all capabilities of the tool, including those added later.",
    ),
    capabilities: schema.optional.textList(
      "Ids of the capabilities that the grant covers; absent if it covers all.",
    ),
    grantedAt: schema.instant("When the grant was created or last replaced."),
  },
);

export const grantListSchema = schema.component("Grants", "A page of grants.", {
  grants: schema.list(accessGrantSchema, "The grants, ordered by agent id, then by tool id."),
  nextCursor: z.string().nullable().describe("The cursor of the next page; null on the last page."),
});

const REASON_CODES = [
  "ALL_CAPABILITIES_GRANTED",
  "CAPABILITY_GRANTED",
  "AGENT_DISABLED",
  "AGENT_PAUSED",
  "TOOL_ACCESS_DENIED",
  "CAPABILITY_NOT_GRANTED",
] as const;

export const accessExplanationSchema = schema.component(
  "AccessExplanation",
  "Whether an agent may use a capability, and why.",
  {
    allowed: schema.flag("Whether the agent may use the capability."),
    reason: schema.component("AccessReason", "The reason for the decision.", {
      code: z
        .enum(REASON_CODES)
        .describe(
          "The reason. If the agent may not use the capability, a call is rejected with this error code.",
        ),
      message: schema.text("The reason as a sentence, and what to change."),
    }),
    grant: accessGrantSchema
      .nullable()
      .describe("The agent's grant of the tool; null if there is none."),
  },
);

export type AccessGrantResponse = schema.ResponseOf<typeof accessGrantSchema>;
export type GrantListResponse = schema.ResponseOf<typeof grantListSchema>;
export type AccessExplanationResponse = schema.ResponseOf<typeof accessExplanationSchema>;
