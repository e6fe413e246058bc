/// <reference types="zod-openapi" />
import * as z from "zod";
import { taskFields } from "./task.ts";

/** A stream as a whole; what its messages carry are components of their own. */
export const eventStream = z.string().meta({
  description:
    "Server-Sent Events: `snapshot` with a TaskSnapshot, then each TaskEvent as a message without a name.",
  // An annotation of JSON Schema for what a text holds: here the data of its messages, one after the other.
  override: {
    contentMediaType: "text/event-stream",
    contentSchema: {
      type: "array",
      items: {
        anyOf: [
          { $ref: "#/components/schemas/TaskSnapshot" },
          { $ref: "#/components/schemas/TaskEvent" },
        ],
      },
    },
  },
});

/** The data of `snapshot`. */
export const taskSnapshot = z
  .strictObject({
    ...taskFields,
    seq: z.int().min(1).meta({ description: "The last event that it includes." }),
  })
  .meta({
    id: "TaskSnapshot",
    description: "A task as GET shows it, at one event of its log: how a stream begins.",
    unusedIO: "output",
  });
