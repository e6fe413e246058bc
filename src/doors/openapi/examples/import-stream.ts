// Answers that the service has given, to requests that the operations show.
import { BOOK_BERTH, GET_TIDES } from "./capability.ts";
import { HARBOUR_SOURCE } from "./harbour.ts";
import { IMPORTED_OPENAPI, NO_CHANGES } from "./import.ts";

const PROGRESS = { done: 2, total: 2 };

const RESULT = {
  success: true,
  data: {
    dryRun: false,
    changes: {
      ...NO_CHANGES,
      fields: ["source"],
      moved: ["bookBerth"],
      removed: ["listBerths"],
      unchanged: 1,
    },
    notes: [],
    tool: {
      ...IMPORTED_OPENAPI.tool,
      version: 2,
      source: HARBOUR_SOURCE,
      capabilities: [GET_TIDES, BOOK_BERTH],
      totalCapabilities: 2,
    },
  },
  metadata: {
    requestId: "f418d50d-4d42-4da0-a95a-60abbf53c2e6",
    timestamp: "2026-11-21T22:15:01.992Z",
  },
};

export const IMPORT_STREAM = `event: progress
data: ${JSON.stringify(PROGRESS)}

event: result
data: ${JSON.stringify(RESULT)}

`;
