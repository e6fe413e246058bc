import type { Next } from "hono";
import type { AppContext } from "../../http/envelope.ts";
import { hasAuthorizationHeader } from "../../http/middleware.ts";
import { selectMediaType } from "../../kernel/accept.ts";

const TASK_PATH = /^\/agents\/tasks\/([0-9a-f]{64})$/;

/** The page of the console that shows the resource at a path of the API; null if there is none. */
function findConsolePage(path: string): string | null {
  if (path === "/" || path === "/console/") return "/console";
  const taskId = TASK_PATH.exec(path)?.[1];
  return taskId === undefined ? null : `/console/tasks/${taskId}`;
}

/**
 * Redirects a browser that opens the service's address or a task's `trackingUrl` to the console, which signs people in
 * itself. A request that prefers JSON or has an `Authorization` header is an API client's and is handled as usual.
 */
export async function redirectBrowsers(c: AppContext, next: Next): Promise<Response | void> {
  const page = ["GET", "HEAD"].includes(c.req.method) ? findConsolePage(c.req.path) : null;
  if (page === null) return next();
  const accepted = selectMediaType(c.req.header("Accept"), ["application/json", "text/html"]);
  if (accepted === "text/html" && !hasAuthorizationHeader(c))
    return c.body(null, 303, { Location: page, Vary: "Accept" });
  await next();
  c.res.headers.append("Vary", "Accept");
}
