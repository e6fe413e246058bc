/// <reference types="zod-openapi" />
import * as z from "zod";

/** An instant as answers tell it: ISO 8601 in UTC, to the millisecond. */
export function instant(description: string) {
  return z.iso.datetime({ precision: 3 }).meta({
    description,
    examples: ["2026-11-21T05:15:24.295Z"],
    // `format` says it; the pattern of every valid day of the calendar helps nobody.
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
    },
  });
}
