import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "../invocation-schemas.ts";
import { toolUsageSchema, usageQuery } from "../metering/schemas.ts";

export const invocationOperations = {
  /** POST /agents/tools/:id/invoke */
  invokeTool: defineOperation({
    operationId: "invokeTool",
    tag: "Tools",
    scope: "tools:invoke",
    body: schemas.invokeBody,
    summary: "Invoke a capability of a tool",
    description: `Calls a tool for clients and agents. Checks the grant, the parameters, the credentials, the task's budget, then rate limit and price, in this order; then executes the call.

**Who calls.** A key bound to an agent calls as that agent, a key bound to a team names one of its agents, and any other key names an agent or none: no grant restricts a call without an agent. A call by a disabled agent gets 403 \`AGENT_DISABLED\`.

**What it costs.** A rejected or failed call costs nothing and does not count towards the rate limit. \`usage\` is the cost of this call.

**Under a task.** With \`taskId\` (and a key with \`tasks:write\` or \`tasks:work\`) the agent of a task that is \`in_progress\` makes the call: it is written into the task's log, and \`maxCost\` and \`maxToolCalls\` of the task's budget pay for it. When they do not, nothing is sent, the answer is 402, and the task is blocked until it is answered.

Without \`taskId\`, a call with the key of a \`worker\` agent counts under the task that the key has claimed, if there is exactly one. Tasks that the root key claimed for the agent count as claimed by each of the agent's keys. Otherwise, an agent or key with \`requireTask\` gets 403 \`TASK_REQUIRED\`, with the tasks that the key has claimed in \`context.taskIds\`.

**When the other system fails.** The response is 502 with the system's status and message in \`context\`, or 504 if no complete response arrived within the tool's \`timeoutMs\`. \`retryable\` is true only where trying again does no harm: an interrupted POST or MCP call may have been executed, which the message states. An agent whose calls failed five times in a row must wait ten seconds, and twice as long after each further failure, up to five minutes: 503 with \`Retry-After\`. Calls by others are still made until calls of five agents, or five calls without an agent, have failed in a row. A call that the system rejects (4xx) does not count as a failure.

**Shared limits.** The tool's limit applies to all callers together. If other agents also have a grant, an agent gets at most four times as many calls in a window as it leaves to them (80 % if it is the only caller, 44 % each for two callers), and the last call of a window only if it has made none. Other calls get 429.

**Large results.** A result over 128 KiB is stored and replaced by its beginning, size, SHA-256 and a link that works for an hour.`,
    responses: [
      respond(200, "The call was made, and this is what it gave.", schemas.invocationSchema, {
        headers: {
          RateLimit:
            'What is left of the tool\'s window: `r` calls, and `t` seconds until a new one opens. `"tool";r=4999;t=3600`',
          "RateLimit-Policy":
            'The tool\'s limit: `q` calls in a window of `w` seconds. `"tool";q=5000;w=3600`',
        },
      }),
    ],
    errorCodes: [
      "AGENT_MISMATCH",
      "CAPABILITY_NOT_FOUND",
      "AGENT_NOT_FOUND",
      "TASK_NOT_FOUND",
      "AGENT_DISABLED",
      "TASK_REQUIRED",
      "TOOL_ACCESS_DENIED",
      "CAPABILITY_NOT_GRANTED",
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
      "The whole result behind the `downloadUrl` of an invocation: the JSON object that would have been `result`. Use the link unchanged and without a key: only its signature grants access, for an hour. Afterwards invoke the tool again.",
    access: "link",
    parameters: { resultId: "The result's id, from the link." },
    responses: [
      {
        status: 200,
        description: "The result, as an attachment that no browser runs.",
        content: { "application/json": { schema: schemas.storedResultSchema } },
        headers: {
          "Content-Disposition": "The name to save it under: `<tool>-<result>.json`.",
          "Content-Security-Policy": "Keeps a browser from running anything in it.",
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
    summary: "See how a tool was used",
    description: `Calls, failures and cost by day (UTC) and agent, the last hundred calls one by one, and whether the system behind the tool is available. Rejected calls are not included; failed calls are, and cost nothing. Retired tools keep their usage.

A key bound to an agent or a team sees only the calls of its own agents. A team's key does not see a shared agent's calls for another team's tasks or with another team's key, nor calls recorded by releases that did not store the team.`,
    parameters: {
      id: "The tool's id; that of a retired one, too.",
    },
    responses: [respond(200, "The usage.", toolUsageSchema)],
  }),
};
