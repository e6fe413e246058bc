import * as z from "zod";
import * as schema from "../http/schemas.ts";
import { feedPageSchema } from "./event-schemas.ts";

/// <reference types="zod-openapi" />

/** The data of the feed stream's `live` message. */
export const liveMarkSchema = z
  .strictObject({
    cursor: schema.text("The position to continue from. It is also the `id` of the message."),
    truncatedBefore: feedPageSchema.shape.truncatedBefore,
  })
  .meta({
    id: "LiveMark",
    description:
      "The point in a stream of the feed up to which all earlier events have been sent. Later events are sent as they occur.",
    unusedIO: "output",
  });

/** The whole stream of the feed. */
export const feedStreamSchema = schema.eventStreamOf(
  "Server-Sent Events: each FeedEvent with its type as the message's `event`, and one `live` message with a LiveMark.",
  ["FeedEvent", "LiveMark"],
);
