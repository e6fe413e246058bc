import { defineOperation, respond } from "../http/operation.ts";
import * as schemas from "./schemas.ts";

const TARGETS_RULE =
  "Tools, capabilities, agents and teams must exist, and a condition must name parameters of what the policy covers (400 otherwise).";

export const policyOperations = {
  /** GET /agents/policies */
  listPolicies: defineOperation({
    operationId: "listPolicies",
    tag: "Policies",
    scope: "policies:manage",
    query: schemas.listPoliciesQuery,
    summary: "List policies",
    description:
      "Returns one page of policies, ordered by id. A policy whose tool or capability was removed after the policy was created lists it in `unknownTargets`.",
    responses: [respond(200, "A page of policies.", schemas.policyListSchema)],
  }),

  /** POST /agents/policies */
  createPolicy: defineOperation({
    operationId: "createPolicy",
    tag: "Policies",
    scope: "policies:manage",
    body: schemas.createPolicyBody,
    summary: "Create a policy",
    description: `Creates a policy, which applies from the next call on. It applies to clients over REST or MCP and to all agents. Policies are evaluated after the grant, on the validated parameters with the defaults from their schemas: a denial wins, and if no policy applies, the call is allowed. ${TARGETS_RULE}`,
    responses: [respond(201, "The policy was created.", schemas.policySchema)],
    errorCodes: ["POLICY_EXISTS", "POLICY_LIMIT_REACHED"],
  }),

  /** GET /agents/policies/explain */
  explainPolicies: defineOperation({
    operationId: "explainPolicies",
    tag: "Policies",
    scope: "policies:manage",
    query: schemas.explainPoliciesQuery,
    summary: "Explain a decision",
    description:
      "Returns what the policies decide about a call of a capability, by an agent or without one, and a policy that decides. Grants are not considered (see GET /agents/access/explain).",
    responses: [respond(200, "The decision.", schemas.policyExplanationSchema)],
    errorCodes: ["AGENT_NOT_FOUND", "TOOL_NOT_FOUND", "CAPABILITY_NOT_FOUND"],
  }),

  /** POST /agents/policies/simulate */
  simulatePolicy: defineOperation({
    operationId: "simulatePolicy",
    tag: "Policies",
    scope: "policies:manage",
    body: schemas.simulatePolicyBody,
    summary: "Try out a policy",
    description: `Returns the recorded calls that a policy would have denied or sent for approval, without creating it. Examines the calls in the logs of tasks that were created in the period: those that were made, and those that a policy denied or stored. Calls without a task are not recorded with their parameters and are not examined. Each request examines up to 50 tasks, and fewer if the condition has many comparisons; repeat it with \`nextCursor\` until that is null. ${TARGETS_RULE}`,
    responses: [respond(200, "The calls of one page of tasks.", schemas.simulationSchema)],
  }),

  /** GET /agents/policies/:id */
  getPolicy: defineOperation({
    operationId: "getPolicy",
    tag: "Policies",
    scope: "policies:manage",
    summary: "Read a policy",
    description: "Returns a policy.",
    responses: [respond(200, "The policy.", schemas.policySchema)],
  }),

  /** PUT /agents/policies/:id */
  putPolicy: defineOperation({
    operationId: "putPolicy",
    tag: "Policies",
    scope: "policies:manage",
    body: schemas.putPolicyBody,
    summary: "Create or replace a policy",
    description: `Creates the policy, or replaces every field that a client can set. An omitted optional field gets its default. ${TARGETS_RULE}`,
    parameters: {
      id: "The policy's id: 1 to 128 letters, digits and `. _ : @ -`, starting with a letter or digit.",
    },
    responses: [
      respond(201, "The policy was created.", schemas.policySchema),
      respond(200, "The policy was replaced.", schemas.policySchema),
    ],
    errorCodes: ["POLICY_LIMIT_REACHED"],
  }),

  /** PATCH /agents/policies/:id */
  changePolicy: defineOperation({
    operationId: "changePolicy",
    tag: "Policies",
    scope: "policies:manage",
    body: schemas.patchPolicyBody,
    summary: "Change a policy",
    description: `Replaces the fields that the request contains. ${TARGETS_RULE}`,
    responses: [respond(200, "The changed policy.", schemas.policySchema)],
  }),

  /** DELETE /agents/policies/:id */
  deletePolicy: defineOperation({
    operationId: "deletePolicy",
    tag: "Policies",
    scope: "policies:manage",
    summary: "Delete a policy",
    description: "Deletes a policy, with effect from the next call.",
    responses: [respond(200, "The policy was deleted.", schemas.deletedPolicySchema)],
  }),
};
