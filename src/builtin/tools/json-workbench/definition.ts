import type { ToolDefinition } from "../../../tools/model/tool.ts";
import { defineParameters } from "../parameters.ts";

export const jsonWorkbench: ToolDefinition = {
  id: "json-workbench",
  name: "JSON workbench",
  category: "development",
  description:
    "Validates JSON against a JSON Schema, queries it with JSONPath, and compares two documents, returning the differences as a JSON Patch. Documents are passed as JSON text. External references are not fetched.",
  documentation: "https://json-schema.org/specification",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 5000, period: "hour" },
  pricing: { model: "usage", free: 1000, overage: 0.001 },
  capabilities: [
    {
      id: "validate",
      name: "Validate against a schema",
      description:
        "Checks a document against a JSON Schema and lists up to 100 errors, each with its JSON Pointer. Formats are checked. Patterns use RE2 syntax, which has no lookaround or backreferences. References must point within the schema.",
      parameters: defineParameters({
        "document: string": "The document as JSON text. It can be any JSON value.",
        "schema: object": "The JSON Schema to check against.",
        "draft?: string":
          "2020-12, 2019-09, 7 or 4. Defaults to the draft named in $schema, or else 2020-12.",
      }),
    },
    {
      id: "query",
      name: "Query with JSONPath",
      description:
        "Returns the values that a JSONPath query (RFC 9535) selects, each with its normalized path; at most 1,000 values.",
      parameters: defineParameters({
        "document: string": "The document as JSON text.",
        "path: string": "The JSONPath query, such as $.orders[?@.total > 100].id.",
      }),
    },
    {
      id: "diff",
      name: "Compare two documents",
      description:
        "Returns the JSON Patch (RFC 6902) that turns one document into the other, and counts the added, removed and replaced values.",
      parameters: defineParameters({
        "before: string": "The first document as JSON text.",
        "after: string": "The second document as JSON text.",
      }),
    },
  ],
};
