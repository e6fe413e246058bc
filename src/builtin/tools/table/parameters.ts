import type { Parameter } from "../../../tools/model/capability.ts";
import { optionalParameter } from "../parameters.ts";

/** The parameters for a table, which `readTable` reads. */
export const TABLE_PARAMETERS: readonly Parameter[] = [
  optionalParameter(
    "csv",
    "string",
    "The table as CSV text with a header line; give exactly one of csv and data.",
  ),
  optionalParameter(
    "data",
    "array",
    "The table as an array of row objects; give exactly one of csv and data.",
  ),
];
