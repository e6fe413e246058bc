import type { Parameter } from "../../../tools/model/capability.ts";

/** How every capability over a table takes it; `readTable` reads these. */
export const TABLE_PARAMETERS: readonly Parameter[] = [
  {
    name: "csv",
    type: "string",
    required: false,
    description: "The table as CSV text with a header line; give exactly one of csv and data.",
  },
  {
    name: "data",
    type: "array",
    required: false,
    description: "The table as an array of row objects; give exactly one of csv and data.",
  },
];
