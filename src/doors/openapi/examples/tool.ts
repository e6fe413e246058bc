// Answers that the service has given, to requests that the operations show.
import { BOOK_BERTH, GET_TIDES } from "./capability.ts";
import { HARBOUR, HARBOUR_CONNECTOR, HARBOUR_SOURCE } from "./harbour.ts";

export const TOOL_LIST = {
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

export const TOOL = {
  ...HARBOUR,
  version: 2,
  totalCapabilities: 2,
  agents: [],
  connector: HARBOUR_CONNECTOR,
  source: HARBOUR_SOURCE,
  capabilities: [GET_TIDES, BOOK_BERTH],
};

export const REGISTERED_TOOL = {
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

export const CHANGED_TOOL = {
  id: REGISTERED_TOOL.id,
  name: REGISTERED_TOOL.name,
  category: REGISTERED_TOOL.category,
  description: "Times of high and low water.",
  documentation: REGISTERED_TOOL.documentation,
  authentication: REGISTERED_TOOL.authentication,
  rateLimit: REGISTERED_TOOL.rateLimit,
  pricing: { ...REGISTERED_TOOL.pricing, free: 500 },
  version: 2,
  totalCapabilities: 1,
  agents: [],
  connector: REGISTERED_TOOL.connector,
  capabilities: REGISTERED_TOOL.capabilities,
  changes: { fields: ["description", "pricing"], newOrigins: [] },
};
