import type { Hono } from "hono";
import { ok } from "../kernel/result.ts";
import { type AppEnv, viewerOfRequest } from "../http/envelope.ts";
import { defineEndpoint, mountResource } from "../http/endpoint.ts";
import { listEvents } from "./list-events.ts";
import { listEventsQuery } from "./schemas.ts";

export function eventRoutes(app: Hono<AppEnv>): void {
  mountResource(app, "/agents/events", { GET: list });
}

const list = defineEndpoint(
  { scope: "tasks:read", query: listEventsQuery },
  async (c, { query }) => {
    const page = await listEvents(c.env, viewerOfRequest(c), query);
    return page.ok ? ok({ data: page.value }) : page;
  },
);
