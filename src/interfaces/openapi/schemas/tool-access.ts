import * as z from "zod";
import * as schema from "./common.ts";
import { proficiencySchema } from "./tool.ts";

const agentId = schema.text("The agent's id.", "data-analyst");
const toolId = schema.text("The tool's id.");
const usable = schema.textList("Ids of the capabilities that the agent may use.");

/** GET /agents/tools/access/:agentId. */
export const agentAccessSchema = schema.component("AgentAccess", "What one agent may use.", {
  agentId,
  agentName: schema.text("The agent's name, for people to read."),
  tools: schema.list(
    schema.component("AccessEntry", "A tool that an agent may use.", {
      id: toolId,
      name: schema.text("The tool's name, for people to read."),
      proficiency: proficiencySchema,
      capabilities: usable,
    }),
    "The tools that the agent may use, in order of registration.",
  ),
  totalTools: schema.count("How many they are."),
});

/** POST /agents/tools/access. */
export const grantSchema = schema.component("Grant", "One agent may use one tool.", {
  agentId,
  toolId,
  proficiency: proficiencySchema,
  capabilities: usable,
  grantedAt: schema.instant("When the grant was made, or last replaced."),
});

/** DELETE /agents/tools/access/:agentId/:toolId. */
export const revokedGrantSchema = schema.component("RevokedGrant", null, {
  agentId,
  toolId,
  revoked: z.literal(true).describe("The agent may not use the tool any longer."),
});
