import type { ToolDefinition } from "../../../tools/model/tool.ts";
import { defineParameters } from "../parameters.ts";

export const formatBridge: ToolDefinition = {
  id: "format-bridge",
  name: "Format bridge",
  category: "integration",
  description:
    "Converts data between CSV, JSON, YAML and XML, and lists what the target format cannot represent. XML attributes are keys with @, the text next to attributes is #text; other keys are escaped as _xHHHH_.",
  documentation: "https://www.rfc-editor.org/rfc/rfc4180",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 5000, period: "hour" },
  pricing: { model: "usage", free: 1000, overage: 0.001 },
  capabilities: [
    {
      id: "convert",
      name: "Convert",
      description:
        "Converts the content to another format. CSV needs a header line, and its cells stay text; only an array of objects can become CSV. XML that declares entities and YAML with endless aliases are refused.",
      parameters: defineParameters({
        "content: string": "The text to convert (YAML: at most 200,000 characters).",
        "from: string": "The format of the content: csv, json, yaml or xml.",
        "to: string": "The target format: csv, json, yaml or xml.",
      }),
    },
    {
      id: "detect",
      name: "Detect the format",
      description: "Detects which of the four formats a text has, with a confidence and a reason.",
      parameters: defineParameters({ "content: string": "The text to examine." }),
    },
  ],
};
