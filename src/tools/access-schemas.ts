import * as z from "zod";
import { LIST_ITEMS_MAX } from "../kernel/limits.ts";
import * as schema from "../http/schemas.ts";
import { agentIdentifier } from "../http/validation.ts";
import { PROFICIENCIES } from "./model/tool.ts";
import { nameText } from "./tool-field-schemas.ts";

export const grantBody = z.strictObject({
  agentId: agentIdentifier.describe(
    "The id of a registered or new agent. Reserved words, such as `tasks`, cannot be agent ids.",
  ),
  toolId: nameText.describe("The tool's id."),
  proficiency: z
    .enum(PROFICIENCIES)
    .default("intermediate")
    .describe("How well the agent knows the tool. For information only; it restricts nothing."),
  capabilities: z
    .array(nameText)
    .min(1)
    .max(LIST_ITEMS_MAX)
    .optional()
    .describe(
      "Ids of the capabilities that the agent may use. Default: all, including capabilities added later.",
    ),
});

export const proficiencySchema = z.enum(PROFICIENCIES).meta({
  id: "Proficiency",
  description: "How well an agent knows a tool, as stated in the grant. It restricts nothing.",
});

const agentId = schema.text("The agent's id.", "data-analyst");
const toolId = schema.text("The tool's id.");
const usable = schema.textList("Ids of the capabilities that the agent may use.");

export const agentAccessSchema = schema.component(
  "AgentAccess",
  "The tools that one agent may use.",
  {
    agentId,
    agentName: schema.text("The agent's display name."),
    tools: schema.list(
      schema.component("AccessEntry", "A tool that an agent may use.", {
        id: toolId,
        name: schema.text("The tool's display name."),
        proficiency: proficiencySchema,
        capabilities: usable,
      }),
      "The tools that the agent may use, in order of registration.",
    ),
    totalTools: schema.count("Number of tools."),
  },
);

export const grantSchema = schema.component("Grant", "An agent's permission to use a tool.", {
  agentId,
  toolId,
  proficiency: proficiencySchema,
  capabilities: usable,
  grantedAt: schema.instant("When the grant was created or last replaced."),
});

export const revokedGrantSchema = schema.component("RevokedGrant", null, {
  agentId,
  toolId,
  revoked: z.literal(true).describe("The grant was revoked."),
});
