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
        "Writes the content in another format. CSV cells stay text and need a header line; CSV is written from an array of objects. Entities declared in XML and endless YAML aliases are refused.",
      parameters: defineParameters({
        "content: string": "The text to convert (YAML: at most 200,000 characters).",
        "from: string": "What the content is: csv, json, yaml or xml.",
        "to: string": "What to write: csv, json, yaml or xml.",
      }),
    },
    {
      id: "detect",
      name: "Detect the format",
      description: "Says which of the four formats a text is in, how surely and why.",
      parameters: defineParameters({ "content: string": "The text to look at." }),
    },
  ],
};
