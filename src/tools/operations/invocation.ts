import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "../schemas.ts";
import * as schema from "../../http/schemas.ts";
import * as z from "zod";

const oversized = schema.component(
  "OversizedResult",
  "What replaces a result of more than 128 KiB.",
  {
    oversized: z.literal(true).describe("The result is stored as a file."),
    preview: schema.text("Its beginning: the first 4,096 characters as JSON."),
    size: z.int().min(1).describe("Size of the whole as JSON, in bytes."),
    sha256: schema.matching(/^[0-9a-f]{64}$/, "SHA-256 of the whole in hex."),
    downloadUrl: z
      .url()
      .nullable()
      .describe(
        "A signed link to the whole that needs no key and works for an hour; null if the file store was unavailable.",
      ),
    expiresAt: schema.optional.instant("When the link ends; absent without one."),
  },
);

const result = z
  .union([oversized, z.record(z.string(), z.unknown()).describe("The result itself.")])
  .meta({
    id: "InvocationResult",
    description: `What the capability gave: a JSON object.

- A built-in tool: its own figures, as in its description.
- An \`http\` tool: \`{status, body}\`, with \`contentType\` where the body is text, \`encoding: "base64"\` where it is bytes, and such \`headers\` as \`link\` and \`etag\`; with a \`result\` path, \`body\` is what it selects.
- An \`mcp\` tool: \`{content, structuredContent?}\`.
- Over 128 KiB: an \`OversizedResult\`.`,
  });

const usage = schema.component("InvocationUsage", "What one call cost.", {
  toolId: schema.text("The tool that was called."),
  capability: schema.text("The capability that was used."),
  cost: z.number().min(0).describe("What the call cost, in US dollars."),
  duration: z.string().meta({
    description: "How long it took, for people to read.",
    examples: ["850ms", "3s", "1m 12s"],
  }),
});

const invocationSchema = schema.component("Invocation", "A call and its result.", {
  result,
  usage,
});

const day = (description: string) =>
  z.iso.date().meta({
    description,
    examples: ["2026-11-21"],
    // `format` is enough; the pattern is long.
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
    },
  });
const cost = z.number().min(0).describe("In US dollars.");
const duration = z
  .string()
  .meta({ description: "For people to read.", examples: ["850ms", "3m 20s"] });
const agentId = schema.text(
  "The agent that called; absent for calls without an agent, `*` for the agents of a day beyond its first thousand.",
);
const counted = {
  calls: schema.count("Admitted calls."),
  failed: schema.count("Those of them that failed, and so cost nothing."),
  cost,
};

const dayUsage = schema.component("DayUsage", "One agent's use of a tool on one day.", {
  day: day("The day, in UTC."),
  agentId: agentId.optional(),
  ...counted,
  duration: duration.describe("All of them together, for people to read."),
});

const call = schema.component("RecordedCall", "One call, as the tool's meter recorded it.", {
  at: schema.instant("When the call began."),
  capability: schema.text("The capability that was used."),
  agentId: agentId
    .describe("The agent that called; absent for a call without an agent.")
    .optional(),
  taskId: schema.optional.text("The task under which it was made."),
  ok: schema.flag("Whether it gave a result."),
  code: schema.optional.text(
    "`error.code` of the answer; absent for a successful call.",
    "TOOL_UPSTREAM_ERROR",
  ),
  cost,
  duration,
});

const breaker = z
  .discriminatedUnion("state", [
    z.strictObject({ state: z.literal("closed").describe("Calls go through.") }),
    z.strictObject({
      state: z
        .literal("half-open")
        .describe("The next call goes through, and shows whether the system has recovered."),
    }),
    z.strictObject({
      state: z
        .literal("open")
        .describe(
          "Calls get 503: five calls in a row failed, by different agents or without an agent.",
        ),
      until: schema.instant("When the next call may try it."),
    }),
  ])
  .meta({
    id: "Breaker",
    description:
      "Whether calls reach the system behind the tool, or are rejected while it recovers.",
  });

const agentBreaker = schema.component(
  "AgentBreaker",
  "An agent whose calls to the tool failed five times in a row and which must wait.",
  {
    agentId: schema.text("The agent whose calls failed."),
    state: z
      .enum(["open", "half-open"])
      .describe("As for the tool; agents that are not listed can call."),
    until: schema.optional.instant("When its next call may try the tool; absent if it may now."),
  },
);

const toolUsageSchema = schema.component("ToolUsage", "The use of a tool.", {
  toolId: schema.text("The tool's id."),
  from: day("The first day that is counted (UTC)."),
  to: day("The last day, today (UTC)."),
  lastUsedAt: schema.optional.instant(
    "When the newest call that the key may see was made; absent if there is none.",
  ),
  total: schema.component("UsageTotal", "All these days and agents together.", {
    ...counted,
    duration,
  }),
  days: schema.list(
    dayUsage,
    "By day and agent, the oldest day first; days without calls are left out.",
  ),
  recentCalls: z.array(call).max(100).describe("The last hundred calls of any day, newest first."),
  breaker,
  agentBreakers: schema
    .list(agentBreaker, "Agents that must wait although others can call; absent if there are none.")
    .optional(),
});

/** POST /agents/tools/:id/invoke */
export const invokeTool = defineOperation({
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
  fields: {
    capability: "The capability's id.",
    parameters:
      "The values of its parameters, by name. They are checked before anything happens, against their JSON Schemas where they have one.",
    agentId: "The agent that calls. If omitted: the key's own agent, or none.",
    taskId:
      "The task under which the call is made, and whose budget pays for it. If omitted: the task that this key has claimed for its agent, if there is exactly one; otherwise none.",
  },
  responses: [
    respond(200, "The call was made, and this is what it gave.", invocationSchema, {
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
});

/** GET /agents/tools/:id/results/:resultId */
export const downloadResult = defineOperation({
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
      content: { "application/json": { schema: schema.freeForm("The whole result.") } },
      headers: {
        "Content-Disposition": "The name to save it under: `<tool>-<result>.json`.",
        "Content-Security-Policy": "Keeps a browser from running anything in it.",
        "X-Content-Type-Options": "`nosniff`.",
        "Cache-Control": "`private, no-store`.",
      },
    },
  ],
  errorCodes: ["RESULT_NOT_FOUND"],
});

/** GET /agents/tools/:id/usage */
export const getToolUsage = defineOperation({
  operationId: "getToolUsage",
  tag: "Tools",
  scope: "tools:read",
  query: schemas.usageQuery,
  summary: "See how a tool was used",
  description: `Calls, failures and cost by day (UTC) and agent, the last hundred calls one by one, and whether the system behind the tool is available. Rejected calls are not included; failed calls are, and cost nothing. Retired tools keep their usage.

A key bound to an agent or a team sees only the calls of its own agents. A team's key does not see a shared agent's calls for another team's tasks or with another team's key, nor calls recorded by releases that did not store the team.`,
  parameters: {
    id: "The tool's id; that of a retired one, too.",
  },
  responses: [respond(200, "The usage.", toolUsageSchema)],
});
