import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "../access-schemas.ts";

export const accessOperations = {
  /** GET /agents/tools/access/:agentId */
  getAgentAccess: defineOperation({
    operationId: "getAgentAccess",
    tag: "Access",
    scope: "tools:read",
    summary: "See what an agent may use",
    description:
      "The tools that an agent was granted, each with exactly the capabilities that it may use. A bound key may ask for the agents that it acts for; any other is 404 to it.",
    responses: [respond(200, "What the agent may use; may be empty.", schemas.agentAccessSchema)],
    errorCodes: ["AGENT_NOT_FOUND"],
  }),

  /** POST /agents/tools/access */
  grantAccess: defineOperation({
    operationId: "grantAccess",
    tag: "Access",
    scope: "access:manage",
    body: schemas.grantBody,
    summary: "Grant a tool to an agent",
    description: `Lets one agent use one tool, or some of its capabilities. A second grant of the same tool replaces the first one as a whole. It applies from the next request on, to every access: lists, invocations, the agent's own calls, MCP.

An agent that is named here for the first time enters the registry, as a built-in agent with its id as its name. The id of a deleted agent is rejected (409 \`AGENT_EXISTS\`).`,
    responses: [
      respond(201, "A new grant was made.", schemas.grantSchema),
      respond(200, "The grant replaced an earlier one.", schemas.grantSchema),
    ],
    errorCodes: ["TOOL_NOT_FOUND", "CAPABILITY_NOT_FOUND", "AGENT_EXISTS"],
  }),

  /** DELETE /agents/tools/access/:agentId/:toolId */
  revokeAccess: defineOperation({
    operationId: "revokeAccess",
    tag: "Access",
    scope: "access:manage",
    summary: "Revoke a grant",
    description:
      "Revokes an agent's access to a tool from the next request on. A running call is completed. The agent stays registered without grants.",
    responses: [respond(200, "The grant was revoked.", schemas.revokedGrantSchema)],
  }),
};
