import { Hono } from "hono";
import { eventOperations } from "./operations.ts";
import { createFieldFailure } from "../kernel/failure.ts";
import { fail, ok } from "../kernel/result.ts";
import { type AppEnv, viewerOfRequest } from "../http/envelope.ts";
import { defineEndpoint, answerOtherMethods } from "../http/endpoint.ts";
import { acceptsEventStream } from "../http/streaming.ts";
import { openStream } from "../keys/open-stream.ts";
import { listEvents } from "./list-events.ts";
import { streamEvents } from "./stream-events.ts";

const list = defineEndpoint(eventOperations.listEvents, async (c, { query }) => {
  if (acceptsEventStream(c)) {
    if (c.req.query("limit") !== undefined) {
      const rule = "must be omitted for a stream, which sends every event";
      return fail(createFieldFailure("limit", rule));
    }
    const lastEventId = c.req.header("Last-Event-ID");
    return openStream(c, (signal) => streamEvents(c.env, c.get("key"), query, lastEventId, signal));
  }
  const page = await listEvents(c.env, viewerOfRequest(c), query);
  return page.ok ? ok({ data: page.value }) : page;
});

export const eventRoutes = answerOtherMethods(new Hono<AppEnv>().get("/agents/events", ...list));
