import * as z from "zod";
import * as schema from "../http/schemas.ts";
import { jsonObject } from "../http/validation.ts";
import { nameText } from "./tool-field-schemas.ts";

export const invokeBody = z.strictObject({
  capability: nameText.describe("The capability's id."),
  parameters: jsonObject.describe(
    "The values of its parameters, by name. They are checked before anything happens, against their JSON Schemas where they have one.",
  ),
  agentId: nameText
    .optional()
    .describe("The agent that calls. If omitted: the key's own agent, or none."),
  taskId: nameText
    .optional()
    .describe(
      "The task under which the call is made, and whose budget pays for it. If omitted: the task that this key has claimed for its agent, if there is exactly one; otherwise none.",
    ),
});

const oversizedSchema = schema.component(
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

const resultSchema = z
  .union([oversizedSchema, z.record(z.string(), z.unknown()).describe("The result itself.")])
  .meta({
    id: "InvocationResult",
    description: `What the capability gave: a JSON object.

- A built-in tool: its own figures, as in its description.
- An \`http\` tool: \`{status, body}\`, with \`contentType\` where the body is text, \`encoding: "base64"\` where it is bytes, and such \`headers\` as \`link\` and \`etag\`; with a \`result\` path, \`body\` is what it selects.
- An \`mcp\` tool: \`{content, structuredContent?}\`.
- Over 128 KiB: an \`OversizedResult\`.`,
  });

const invocationUsageSchema = schema.component("InvocationUsage", "What one call cost.", {
  toolId: schema.text("The tool that was called."),
  capability: schema.text("The capability that was used."),
  cost: z.number().min(0).describe("What the call cost, in US dollars."),
  duration: z.string().meta({
    description: "How long it took, for people to read.",
    examples: ["850ms", "3s", "1m 12s"],
  }),
});
export type InvocationUsageResponse = schema.ResponseOf<typeof invocationUsageSchema>;

export const invocationSchema = schema.component("Invocation", "A call and its result.", {
  result: resultSchema,
  usage: invocationUsageSchema,
});

/** The content of a stored result. */
export const storedResultSchema = schema.freeForm("The whole result.");
