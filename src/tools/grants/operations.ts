import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "./schemas.ts";

export const grantOperations = {
  /** GET /agents/access */
  listGrants: defineOperation({
    operationId: "listGrants",
    tag: "Access",
    scope: "tools:read",
    query: schemas.listGrantsQuery,
    repeatedQuery: ["agentId"],
    summary: "List grants",
    description: `Returns a page of all grants, across agents and tools, ordered by agent id and then by tool id. Filters can be combined. If the agent, the tool or the capability is unknown, the page is empty.

A key bound to an agent or a team sees only the grants of its own agents.`,
    responses: [respond(200, "The page; empty if nothing matches.", schemas.grantListSchema)],
  }),

  /** GET /agents/access/explain */
  explainAccess: defineOperation({
    operationId: "explainAccess",
    tag: "Access",
    scope: "tools:read",
    query: schemas.explainAccessQuery,
    summary: "Explain whether an agent may use a capability",
    description: `Makes the same decision as a call of the capability by the agent, but calls nothing, counts nothing and costs nothing. The decision covers the agent and its grant. A call that is allowed can still be rejected for other reasons, such as its parameters, a missing credential, a rate limit or a budget.

With a key bound to an agent or a team, only the access of its own agents can be explained; requests for other agents return 404.`,
    responses: [respond(200, "The decision and its reason.", schemas.accessExplanationSchema)],
    errorCodes: ["AGENT_NOT_FOUND", "TOOL_NOT_FOUND", "CAPABILITY_NOT_FOUND"],
  }),
};
