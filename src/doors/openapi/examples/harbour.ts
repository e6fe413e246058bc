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

export const IMPORTED_HARBOUR = { ...NAMES, ...TEXTS, ...CATEGORY, ...TERMS };
export const HARBOUR = { ...NAMES, ...CATEGORY, ...TEXTS, ...TERMS };

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
