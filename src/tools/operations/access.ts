import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "../schemas.ts";
import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { proficiencySchema } from "../tool-schemas.ts";

const agentId = schema.text("The agent's id.", "data-analyst");
const toolId = schema.text("The tool's id.");
const usable = schema.textList("Ids of the capabilities that the agent may use.");

const agentAccessSchema = schema.component("AgentAccess", "What one agent may use.", {
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

const grantSchema = schema.component("Grant", "One agent may use one tool.", {
  agentId,
  toolId,
  proficiency: proficiencySchema,
  capabilities: usable,
  grantedAt: schema.instant("When the grant was made, or last replaced."),
});

const revokedGrantSchema = schema.component("RevokedGrant", null, {
  agentId,
  toolId,
  revoked: z.literal(true).describe("The agent may not use the tool any longer."),
});

/** GET /agents/tools/access/:agentId */
export const getAgentAccess = defineOperation({
  operationId: "getAgentAccess",
  tag: "Access",
  scope: "tools:read",
  summary: "See what an agent may use",
  description:
    "The tools that an agent was granted, each with exactly the capabilities that it may use. A bound key may ask for the agents that it acts for; any other is 404 to it.",
  responses: [respond(200, "What the agent may use; may be empty.", agentAccessSchema)],
  errorCodes: ["AGENT_NOT_FOUND"],
});

/** POST /agents/tools/access */
export const grantAccess = defineOperation({
  operationId: "grantAccess",
  tag: "Access",
  scope: "access:manage",
  body: schemas.grantBody,
  summary: "Grant a tool to an agent",
  description: `Lets one agent use one tool, or some of its capabilities. A second grant of the same tool replaces the first one as a whole. It applies from the next request on, to every access: lists, invocations, the agent's own calls, MCP.

An agent that is named here for the first time enters the registry, as a built-in agent with its id as its name. The id of a deleted agent is rejected (409 \`AGENT_EXISTS\`).`,
  fields: {
    agentId: "The agent, known or new. Path segments, such as `tasks`, cannot be ids.",
    toolId: "The tool.",
    proficiency: "How well the agent knows the tool; it is shown, and restricts nothing.",
    capabilities:
      "Ids of the capabilities that the agent may use. Left out, it may use all of them, those included that the tool gets later.",
  },
  responses: [
    respond(201, "A new grant was made.", grantSchema),
    respond(200, "The grant replaced an earlier one.", grantSchema),
  ],
  errorCodes: ["TOOL_NOT_FOUND", "CAPABILITY_NOT_FOUND", "AGENT_EXISTS"],
});

/** DELETE /agents/tools/access/:agentId/:toolId */
export const revokeAccess = defineOperation({
  operationId: "revokeAccess",
  tag: "Access",
  scope: "access:manage",
  summary: "Revoke a grant",
  description:
    "Revokes an agent's access to a tool from the next request on. A running call is completed. The agent stays registered without grants.",
  responses: [respond(200, "The grant was revoked.", revokedGrantSchema)],
});
