import {
  BOOK_BERTH_CAPABILITY,
  GET_TIDES_CAPABILITY,
  HARBOUR_CONNECTOR,
  HARBOUR_SOURCE,
  HARBOUR_TOOL,
  IMPORTED_HARBOUR_TOOL,
  LIST_BERTHS_CAPABILITY,
} from "./harbour.ts";

// Answers that the service has given, to requests that the operations show.

export const NO_TOOL_CHANGES = {
  fields: [],
  added: [],
  changed: [],
  moved: [],
  removed: [],
  unchanged: 0,
  newOrigins: [],
};

export const IMPORTED_OPENAPI_EXAMPLE = {
  dryRun: false,
  changes: { ...NO_TOOL_CHANGES, added: ["getTides", "listBerths", "bookBerth"] },
  notes: [],
  tool: {
    ...IMPORTED_HARBOUR_TOOL,
    connector: HARBOUR_CONNECTOR,
    version: 1,
    source: { ...HARBOUR_SOURCE, only: { names: ["getTides", "listBerths", "bookBerth"] } },
    capabilities: [GET_TIDES_CAPABILITY, LIST_BERTHS_CAPABILITY, BOOK_BERTH_CAPABILITY],
    totalCapabilities: 3,
  },
};

export const REPEATED_IMPORT_EXAMPLE = {
  dryRun: false,
  changes: { ...NO_TOOL_CHANGES, unchanged: 2 },
  notes: [],
  tool: {
    ...HARBOUR_TOOL,
    connector: HARBOUR_CONNECTOR,
    version: 2,
    source: HARBOUR_SOURCE,
    capabilities: [GET_TIDES_CAPABILITY, BOOK_BERTH_CAPABILITY],
    totalCapabilities: 2,
  },
};

// Answers that the service has given, to requests that the operations show.

const PROGRESS = { done: 2, total: 2 };

const RESULT = {
  success: true,
  data: {
    dryRun: false,
    changes: {
      ...NO_TOOL_CHANGES,
      fields: ["source"],
      moved: ["bookBerth"],
      removed: ["listBerths"],
      unchanged: 1,
    },
    notes: [],
    tool: {
      ...IMPORTED_OPENAPI_EXAMPLE.tool,
      version: 2,
      source: HARBOUR_SOURCE,
      capabilities: [GET_TIDES_CAPABILITY, BOOK_BERTH_CAPABILITY],
      totalCapabilities: 2,
    },
  },
  metadata: {
    requestId: "f418d50d-4d42-4da0-a95a-60abbf53c2e6",
    timestamp: "2026-11-21T22:15:01.992Z",
  },
};

export const IMPORT_STREAM_EXAMPLE = `event: progress
data: ${JSON.stringify(PROGRESS)}

event: result
data: ${JSON.stringify(RESULT)}

`;
