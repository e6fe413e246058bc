import { defineOperation, respond } from "../http/operation.ts";
import * as schemas from "./schemas.ts";

export const agentOperations = {
  /** GET /agents */
  listAgents: defineOperation({
    operationId: "listAgents",
    tag: "Agents",
    scope: "agents:manage",
    query: schemas.listAgentsQuery,
    summary: "List and search agents",
    description: "One page of the registry, ordered by id. An agent must match every filter.",
    responses: [respond(200, "The page; empty if nothing matches.", schemas.agentListSchema)],
  }),

  /** POST /agents */
  registerAgent: defineOperation({
    operationId: "registerAgent",
    tag: "Agents",
    scope: "agents:manage",
    body: schemas.registerAgentBody,
    summary: "Register an agent",
    description: `Adds an agent that carries out tasks. It takes tasks immediately; \`POST /agents/tools/access\` grants it tools.

The card of an \`a2a\` agent is read immediately; it provides the name, description and skills if they are omitted. The guard checks addresses, which must be https if a secret is sent there. Path segments, such as \`tools\`, \`tasks\` and \`keys\`, cannot be agent ids. The id of a deleted agent is not reused (409 \`AGENT_EXISTS\`).`,
    responses: [
      respond(201, "The agent was registered.", schemas.agentSchema, {
        headers: { Location: "The absolute URL of the agent: `/agents/{agentId}`." },
      }),
    ],
    errorCodes: ["TEAM_NOT_FOUND", "AGENT_EXISTS"],
  }),

  /** GET /agents/:agentId */
  getAgent: defineOperation({
    operationId: "getAgent",
    tag: "Agents",
    scope: "agents:manage",
    summary: "Read an agent",
    description: "An agent without its secret, and the state of its queue if it has one.",
    responses: [respond(200, "The agent.", schemas.agentDetailSchema)],
  }),

  /** PATCH /agents/:agentId */
  updateAgent: defineOperation({
    operationId: "updateAgent",
    tag: "Agents",
    scope: "agents:manage",
    body: schemas.changeAgentBody,
    summary: "Change an agent",
    description: `Replaces the given fields; lists and \`executor\` are replaced as a whole. Tasks assigned earlier keep their terms.

A secret is kept only while the executor's type and origin stay the same. If the executor's type changes, waiting tasks return to \`pending\`. A disabled agent gets no tasks: a task that requested it waits until it is enabled again, and any other task goes to the next best agent. Its tool calls and claims get 403 \`AGENT_DISABLED\`, and its next step or turn fails the attempt.`,
    responses: [respond(200, "The changed agent.", schemas.agentSchema)],
    errorCodes: ["TEAM_NOT_FOUND"],
  }),

  /** DELETE /agents/:agentId */
  deleteAgent: defineOperation({
    operationId: "deleteAgent",
    tag: "Agents",
    scope: "agents:manage",
    summary: "Delete an agent",
    description:
      "Removes an agent from the registry with its grants and memberships, and revokes its keys. Tasks waiting for it return to `pending`; tasks that it has done keep its name. The id is not reused.",
    responses: [respond(200, "The agent was deleted.", schemas.deletedAgentSchema)],
  }),
};
