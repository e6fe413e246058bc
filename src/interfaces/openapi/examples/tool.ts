// Answers that the service has given, to requests that the operations show.
import {
  BOOK_BERTH_CAPABILITY,
  GET_TIDES_CAPABILITY,
  HARBOUR_CONNECTOR,
  HARBOUR_SOURCE,
  HARBOUR_TOOL,
} from "./harbour.ts";

export const TOOL_LIST_EXAMPLE = {
  tools: [
    {
      id: "format-bridge",
      name: "Format bridge",
      category: "integration",
      description:
        "Converts data between CSV, JSON, YAML and XML, and says what the target format could not carry. XML attributes are keys with @, text beside them is #text; other keys are escaped as _xHHHH_.",
      authentication: "none",
      documentation: "https://www.rfc-editor.org/rfc/rfc4180",
      capabilities: ["convert", "detect"],
      agents: ["data-analyst", "integrator"],
    },
  ],
  total: 1,
  totalExact: true,
  categories: ["development", "data", "communication", "research", "creative", "integration"],
};

export const TOOL_EXAMPLE = {
  ...HARBOUR_TOOL,
  version: 2,
  totalCapabilities: 2,
  agents: [],
  connector: HARBOUR_CONNECTOR,
  source: HARBOUR_SOURCE,
  capabilities: [GET_TIDES_CAPABILITY, BOOK_BERTH_CAPABILITY],
};

export const REGISTERED_TOOL_EXAMPLE = {
  id: "tides",
  name: "Tides",
  description: "",
  documentation: "",
  authentication: { type: "none", scopes: [] },
  connector: { ...HARBOUR_CONNECTOR, credential: null },
  category: "data",
  rateLimit: { requests: 60, period: "minute" },
  pricing: { model: "usage", free: 100, overage: 0.01 },
  version: 1,
  capabilities: [
    {
      id: "turns",
      name: "turns",
      description: "",
      parameters: [
        { name: "harbour", type: "string", required: true },
        { name: "day", type: "string", required: true, schema: { type: "string", format: "date" } },
      ],
      request: {
        method: "GET",
        path: "/harbours/{harbour}/tides",
        query: { date: { parameter: "day" } },
        result: "$.tides[*].at",
      },
    },
  ],
  totalCapabilities: 1,
};

export const CHANGED_TOOL_EXAMPLE = {
  id: REGISTERED_TOOL_EXAMPLE.id,
  name: REGISTERED_TOOL_EXAMPLE.name,
  category: REGISTERED_TOOL_EXAMPLE.category,
  description: "Times of high and low water.",
  documentation: REGISTERED_TOOL_EXAMPLE.documentation,
  authentication: REGISTERED_TOOL_EXAMPLE.authentication,
  rateLimit: REGISTERED_TOOL_EXAMPLE.rateLimit,
  pricing: { ...REGISTERED_TOOL_EXAMPLE.pricing, free: 500 },
  version: 2,
  totalCapabilities: 1,
  agents: [],
  connector: REGISTERED_TOOL_EXAMPLE.connector,
  capabilities: REGISTERED_TOOL_EXAMPLE.capabilities,
  changes: { fields: ["description", "pricing"], newOrigins: [] },
};
