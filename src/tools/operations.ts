import { type ApiResponse, defineOperation, respond } from "../http/operation.ts";
import * as accessSchemas from "./access-schemas.ts";
import * as capabilitySchemas from "./capability-schemas.ts";
import * as importSchemas from "./import/schemas.ts";
import { pendingApprovalSchema } from "../governance/approvals/schemas.ts";
import * as invocationSchemas from "./invocation-schemas.ts";
import { toolUsageSchema, usageQuery } from "./metering/schemas.ts";
import * as toolSchemas from "./tool-schemas.ts";

/** A call is made, or stored until people approve it. */
const INVOCATION_RESPONSES: readonly ApiResponse<
  typeof invocationSchemas.invocationSchema | typeof pendingApprovalSchema
>[] = [
  respond(
    202,
    "A policy requires approval. The call was stored and waits for it.",
    pendingApprovalSchema,
  ),
  respond(200, "The result and cost of the call.", invocationSchemas.invocationSchema, {
    headers: {
      RateLimit:
        'The tool\'s window: `r` remaining calls, and `t` seconds until the window ends, for example `"tool";r=4999;t=3600`.',
      "RateLimit-Policy":
        'The tool\'s limit: `q` calls in a window of `w` seconds, for example `"tool";q=5000;w=3600`.',
    },
  }),
];

