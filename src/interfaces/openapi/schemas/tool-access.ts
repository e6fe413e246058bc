import * as z from "zod";
import {
  componentSchema,
  countSchema,
  instantSchema,
  listSchema,
  textListSchema,
  textSchema,
} from "./common.ts";
import { proficiencySchema } from "./tool.ts";

const agentId = z.string().meta({ description: "The agent's id.", examples: ["data-analyst"] });
const toolId = textSchema("The tool's id.");
const usable = textListSchema("Ids of the capabilities that the agent may use.");

/** GET /agents/tools/access/:agentId. */
export const agentAccessSchema = componentSchema("AgentAccess", "What one agent may use.", {
  agentId,
  agentName: textSchema("The agent's name, for people to read."),
  tools: listSchema(
    componentSchema("AccessEntry", "A tool that an agent may use.", {
      id: toolId,
      name: textSchema("The tool's name, for people to read."),
      proficiency: proficiencySchema,
      capabilities: usable,
    }),
    "The tools that the agent may use, in order of registration.",
  ),
  totalTools: countSchema("How many they are."),
});

/** POST /agents/tools/access. */
export const grantSchema = componentSchema("Grant", "One agent may use one tool.", {
  agentId,
  toolId,
  proficiency: proficiencySchema,
  capabilities: usable,
  grantedAt: instantSchema("When the grant was made, or last replaced."),
});

/** DELETE /agents/tools/access/:agentId/:toolId. */
export const revokedGrantSchema = componentSchema("RevokedGrant", null, {
  agentId,
  toolId,
  revoked: z.literal(true).describe("The agent may not use the tool any longer."),
});
