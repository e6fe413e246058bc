import { serve as listen } from "@hono/node-server";
import type { Hono } from "hono";

/** Serves an app on a free loopback port and returns its origin. */
export async function serveApp(app: Hono): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<number>();
  listen({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => resolve(port));
  return `http://127.0.0.1:${await promise}`;
}
