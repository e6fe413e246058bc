import * as z from "zod";
import * as schema from "./common.ts";

const oversized = schema.component(
  "OversizedResult",
  "What stands in the place of a result of more than 128 KiB.",
  {
    oversized: z.literal(true).describe("The result is stored as a file."),
    preview: schema.text("Its beginning: the first 4,096 characters as JSON."),
    size: z.int().min(1).describe("Size of the whole as JSON, in bytes."),
    sha256: schema.matching(/^[0-9a-f]{64}$/, "SHA-256 of the whole in hex."),
    downloadUrl: z
      .url()
      .nullable()
      .describe(
        "A signed link to the whole that needs no key and works for an hour; null when the store of files was out of reach.",
      ),
    expiresAt: schema.optional.instant("When the link ends; absent without one."),
  },
);

const result = z
  .union([oversized, z.record(z.string(), z.unknown()).describe("The result itself.")])
  .meta({
    id: "InvocationResult",
    description: `What the capability gave: a JSON object.

- A built-in tool: its own figures, as its description tells.
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

/** POST /agents/tools/:id/invoke. */
export const invocationSchema = schema.component(
  "Invocation",
  "A call that was made, and what it gave.",
  { result, usage },
);

const day = (description: string) =>
  z.iso.date().meta({
    description,
    examples: ["2026-11-21"],
    // `format` says it.
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
    },
  });
const cost = z.number().min(0).describe("In US dollars.");
const duration = z
  .string()
  .meta({ description: "For people to read.", examples: ["850ms", "3m 20s"] });
const agentId = schema.text(
  "The agent that called; absent for calls by nobody in particular, `*` for the agents of a day beyond its first thousand.",
);
const counted = {
  calls: schema.count("Calls that were let through."),
  failed: schema.count("Those of them that failed, and so cost nothing."),
  cost,
};

const dayUsage = schema.component("DayUsage", "What one agent made of a tool on one day.", {
  day: day("The day, in UTC."),
  agentId: agentId.optional(),
  ...counted,
  duration: duration.describe("All of them together, for people to read."),
});

const call = schema.component("RecordedCall", "One call, as the tool's meter remembers it.", {
  at: schema.instant("When the call began."),
  capability: schema.text("The capability that was used."),
  agentId: agentId.describe("The agent that called; absent for nobody in particular.").optional(),
  taskId: schema.optional.text("The task under which it was made."),
  ok: schema.flag("Whether it gave a result."),
  code: schema.optional.text(
    "`error.code` of the answer; absent when all went well.",
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
        .describe("The next call goes through, and shows whether the system is well again."),
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
    description: "Whether the system behind the tool is called, or left to recover.",
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

/** GET /agents/tools/:id/usage. */
export const toolUsageSchema = schema.component("ToolUsage", "What was made of a tool.", {
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
  recentCalls: z
    .array(call)
    .max(100)
    .describe("The last hundred calls, of whatever day, newest first."),
  breaker,
  agentBreakers: schema
    .list(agentBreaker, "Agents that must wait although others can call; absent if there are none.")
    .optional(),
});
