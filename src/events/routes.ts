import type { Hono } from "hono";
import { ok } from "../domain/result.ts";
import type { AppEnv } from "../http/context.ts";
import { endpoint, resource } from "../http/endpoint.ts";
import { viewerOf } from "../http/named.ts";
import { listEvents } from "./list.ts";
import { feedQuery } from "./wire.ts";

/** The feed of what happens to all tasks. */
export function eventRoutes(app: Hono<AppEnv>): void {
  resource(app, "/agents/events", { GET: list });
}

const list = endpoint({ scope: "tasks:read", query: feedQuery }, async (c, { query }) => {
  const page = await listEvents(c.env, viewerOf(c), query);
  return page.ok ? ok({ data: page.value }) : page;
});
