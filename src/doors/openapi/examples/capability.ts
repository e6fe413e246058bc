// Answers that the service has given, to requests that the operations show.

export const GET_TIDES = {
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

export const LIST_BERTHS = {
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

export const BOOK_BERTH = {
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

export const CAPABILITY = GET_TIDES;

export const CAPABILITY_LIST = {
  toolId: "harbour",
  capabilities: [BOOK_BERTH],
  total: 1,
  nextOffset: null,
};
