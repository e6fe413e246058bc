import * as z from "zod";
import { instantSchema } from "./common.ts";

const oversized = z
  .strictObject({
    oversized: z.literal(true).meta({ description: "The result is stored as a file." }),
    preview: z.string().meta({ description: "Its beginning: the first 4,096 characters as JSON." }),
    size: z.int().min(1).meta({ description: "Size of the whole as JSON, in bytes." }),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta({ description: "SHA-256 of the whole in hex." }),
    downloadUrl: z.url().nullable().meta({
      description:
        "A signed link to the whole that needs no key and works for an hour; null when the store of files was out of reach.",
    }),
    expiresAt: instantSchema("When the link ends; absent without one.").optional(),
  })
  .meta({
    id: "OversizedResult",
    description: "What stands in the place of a result of more than 128 KiB.",
  });

const result = z
  .union([oversized, z.record(z.string(), z.unknown()).meta({ description: "The result itself." })])
  .meta({
    id: "InvocationResult",
    description: `What the capability gave: a JSON object.

- A built-in tool: its own figures, as its description tells.
- An \`http\` tool: \`{status, body}\`, with \`contentType\` where the body is text, \`encoding: "base64"\` where it is bytes, and such \`headers\` as \`link\` and \`etag\`; with a \`result\` path, \`body\` is what it selects.
- An \`mcp\` tool: \`{content, structuredContent?}\`.
- Over 128 KiB: an \`OversizedResult\`.`,
  });

const usage = z
  .strictObject({
    toolId: z.string().meta({ description: "The tool that was called." }),
    capability: z.string().meta({ description: "The capability that was used." }),
    cost: z.number().min(0).meta({ description: "What the call cost, in US dollars." }),
    duration: z.string().meta({
      description: "How long it took, for people to read.",
      examples: ["850ms", "3s", "1m 12s"],
    }),
  })
  .meta({ id: "InvocationUsage", description: "What one call cost." });

/** POST /agents/tools/:id/invoke. */
export const invocationSchema = z
  .strictObject({ result, usage })
  .meta({ id: "Invocation", description: "A call that was made, and what it gave." });

const day = (description: string) =>
  z.iso.date().meta({
    description,
    examples: ["2026-11-21"],
    // `format` says it.
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
    },
  });
const cost = z.number().min(0).meta({ description: "In US dollars." });
const duration = z
  .string()
  .meta({ description: "For people to read.", examples: ["850ms", "3m 20s"] });
const agentId = z.string().meta({
  description:
    "The agent that called; absent for calls by nobody in particular, `*` for the agents of a day beyond its first thousand.",
});
const counted = {
  calls: z.int().min(0).meta({ description: "Calls that were let through." }),
  failed: z.int().min(0).meta({ description: "Those of them that failed, and so cost nothing." }),
  cost,
};

const dayUsage = z
  .strictObject({
    day: day("The day, in UTC."),
    agentId: agentId.optional(),
    ...counted,
    duration: duration.meta({ description: "All of them together, for people to read." }),
  })
  .meta({ id: "DayUsage", description: "What one agent made of a tool on one day." });

const call = z
  .strictObject({
    at: instantSchema("When the call began."),
    capability: z.string().meta({ description: "The capability that was used." }),
    agentId: agentId
      .meta({ description: "The agent that called; absent for nobody in particular." })
      .optional(),
    taskId: z.string().meta({ description: "The task under which it was made." }).optional(),
    ok: z.boolean().meta({ description: "Whether it gave a result." }),
    code: z
      .string()
      .meta({
        description: "`error.code` of the answer; absent when all went well.",
        examples: ["TOOL_UPSTREAM_ERROR"],
      })
      .optional(),
    cost,
    duration,
  })
  .meta({ id: "RecordedCall", description: "One call, as the tool's meter remembers it." });

const breaker = z
  .discriminatedUnion("state", [
    z.strictObject({ state: z.literal("closed").meta({ description: "Calls go through." }) }),
    z.strictObject({
      state: z.literal("half-open").meta({
        description: "The next call goes through, and shows whether the system is well again.",
      }),
    }),
    z.strictObject({
      state: z.literal("open").meta({
        description:
          "Calls get 503: five calls in a row failed, by different agents or without an agent.",
      }),
      until: instantSchema("When the next call may try it."),
    }),
  ])
  .meta({
    id: "Breaker",
    description: "Whether the system behind the tool is called, or left to recover.",
  });

const agentBreaker = z
  .strictObject({
    agentId: z.string().meta({ description: "The agent whose calls failed." }),
    state: z
      .enum(["open", "half-open"])
      .meta({ description: "As for the tool; agents that are not listed can call." }),
    until: instantSchema("When its next call may try the tool; absent if it may now.").optional(),
  })
  .meta({
    id: "AgentBreaker",
    description: "An agent whose calls to the tool failed five times in a row and which must wait.",
  });

/** GET /agents/tools/:id/usage. */
export const toolUsageSchema = z
  .strictObject({
    toolId: z.string().meta({ description: "The tool's id." }),
    from: day("The first day that is counted (UTC)."),
    to: day("The last day, today (UTC)."),
    lastUsedAt: instantSchema(
      "When the newest call that the key may see was made; absent if there is none.",
    ).optional(),
    total: z
      .strictObject({ ...counted, duration })
      .meta({ id: "UsageTotal", description: "All these days and agents together." }),
    days: z.array(dayUsage).meta({
      description: "By day and agent, the oldest day first; days without calls are left out.",
    }),
    recentCalls: z
      .array(call)
      .max(100)
      .meta({ description: "The last hundred calls, of whatever day, newest first." }),
    breaker,
    agentBreakers: z
      .array(agentBreaker)
      .meta({
        description: "Agents that must wait although others can call; absent if there are none.",
      })
      .optional(),
  })
  .meta({ id: "ToolUsage", description: "What was made of a tool." });
