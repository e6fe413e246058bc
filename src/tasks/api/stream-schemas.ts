import * as z from "zod";
import { eventStreamOf } from "../../http/schemas.ts";
import { taskFieldSchemas } from "./task-schemas.ts";

/// <reference types="zod-openapi" />

/** The whole stream. The data of its messages is described by separate components. */
export const eventStreamSchema = eventStreamOf(
  "Server-Sent Events: `snapshot` with a TaskSnapshot, then each TaskEvent as an unnamed message.",
  ["TaskSnapshot", "TaskEvent"],
);

/** The data of the `snapshot` message. */
export const taskSnapshotSchema = z
  .strictObject({
    ...taskFieldSchemas,
    seq: z.int().min(1).describe("The `seq` of the last event that the snapshot includes."),
  })
  .meta({
    id: "TaskSnapshot",
    description:
      "A task in the form that GET returns, as of one event in its log. Sent at the beginning of a stream.",
    unusedIO: "output",
  });
