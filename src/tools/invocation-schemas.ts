import * as z from "zod";
import * as schema from "../http/schemas.ts";
import { jsonObject } from "../http/validation.ts";
import { nameText } from "./tool-field-schemas.ts";

export const invokeBody = z.strictObject({
  capability: nameText.describe("The capability's id."),
  parameters: jsonObject.describe(
    "The parameter values, by name. They are validated before the call, against the JSON Schema of each parameter that has one.",
  ),
  agentId: nameText
    .optional()
    .describe("The id of the calling agent. Default: the key's own agent, or none."),
  taskId: nameText
    .optional()
    .describe(
      "The id of the task that the call is for and whose budget pays for it. Default: the task that this key has claimed for its agent, if there is exactly one; otherwise none.",
    ),
});

const oversizedSchema = schema.component(
  "OversizedResult",
  "A summary that replaces a result over 128 KiB.",
  {
    oversized: z.literal(true).describe("The result is too large to include."),
    preview: schema.text("The first 4,096 characters of the result as JSON."),
    size: z.int().min(1).describe("The size of the result as JSON, in bytes."),
    sha256: schema.matching(/^[0-9a-f]{64}$/, "The SHA-256 of the result as JSON, in hex."),
    downloadUrl: z
      .url()
      .nullable()
      .describe(
        "A signed link to the result. It needs no key and is valid for an hour; null if the file store was unavailable.",
      ),
    expiresAt: schema.optional.instant("When the link expires; absent if there is no link."),
  },
);

const resultSchema = z
  .union([oversizedSchema, z.record(z.string(), z.unknown()).describe("The result itself.")])
  .meta({
    id: "InvocationResult",
    description: `The capability's result, a JSON object.

- A built-in tool: fields that depend on the capability.
- An \`http\` tool: \`{status, body}\`, with \`contentType\` if the body is text or binary, \`encoding: "base64"\` if it is binary, and some \`headers\`, such as \`link\` and \`etag\`; with a \`result\` path, \`body\` is the selected part.
- An \`mcp\` tool: \`{content, structuredContent?}\`.
- Over 128 KiB: an \`OversizedResult\`.`,
  });

const invocationUsageSchema = schema.component("InvocationUsage", "The cost of one call.", {
  toolId: schema.text("The id of the called tool."),
  capability: schema.text("The id of the called capability."),
  cost: z.number().min(0).describe("The cost of the call, in US dollars."),
  duration: z.string().meta({
    description: "The duration of the call as display text.",
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
