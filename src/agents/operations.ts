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
    description:
      "A page of the registry, by id. Filters may be combined; an agent must pass all of them.",
    responses: [respond(200, "The page; empty if nothing matches.", schemas.agentListSchema)],
  }),

  /** POST /agents */
  registerAgent: defineOperation({
    operationId: "registerAgent",
    tag: "Agents",
    scope: "agents:manage",
    body: schemas.registerAgentBody,
    summary: "Register an agent",
    description: `Adds an agent that carries out tasks. What it may use is granted with \`POST /agents/tools/access\`, and it takes tasks at once.

The card of an \`a2a\` agent is read now; it provides name, description and skills if they are omitted. The guard checks addresses, which must be https if a secret is sent there. Path segments, such as \`tools\`, \`tasks\` and \`keys\`, cannot be ids of agents. The id of a deleted agent is not reused (409 \`AGENT_EXISTS\`).`,
    responses: [
      respond(201, "The agent is in the registry.", schemas.agentSchema, {
        headers: { Location: "The address of the agent: `/agents/{agentId}`, as a whole URL." },
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
    description: `Replaces the fields that are given: lists and \`executor\` as a whole. Tasks that were assigned before keep the terms of that time.

A secret stays only while the executor's type and origin do. An executor of another type sends the tasks that wait back to \`pending\`. A disabled agent gets no task: a task that requested it waits until it is enabled again, any other goes to the next best agent. Its tool calls and claims get 403 \`AGENT_DISABLED\`, and its next step or turn fails the attempt.`,
    responses: [respond(200, "The agent as it is now.", schemas.agentSchema)],
    errorCodes: ["TEAM_NOT_FOUND"],
  }),

  /** DELETE /agents/:agentId */
  deleteAgent: defineOperation({
    operationId: "deleteAgent",
    tag: "Agents",
    scope: "agents:manage",
    summary: "Delete an agent",
    description:
      "Removes an agent from the registry with its grants and memberships, and revokes its keys. Tasks that wait for it return to `pending`; tasks that it has done keep its name. The id is not reused: no new agent can have it.",
    responses: [respond(200, "The agent was deleted.", schemas.deletedAgentSchema)],
  }),
};
