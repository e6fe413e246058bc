import type { ToolDefinition } from "../../../tools/model/tool.ts";
import { defineParameters } from "../parameters.ts";

export const formatBridge: ToolDefinition = {
  id: "format-bridge",
  name: "Format bridge",
  category: "integration",
  description:
    "Converts data between CSV, JSON, YAML and XML, and lists what the target format cannot represent. XML attributes become keys that start with @, and the text of an element with attributes becomes #text. Characters that XML names cannot contain are escaped as _xHHHH_.",
  documentation: "https://www.rfc-editor.org/rfc/rfc4180",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 5000, period: "hour" },
  pricing: { model: "usage", free: 1000, overage: 0.001 },
  capabilities: [
    {
      id: "convert",
      name: "Convert",
      description:
        "Converts the content to another format. CSV must have a header line, and its cells remain strings; only an array of objects, alone or inside single-key objects, can become CSV. XML that declares entities and YAML with endless aliases are rejected.",
      parameters: defineParameters({
        "content: string": "The text to convert. YAML can have at most 200,000 characters.",
        "from: string": "The format of the content: csv, json, yaml or xml.",
        "to: string": "The target format: csv, json, yaml or xml.",
      }),
    },
    {
      id: "detect",
      name: "Detect the format",
      description:
        "Detects whether a text is CSV, JSON, YAML or XML. Returns the format with a confidence and a reason.",
      parameters: defineParameters({ "content: string": "The text to examine." }),
    },
  ],
};
