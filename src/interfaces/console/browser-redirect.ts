import type { Next } from "hono";
import type { AppContext } from "../../http/envelope.ts";
import { hasAuthorizationHeader, prefersHtml } from "../../http/middleware.ts";

const TASK_PATH = /^\/agents\/tasks\/([^/]+)$/;
const PAGE_NOT_FOUND = "/console/page-not-found";

/**
 * The page of the console that shows the resource at a path of the API; null if there is none. The path is
 * percent-encoded, because the page's path is sent in a header.
 */
function findConsolePage(path: string): string | null {
  if (path === "/") return "/console";
  const taskId = TASK_PATH.exec(path)?.[1];
  if (taskId !== undefined) return `/console/tasks/${taskId}`;
  const [, root, ...segments] = path.split("/");
  if (root !== "console" || segments[0] === "assets") return null;
  if (path.endsWith("/")) return path.replace(/\/+$/, "");
  return segments.length > 2 || segments.includes("") ? PAGE_NOT_FOUND : null;
}

/**
 * Redirects a browser that opens the service's address or a task's `trackingUrl` to the console, which signs people in
 * itself. A request that prefers JSON or has an `Authorization` header is an API client's and is handled as usual.
 */
export async function redirectBrowsers(c: AppContext, next: Next): Promise<Response | void> {
  const { pathname } = new URL(c.req.url);
  const page = ["GET", "HEAD"].includes(c.req.method) ? findConsolePage(pathname) : null;
  if (page === null) return next();
  if (prefersHtml(c) && !hasAuthorizationHeader(c))
    return c.body(null, 303, { Location: page, Vary: "Accept" });
  await next();
  c.res.headers.append("Vary", "Accept");
}
