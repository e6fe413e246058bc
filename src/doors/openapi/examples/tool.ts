// Answers that the service has given, to requests that the operations show.

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
  id: "harbour",
  name: "Harbour",
  category: "data",
  description: "Tides and berths of three harbours. Anybody may read; booking wants a key.",
  documentation: "https://harbour.example.com/openapi.json",
  authentication: { type: "api-key", scopes: [] },
  rateLimit: { requests: 1000, period: "hour" },
  pricing: { model: "usage", free: 0, overage: 0 },
  version: 2,
  totalCapabilities: 2,
  agents: [],
  connector: {
    type: "http",
    baseUrl: "https://harbour.example.com",
    headers: {},
    timeoutMs: 10000,
    credential: { in: "header", name: "X-Api-Key", prefix: "" },
  },
  source: {
    type: "openapi",
    url: "https://harbour.example.com/openapi.json",
    only: { names: ["getTides", "bookBerth"] },
  },
  capabilities: [
    {
      id: "getTides",
      name: "Times and heights of high and low water",
      description: "Times and heights of high and low water",
      parameters: [
        {
          name: "harbour",
          type: "string",
          required: true,
          schema: { type: "string", enum: ["sandvik", "port-ellery", "kelp-bay"] },
        },
        {
          name: "date",
          type: "string",
          required: true,
          description: "The first day, in UTC",
          schema: { type: "string", format: "date" },
        },
        {
          name: "days",
          type: "number",
          required: false,
          schema: { type: "integer", minimum: 1, maximum: 7, default: 1 },
        },
      ],
      request: {
        method: "GET",
        path: "/harbours/{harbour}/tides",
        query: { date: { parameter: "date" }, days: { parameter: "days" } },
        anonymous: true,
      },
    },
    {
      id: "bookBerth",
      name: "Book a berth for a ship",
      description: "Book a berth for a ship",
      parameters: [
        { name: "berth", type: "string", required: true, schema: { type: "string" } },
        {
          name: "ship",
          type: "object",
          required: true,
          schema: {
            type: "object",
            required: ["name", "length_m"],
            properties: {
              name: { type: "string", minLength: 1, maxLength: 80 },
              length_m: { type: "number", exclusiveMinimum: 0 },
            },
          },
        },
        {
          name: "from",
          type: "string",
          required: true,
          description: "The first night",
          schema: { type: "string", format: "date" },
        },
        {
          name: "nights",
          type: "number",
          required: true,
          schema: { type: "integer", minimum: 1, maximum: 30 },
        },
      ],
      request: {
        method: "POST",
        path: "/berths/{berth}/bookings",
        body: { as: "json", fields: { ship: "ship", from: "from", nights: "nights" } },
      },
    },
  ],
};

export const CHANGED_TOOL = {
  id: "tides",
  name: "Tides",
  category: "data",
  description: "Times of high and low water.",
  documentation: "",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 60, period: "minute" },
  pricing: { model: "usage", free: 500, overage: 0.01 },
  version: 2,
  totalCapabilities: 1,
  agents: [],
  connector: {
    type: "http",
    baseUrl: "https://harbour.example.com",
    headers: {},
    timeoutMs: 10000,
    credential: null,
  },
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
  changes: { fields: ["description", "pricing"], newOrigins: [] },
};

export const REGISTERED_TOOL = {
  id: "tides",
  name: "Tides",
  description: "",
  documentation: "",
  authentication: { type: "none", scopes: [] },
  connector: {
    type: "http",
    baseUrl: "https://harbour.example.com",
    headers: {},
    timeoutMs: 10000,
    credential: null,
  },
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
