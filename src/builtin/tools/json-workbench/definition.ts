import type { ToolDefinition } from "../../../tools/model/tool.ts";
import { defineParameters } from "../parameters.ts";

export const jsonWorkbench: ToolDefinition = {
  id: "json-workbench",
  name: "JSON workbench",
  category: "development",
  description:
    "Validates JSON against a JSON Schema, queries it with JSONPath and compares two documents as a JSON Patch. Documents are JSON text; nothing is fetched.",
  documentation: "https://json-schema.org/specification",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 5000, period: "hour" },
  pricing: { model: "usage", free: 1000, overage: 0.001 },
  capabilities: [
    {
      id: "validate",
      name: "Validate against a schema",
      description:
        "Checks a document against a JSON Schema and lists up to 100 errors, each with its JSON Pointer. Formats are checked; patterns run in linear time (RE2: no lookaround, no backreferences); references stay inside the schema.",
      parameters: defineParameters({
        "document: string":
          "The document as JSON text (any JSON value, so it is given as a string).",
        "schema: object": "The JSON Schema to check against.",
        "draft?: string":
          "2020-12, 2019-09, 7 or 4; by default the draft that $schema names, else 2020-12.",
      }),
    },
    {
      id: "query",
      name: "Query with JSONPath",
      description:
        "Finds the values that a JSONPath query (RFC 9535) selects, each with its normalized path; lists at most 1,000.",
      parameters: defineParameters({
        "document: string": "The document as JSON text.",
        "path: string": "The JSONPath query, such as $.orders[?@.total > 100].id.",
      }),
    },
    {
      id: "diff",
      name: "Compare two documents",
      description:
        "Returns the JSON Patch (RFC 6902) that turns one document into the other, with the numbers of added, removed and replaced values.",
      parameters: defineParameters({
        "before: string": "The first document as JSON text.",
        "after: string": "The second document as JSON text.",
      }),
    },
  ],
};
