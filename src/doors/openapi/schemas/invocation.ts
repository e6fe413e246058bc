import * as z from "zod";
import { instant } from "./instant.ts";

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
    expiresAt: instant("When the link ends; absent without one.").optional(),
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
export const invocation = z
  .strictObject({ result, usage })
  .meta({ id: "Invocation", description: "A call that was made, and what it gave." });
