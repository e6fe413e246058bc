import { Hono } from "hono";
import { eventOperations } from "./operations.ts";
import { ok } from "../kernel/result.ts";
import { type AppEnv, viewerOfRequest } from "../http/envelope.ts";
import { defineEndpoint, answerOtherMethods } from "../http/endpoint.ts";
import { listEvents } from "./list-events.ts";

const list = defineEndpoint(eventOperations.listEvents, async (c, { query }) => {
  const page = await listEvents(c.env, viewerOfRequest(c), query);
  return page.ok ? ok({ data: page.value }) : page;
});

export const eventRoutes = answerOtherMethods(new Hono<AppEnv>().get("/agents/events", ...list));
