/** The parameters for a table, which `readTable` reads. */
export const TABLE_PARAMETERS = {
  "csv?: string": "The table as CSV text with a header line; give exactly one of csv and data.",
  "data?: array": "The table as an array of row objects; give exactly one of csv and data.",
} as const;
