// Answers that the service has given, to requests that the operations show.

export const GET_TIDES_CAPABILITY = {
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
};

export const LIST_BERTHS_CAPABILITY = {
  id: "listBerths",
  name: "List berths, or only those that are free or taken tonight",
  description: "List berths, or only those that are free or taken tonight",
  parameters: [
    { name: "free", type: "boolean", required: false, schema: { type: "boolean" } },
    {
      name: "harbour",
      type: "array",
      required: false,
      schema: {
        type: "array",
        items: { type: "string", enum: ["sandvik", "port-ellery", "kelp-bay"] },
      },
    },
  ],
  request: {
    method: "GET",
    path: "/berths",
    query: { free: { parameter: "free" }, harbour: { parameter: "harbour" } },
    anonymous: true,
  },
};

export const BOOK_BERTH_CAPABILITY = {
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
};

export const CAPABILITY_EXAMPLE = GET_TIDES_CAPABILITY;

export const CAPABILITY_LIST_EXAMPLE = {
  toolId: "harbour",
  capabilities: [BOOK_BERTH_CAPABILITY],
  total: 1,
  nextOffset: null,
};

// The tool that several examples show. Its capabilities are in capability.ts.

const DOCUMENT_URL = "https://harbour.example.com/openapi.json";

// An import that changed something answers with the category behind the texts, all else with it before.
const NAMES = { id: "harbour", name: "Harbour" };
const TEXTS = {
  description: "Tides and berths of three harbours. Anybody may read; booking wants a key.",
  documentation: DOCUMENT_URL,
};
const CATEGORY = { category: "data" };
const TERMS = {
  authentication: { type: "api-key", scopes: [] },
  rateLimit: { requests: 1000, period: "hour" },
  pricing: { model: "usage", free: 0, overage: 0 },
};

export const IMPORTED_HARBOUR_TOOL = { ...NAMES, ...TEXTS, ...CATEGORY, ...TERMS };
export const HARBOUR_TOOL = { ...NAMES, ...CATEGORY, ...TEXTS, ...TERMS };

export const HARBOUR_CONNECTOR = {
  type: "http",
  baseUrl: "https://harbour.example.com",
  headers: {},
  timeoutMs: 10000,
  credential: { in: "header", name: "X-Api-Key", prefix: "" },
};

export const HARBOUR_SOURCE = {
  type: "openapi",
  url: DOCUMENT_URL,
  only: { names: ["getTides", "bookBerth"] },
};
