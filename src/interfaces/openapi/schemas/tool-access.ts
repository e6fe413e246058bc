import * as z from "zod";
import { instantSchema } from "./common.ts";
import { proficiencySchema } from "./tool.ts";

const agentId = z.string().meta({ description: "The agent's id.", examples: ["data-analyst"] });
const toolId = z.string().meta({ description: "The tool's id." });
const usable = z
  .array(z.string())
  .meta({ description: "Ids of the capabilities that the agent may use." });

/** GET /agents/tools/access/:agentId. */
export const agentAccessSchema = z
  .strictObject({
    agentId,
    agentName: z.string().meta({ description: "The agent's name, for people to read." }),
    tools: z
      .array(
        z
          .strictObject({
            id: toolId,
            name: z.string().meta({ description: "The tool's name, for people to read." }),
            proficiency: proficiencySchema,
            capabilities: usable,
          })
          .meta({ id: "AccessEntry", description: "A tool that an agent may use." }),
      )
      .meta({ description: "The tools that the agent may use, in order of registration." }),
    totalTools: z.int().min(0).meta({ description: "How many they are." }),
  })
  .meta({ id: "AgentAccess", description: "What one agent may use." });

/** POST /agents/tools/access. */
export const grantSchema = z
  .strictObject({
    agentId,
    toolId,
    proficiency: proficiencySchema,
    capabilities: usable,
    grantedAt: instantSchema("When the grant was made, or last replaced."),
  })
  .meta({ id: "Grant", description: "One agent may use one tool." });

/** DELETE /agents/tools/access/:agentId/:toolId. */
export const revokedGrantSchema = z
  .strictObject({
    agentId,
    toolId,
    revoked: z.literal(true).meta({ description: "The agent may not use the tool any longer." }),
  })
  .meta({ id: "RevokedGrant" });