export const toolOperations = {
  /** GET /agents/tools */
  listTools: defineOperation({
    operationId: "listTools",
    tag: "Tools",
    scope: "tools:read",
    query: toolSchemas.listToolsQuery,
    summary: "List and search tools",
    description: `One page of the catalogue, in order of registration. A tool must match every filter.

A key bound to an agent or a team sees only the tools granted to its agents.`,
    responses: [
      respond(200, "The page, which is empty if nothing matches.", toolSchemas.toolListSchema),
    ],
  }),

  /** GET /agents/tools/:id */
  getTool: defineOperation({
    operationId: "getTool",
    tag: "Tools",
    scope: "tools:read",
    summary: "Read a tool",
    description: `Returns a tool's purpose, its capabilities and their parameters, its rate limit and price, and the agents that may use it.

The response contains the first hundred capabilities, or fewer if their parameters exceed two million characters. \`totalCapabilities\` is the total number, and \`GET /agents/tools/{id}/capabilities\` pages through all of them. Only keys with \`tools:manage\` see the tool's address and how its requests are made. Secrets are never shown.

Every tool except built-in tools has an \`ETag\`, which you can send in \`If-Match\` when you change the tool. Built-in tools cannot be changed.`,
    responses: [respond(200, "The tool.", toolSchemas.toolSchema)],
  }),

  /** GET /agents/tools/:id/capabilities */
  listCapabilities: defineOperation({
    operationId: "listCapabilities",
    tag: "Tools",
    scope: "tools:read",
    query: capabilitySchemas.capabilitiesQuery,
    summary: "List and search the capabilities of a tool",
    description:
      "One page of a tool's capabilities, in the order of the tool's definition. Imported tools can have thousands of capabilities; use `search` to find the right ones. A page of very large capabilities ends early, so continue at `nextOffset` until it is null.",
    responses: [
      respond(
        200,
        "The page, which is empty if nothing matches.",
        capabilitySchemas.capabilityListSchema,
      ),
    ],
  }),

  /** GET /agents/tools/:id/capabilities/:capability */
  getCapability: defineOperation({
    operationId: "getCapability",
    tag: "Tools",
    scope: "tools:read",
    summary: "Read a capability",
    description: "Returns what a capability does, and its parameters with their JSON Schemas.",
    responses: [respond(200, "The capability.", capabilitySchemas.capabilitySchema)],
  }),

  /** POST /agents/tools */
  registerTool: defineOperation({
    operationId: "registerTool",
    tag: "Tools",
    scope: "tools:manage",
    body: toolSchemas.registerToolBody,
    summary: "Register a tool by hand",
    description: `Adds a tool to the catalogue: an HTTP API, defined request by request, or a remote MCP server, defined tool by tool. If there is an OpenAPI document or an MCP server, importing it is easier.

A capability's \`request\` defines how its parameters become an HTTP request, and which part of the response is the result. Every address is checked before anything is stored. No agent may use the tool until access is granted; with keys that are not bound to an agent or a team, it can be invoked immediately.

An error response lists up to 20 problems. The ids \`access\` and \`import\` are reserved, and ids of retired tools are not reused.`,
    responses: [
      respond(201, "The tool was registered, at version 1.", toolSchemas.registeredToolSchema, {
        headers: { Location: "The absolute URL of the tool: `/agents/tools/{id}`." },
      }),
    ],
    errorCodes: ["TOOL_EXISTS"],
  }),

  /** PATCH /agents/tools/:id */
  updateTool: defineOperation({
    operationId: "updateTool",
    tag: "Tools",
    scope: "tools:manage",
    body: toolSchemas.changeToolBody,
    summary: "Change a tool",
    description: `Changes the fields in the request. \`connector\` is merged; \`capabilities\` are replaced entirely. \`version\` increases by one if anything changes.

A tool with a new origin loses its credentials, because they were not meant for that origin. Any change closes the tool's circuit breaker. Changing the connector's type requires new capabilities in the same request. Built-in tools cannot be changed through the API; they change only with a release.

Without \`If-Match\`, a change applies to the current version; with it, only to the version that you read.`,
    responses: [respond(200, "The changed tool, and what changed.", toolSchemas.changedToolSchema)],
    errorCodes: ["TOOL_BUILT_IN"],
  }),

  /** DELETE /agents/tools/:id */
  retireTool: defineOperation({
    operationId: "retireTool",
    tag: "Tools",
    scope: "tools:manage",
    summary: "Retire a tool",
    description:
      "Removes a tool from the catalogue permanently and deletes its credentials. Requests for the tool then return 404, but its usage can still be read. Its id is not reused, because tasks and grants still refer to it.",
    responses: [respond(200, "The tool was retired.", toolSchemas.retiredToolSchema)],
    errorCodes: ["TOOL_BUILT_IN"],
  }),

  /** POST /agents/tools/import */
  importTool: defineOperation({
    operationId: "importTool",
    tag: "Tools",
    scope: "tools:manage",
    body: importSchemas.importToolBody,
    streamsProgress: true,
    summary: "Import an OpenAPI document or an MCP server",
    description: `Creates one tool from an API or an MCP server. Each operation or remote tool becomes a capability with its parameters and their JSON Schemas. Specify either \`openapi\` or \`mcp\`. OpenAPI 3.0, 3.1 and 3.2 are supported, in JSON or YAML.

**A repeated import** with the same id and kind of source updates the tool. Capabilities follow the source, and so does an OpenAPI tool's authentication. Name and description also follow the source unless the request sets them. Category, rate limit, price, headers, timeout, \`only\`, grants, an MCP tool's authentication and, for the same document, \`openapi.baseUrl\` are kept unless the request sets them. \`version\` increases with each change. A tool with new origins loses its credentials.

**All or nothing**: the source is validated first and then written in one transaction. Unsupported parts, such as XML bodies, are omitted and listed in \`notes\`; invalid input is rejected. Every address is checked. A document at a URL must not exceed 16 MiB and must arrive within 30 seconds.

**As a stream**: with \`Accept: text/event-stream\`, the status is 200 immediately, and progress is sent as events. The last event contains the response that a request without a stream would get, including any error.`,
    headers: {
      Accept: {
        description: "`text/event-stream` to receive progress and the result as a stream.",
        example: "text/event-stream",
      },
    },
    responses: [
      respond(
        200,
        "The tool was updated or was already up to date; with `dryRun`, what would change. Streamed responses also have this status.",
        importSchemas.importedToolSchema,
        { content: { "text/event-stream": { schema: importSchemas.importStreamSchema } } },
      ),
      respond(201, "A new tool was registered, at version 1.", importSchemas.importedToolSchema, {
        headers: { Location: "The absolute URL of the tool: `/agents/tools/{id}`." },
      }),
    ],
    errorCodes: [
      "TOOL_EXISTS",
      "TOOL_BUILT_IN",
      "TOOL_CREDENTIALS_REQUIRED",
      "TOOL_UPSTREAM_ERROR",
      "TOOL_TIMEOUT",
    ],
  }),

  /** POST /agents/tools/:id/invoke */
  invokeTool: defineOperation({
    operationId: "invokeTool",
    tag: "Tools",
    scope: "tools:invoke",
    body: invocationSchemas.invokeBody,
    summary: "Invoke a capability of a tool",
    description: `Calls a tool, for a client or an agent. The grant, the parameters, the credentials, the task's budget, and the rate limit and price are checked in this order. Then the call is executed.

**Who calls.** With a key bound to an agent, the call is made by that agent. With a key bound to a team, the request names one of the team's agents. With any other key, it names any agent or none. No grant restricts a call without an agent. A call by a disabled agent gets 403 \`AGENT_DISABLED\`, and a call by a paused agent 403 \`AGENT_PAUSED\`.

**What it costs.** A rejected or failed call costs nothing and does not count towards the rate limit. \`usage\` is the cost of this call.

**Under a task.** With \`taskId\` (and a key with \`tasks:write\` or \`tasks:work\`), the call is made by that task's agent. The task must be \`in_progress\`. The call is recorded in the task's log and counts towards \`maxCost\` and \`maxToolCalls\` of the task's budget. If the budget does not allow it, nothing is sent, the response is 402, and the task is blocked until its question is answered.

Without \`taskId\`, a call with the key of a \`worker\` agent is made under the task that the key has claimed, if there is exactly one. Tasks that the root key claimed for the agent count as claimed by each of the agent's keys. A call without a task gets 403 \`TASK_REQUIRED\` if its agent or key has \`requireTask\`; \`context.taskIds\` lists the tasks that the key has claimed.

**Approval.** If a policy requires approval, the call is stored instead of made, and the response is 202. After people have approved it, the service makes the stored call once; its result is at the \`url\` of the response. Under a task, the task is blocked until then, an equal call of the task returns the stored result, and an equal call that was denied gets 403 \`APPROVAL_DENIED\`.

**When the other system fails.** The response is 502 with the system's status and message in \`context\`, or 504 if no complete response arrived within the tool's \`timeoutMs\`. \`retryable\` is true only if a retry is safe. An interrupted MCP call, or an interrupted HTTP call with a method other than GET or HEAD, may have been executed; the message then says so. If five calls in a row by an agent fail, the agent must wait ten seconds, and twice as long after each further failure, up to five minutes. Meanwhile, its calls get 503 with \`Retry-After\`. Other callers are not affected until calls by five agents, or five calls without an agent, have failed in a row. A call that the system rejects (4xx, except 429) does not count as a failure.

**Shared limits.** The tool's limit applies to all callers together. If other agents also have a grant, an agent gets about four times as many calls in a window as it leaves for them (80% if it is the only caller, 44% each for two callers), and the last call of a window only if it has made no other call. Calls beyond that get 429.

**Large results.** A result over 128 KiB is stored and replaced by its beginning, size, SHA-256 and a link that is valid for an hour.`,
    responses: INVOCATION_RESPONSES,
    errorCodes: [
      "AGENT_MISMATCH",
      "CAPABILITY_NOT_FOUND",
      "AGENT_NOT_FOUND",
      "TASK_NOT_FOUND",
      "AGENT_DISABLED",
      "AGENT_PAUSED",
      "TASK_REQUIRED",
      "TOOL_ACCESS_DENIED",
      "CAPABILITY_NOT_GRANTED",
      "POLICY_DENIED",
      "APPROVAL_DENIED",
      "APPROVED_CALL_FAILED",
      "APPROVAL_LIMIT_REACHED",
      "SPENDING_LIMIT_EXCEEDED",
      "USAGE_LIMIT_EXCEEDED",
      "INVALID_STATE",
      "TOOL_CREDENTIALS_REQUIRED",
      "BUDGET_EXCEEDED",
      "RATE_LIMIT_EXCEEDED",
      "TOOL_UPSTREAM_ERROR",
      "TOOL_TIMEOUT",
    ],
  }),

  /** GET /agents/tools/:id/results/:resultId */
  downloadResult: defineOperation({
    operationId: "downloadResult",
    tag: "Tools",
    summary: "Download an oversized result",
    description:
      "Returns the complete result of an invocation, a JSON object that was too large for `result`. Use the invocation's `downloadUrl` unchanged and without a key; its signature grants access for an hour. After that, invoke the tool again.",
    access: "link",
    parameters: { resultId: "The result's id, as in the link." },
    responses: [
      {
        status: 200,
        description: "The result, as an attachment that browsers do not execute.",
        content: { "application/json": { schema: invocationSchemas.storedResultSchema } },
        headers: {
          "Content-Disposition": "The file name: `<tool>-<result>.json`.",
          "Content-Security-Policy": "Prevents browsers from executing the content.",
          "X-Content-Type-Options": "`nosniff`.",
          "Cache-Control": "`private, no-store`.",
        },
      },
    ],
    errorCodes: ["RESULT_NOT_FOUND"],
  }),

  /** GET /agents/tools/:id/usage */
  getToolUsage: defineOperation({
    operationId: "getToolUsage",
    tag: "Tools",
    scope: "tools:read",
    query: usageQuery,
    summary: "Read a tool's usage",
    description: `Returns calls, failures and cost by day (UTC) and agent, the last hundred calls, and whether the system behind the tool is available. Rejected calls are not included; failed calls are included and cost nothing. Retired tools keep their usage.

A key bound to an agent or a team sees only the calls of its own agents. A team's key does not see a shared agent's calls for another team's tasks or with another team's key, nor calls recorded by releases that did not store the team.`,
    parameters: {
      id: "The id of a tool, which may be retired.",
    },
    responses: [respond(200, "The usage.", toolUsageSchema)],
  }),

  /** GET /agents/tools/access/:agentId */
  getAgentAccess: defineOperation({
    operationId: "getAgentAccess",
    tag: "Access",
    scope: "tools:read",
    summary: "Read an agent's access",
    description:
      "Returns the tools granted to an agent, each with only the capabilities that the agent may use. With a key bound to an agent or a team, only the access of its own agents can be read; requests for other agents return 404.",
    responses: [respond(200, "The agent's tools; may be empty.", accessSchemas.agentAccessSchema)],
    errorCodes: ["AGENT_NOT_FOUND"],
  }),

  /** POST /agents/tools/access */
  grantAccess: defineOperation({
    operationId: "grantAccess",
    tag: "Access",
    scope: "access:manage",
    body: accessSchemas.grantBody,
    summary: "Grant a tool to an agent",
    description: `Allows an agent to use a tool or some of its capabilities. A later grant of the same tool replaces the earlier one entirely. The grant takes effect with the next request, for all access: lists, invocations, the agent's own calls and MCP.

An unknown agent is registered as a built-in agent with its id as its name. The id of a deleted agent is rejected (409 \`AGENT_EXISTS\`).`,
    responses: [
      respond(201, "The grant was created.", accessSchemas.grantSchema),
      respond(200, "The grant replaced an earlier one.", accessSchemas.grantSchema),
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
      "Revokes an agent's access to a tool, starting with the next request. A running call is completed. An agent without grants stays registered.",
    responses: [respond(200, "The grant was revoked.", accessSchemas.revokedGrantSchema)],
  }),
};
