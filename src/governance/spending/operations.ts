import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "./schemas.ts";

const RULE =
  "The agent, team, key or tool must exist, and the scope, measure and period must fit together (400 otherwise).";

const USE_UNAVAILABLE = "If the use cannot be read, the response is 503.";

export const limitOperations = {
  /** GET /agents/limits */
  listLimits: defineOperation({
    operationId: "listLimits",
    tag: "Limits",
    scope: "limits:manage",
    query: schemas.listLimitsQuery,
    summary: "List spending limits",
    description: `Returns one page of spending limits with their current use, ordered by id. ${USE_UNAVAILABLE}`,
    responses: [respond(200, "A page of limits.", schemas.limitListSchema)],
  }),

  /** POST /agents/limits */
  createLimit: defineOperation({
    operationId: "createLimit",
    tag: "Limits",
    scope: "limits:manage",
    body: schemas.createLimitBody,
    summary: "Create a spending limit",
    description: `Creates a spending limit, which applies from the next call on, to clients over REST or MCP and to all agents. Before each call, its highest possible cost is reserved in every limit that covers it, and the call is rejected with SPENDING_LIMIT_EXCEEDED or USAGE_LIMIT_EXCEEDED if one of them does not allow it. ${RULE}`,
    responses: [respond(201, "The limit was created.", schemas.limitSchema)],
    errorCodes: ["LIMIT_EXISTS", "TOO_MANY_LIMITS"],
  }),

  /** GET /agents/limits/:id */
  getLimit: defineOperation({
    operationId: "getLimit",
    tag: "Limits",
    scope: "limits:manage",
    summary: "Read a spending limit",
    description: `Returns a spending limit with its current use. ${USE_UNAVAILABLE}`,
    responses: [respond(200, "The limit.", schemas.limitSchema)],
  }),

  /** PUT /agents/limits/:id */
  putLimit: defineOperation({
    operationId: "putLimit",
    tag: "Limits",
    scope: "limits:manage",
    body: schemas.putLimitBody,
    summary: "Create or replace a spending limit",
    description: `Creates the limit, or replaces every field that a client can set. An omitted optional field gets its default. The use so far stays counted unless \`scope\`, \`measure\`, \`per\` or \`timeZone\` changes. ${RULE}`,
    parameters: {
      id: "The limit's id: 1 to 128 letters, digits and `. _ : @ -`, starting with a letter or digit.",
    },
    responses: [
      respond(201, "The limit was created.", schemas.limitSchema),
      respond(200, "The limit was replaced.", schemas.limitSchema),
    ],
    errorCodes: ["TOO_MANY_LIMITS"],
  }),

  /** PATCH /agents/limits/:id */
  changeLimit: defineOperation({
    operationId: "changeLimit",
    tag: "Limits",
    scope: "limits:manage",
    body: schemas.patchLimitBody,
    summary: "Change a spending limit",
    description: `Replaces the fields that the request contains. The use so far stays counted unless \`scope\`, \`measure\`, \`per\` or \`timeZone\` changes. ${RULE}`,
    responses: [respond(200, "The changed limit.", schemas.limitSchema)],
  }),

  /** DELETE /agents/limits/:id */
  deleteLimit: defineOperation({
    operationId: "deleteLimit",
    tag: "Limits",
    scope: "limits:manage",
    summary: "Delete a spending limit",
    description:
      "Deletes a spending limit, with effect from the next call. A limit that is created again with the same id, scope, measure, period and time zone continues the use of the deleted limit in the current period.",
    responses: [respond(200, "The limit was deleted.", schemas.deletedLimitSchema)],
  }),
};
