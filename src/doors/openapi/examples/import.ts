// Answers that the service has given, to requests that the operations show.
import { BOOK_BERTH, GET_TIDES, LIST_BERTHS } from "./capability.ts";
import { HARBOUR, HARBOUR_CONNECTOR, HARBOUR_SOURCE, IMPORTED_HARBOUR } from "./harbour.ts";

export const NO_CHANGES = {
  fields: [],
  added: [],
  changed: [],
  moved: [],
  removed: [],
  unchanged: 0,
  newOrigins: [],
};

export const IMPORTED_OPENAPI = {
  dryRun: false,
  changes: { ...NO_CHANGES, added: ["getTides", "listBerths", "bookBerth"] },
  notes: [],
  tool: {
    ...IMPORTED_HARBOUR,
    connector: HARBOUR_CONNECTOR,
    version: 1,
    source: { ...HARBOUR_SOURCE, only: { names: ["getTides", "listBerths", "bookBerth"] } },
    capabilities: [GET_TIDES, LIST_BERTHS, BOOK_BERTH],
    totalCapabilities: 3,
  },
};

export const IMPORTED_AGAIN = {
  dryRun: false,
  changes: { ...NO_CHANGES, unchanged: 2 },
  notes: [],
  tool: {
    ...HARBOUR,
    connector: HARBOUR_CONNECTOR,
    version: 2,
    source: HARBOUR_SOURCE,
    capabilities: [GET_TIDES, BOOK_BERTH],
    totalCapabilities: 2,
  },
};
