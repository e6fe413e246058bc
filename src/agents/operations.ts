import { defineOperation, respond } from "../http/operation.ts";
import * as pauseSchemas from "./pause-schemas.ts";
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
      "Returns one page of agents, ordered by id. Only agents that match every filter are included.",
    responses: [
      respond(200, "A page of agents; empty if nothing matches.", schemas.agentListSchema),
    ],
  }),

  /** POST /agents */
  registerAgent: defineOperation({
    operationId: "registerAgent",
    tag: "Agents",
    scope: "agents:manage",
    body: schemas.registerAgentBody,
    summary: "Register an agent",
    description: `Registers an agent, which can take tasks immediately unless \`enabled\` is false. To grant it tools, use \`POST /agents/tools/access\`.

The card of an \`a2a\` agent is fetched immediately and supplies the name, description and skills if the request omits them. Private addresses are rejected, and addresses that receive a secret must use https, unless the deployment sets \`ALLOW_PRIVATE_EGRESS\`. Path segments of this API, such as \`tools\`, \`tasks\` and \`keys\`, cannot be agent ids. The id of a deleted agent cannot be reused (409 \`AGENT_EXISTS\`).`,
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
    description: "Returns an agent, without its secret, and the state of its queue if it has one.",
    responses: [respond(200, "The agent.", schemas.agentDetailSchema)],
  }),

  /** PATCH /agents/:agentId */
  updateAgent: defineOperation({
    operationId: "updateAgent",
    tag: "Agents",
    scope: "agents:manage",
    body: schemas.changeAgentBody,
    summary: "Change an agent",
    description: `Replaces the fields in the request; lists and \`executor\` are replaced entirely. Tasks that are already assigned keep the agent settings from their assignment.

A secret is kept only as long as the executor's type and origin stay the same. If the executor's type changes, waiting tasks return to \`pending\`. A disabled agent receives no tasks, its tool calls and claims return 403 \`AGENT_DISABLED\`, and its running attempts fail at their next step or turn. A task that was created for this agent waits until the agent is enabled again; any other task goes to the next best agent.`,
    responses: [respond(200, "The updated agent.", schemas.agentSchema)],
    errorCodes: ["TEAM_NOT_FOUND"],
  }),

  /** POST /agents/:agentId/pause */
  pauseAgent: defineOperation({
    operationId: "pauseAgent",
    tag: "Agents",
    scope: "agents:manage",
    body: pauseSchemas.pauseBody,
    bodyIsOptional: true,
    summary: "Pause an agent",
    description: `Stops an agent until it is resumed. After the response, none of its tool calls starts, including those with its own key: they return 403 \`AGENT_PAUSED\`, and so do its claims. Calls that are already running end. Its steps and turns stop within a second, and a worker gets \`stop\` with its next heartbeat.

Tasks of the agent wait, and no attempt fails because of the pause. A paused agent is not assigned to other tasks. If the agent is already paused, nothing changes. The body can be omitted.`,
    responses: [respond(200, "The paused agent.", schemas.agentSchema)],
  }),

  /** POST /agents/:agentId/resume */
  resumeAgent: defineOperation({
    operationId: "resumeAgent",
    tag: "Agents",
    scope: "agents:manage",
    summary: "Resume an agent",
    description:
      "Ends an agent's pause, whatever its cause, and starts its waiting tasks. Attempts that failed before no longer count for the limits in `noProgress`. If the agent is not paused, nothing changes.",
    responses: [respond(200, "The resumed agent.", schemas.agentSchema)],
  }),

  /** POST /agents/pause-all */
  pauseAllAgents: defineOperation({
    operationId: "pauseAllAgents",
    tag: "Agents",
    scope: "agents:manage",
    body: pauseSchemas.pauseBody,
    bodyIsOptional: true,
    summary: "Pause all agents",
    description:
      "Pauses every agent that is not paused yet, as `POST /agents/{agentId}/pause` does. An agent that is registered later is not paused. The body can be omitted.",
    responses: [respond(200, "The agents are paused.", pauseSchemas.pausedAgentsSchema)],
  }),

  /** POST /agents/resume-all */
  resumeAllAgents: defineOperation({
    operationId: "resumeAllAgents",
    tag: "Agents",
    scope: "agents:manage",
    summary: "Resume all agents",
    description:
      "Resumes the agents that `POST /agents/pause-all` paused. Agents that were paused for another reason stay paused.",
    responses: [respond(200, "The agents are resumed.", pauseSchemas.resumedAgentsSchema)],
  }),

  /** DELETE /agents/:agentId */
  deleteAgent: defineOperation({
    operationId: "deleteAgent",
    tag: "Agents",
    scope: "agents:manage",
    summary: "Delete an agent",
    description:
      "Removes an agent with its grants and memberships, and revokes its keys. Tasks waiting for it return to `pending`; tasks that it worked on still show its name. The id cannot be reused.",
    responses: [respond(200, "The agent was deleted.", schemas.deletedAgentSchema)],
  }),
};
