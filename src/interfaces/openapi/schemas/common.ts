import * as z from "zod";

/// <reference types="zod-openapi" />

/** An instant as answers tell it: ISO 8601 in UTC, to the millisecond. */
export function instantSchema(description: string) {
  return z.iso.datetime({ precision: 3 }).meta({
    description,
    examples: ["2026-11-21T05:15:24.295Z"],
    // `format` says it; the pattern of every valid day of the calendar helps nobody.
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
    },
  });
}

/** The key that created a resource; absent in resources from earlier releases. */
export function createdBySchema(did: string) {
  return z
    .string()
    .meta({
      description: `Id of the key that ${did}, \`root\` for the root key; absent for resources that are older than this field or came with the service.`,
    })
    .optional();
}

/** A JSON object whose keys are anybody's own. */
export function freeFormSchema(description: string) {
  return z.record(z.string(), z.unknown()).meta({ description });
}
