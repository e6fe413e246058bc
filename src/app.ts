import { Hono } from "hono";
import { agentRoutes } from "./agents/routes.ts";
import { approvalRoutes, isApprovalLink } from "./governance/approvals/routes.ts";
import { auditRoutes } from "./governance/audit/routes.ts";
import { policyRoutes } from "./governance/routes.ts";
import { limitRoutes } from "./governance/spending/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { A2A_PATHS } from "./interfaces/a2a/paths.ts";
import { a2aRoutes } from "./interfaces/a2a/routes.ts";
import { CONSOLE_PATHS, consoleRoutes } from "./interfaces/console/routes.ts";
import { redirectBrowsers } from "./interfaces/console/browser-redirect.ts";
import { DOCS_PATHS, docsRoutes } from "./interfaces/docs/routes.ts";
import { MCP_PATHS, mcpRoutes } from "./interfaces/mcp/routes.ts";
import {
  hasAuthorizationHeader,
  addRateLimitHeaders,
  addSecurityHeaders,
  assignRequestId,
  isUrlTooLong,
  requireLoopback,
} from "./http/middleware.ts";
import { type AppContext, type AppEnv, logUnexpectedError, sendFailure } from "./http/envelope.ts";
import { logRequest } from "./http/request-log.ts";
import { healthRoutes } from "./interfaces/health/routes.ts";
import { authenticateRequest } from "./keys/authenticate.ts";
import { keyRoutes } from "./keys/routes.ts";
import { authenticateSession, usesSession } from "./sessions/authenticate.ts";
import { isSignIn, sessionRoutes, signInByLink } from "./sessions/routes.ts";
import { isSignedDownload, taskRoutes } from "./tasks/api/routes.ts";
import { workerRoutes } from "./tasks/workers/routes.ts";
import { isConnectRequest } from "./tools/credentials/routes.ts";
import { isSignedResultRequest, toolRoutes } from "./tools/routes.ts";
import { webhookRoutes } from "./events/webhooks/routes.ts";

const base = new Hono<AppEnv>();

/**
 * Paths that need no key. Clients request OAuth metadata under `.well-known` without one, and only a 404 tells them
 * that the service has no such metadata.
 */
const PUBLIC_PATHS = [/^\/health$/, /^\/\.well-known\//, DOCS_PATHS, CONSOLE_PATHS];
/** These interfaces authenticate requests and check URL length themselves, because each has its own error format. */
const PROTOCOL_PATHS = [A2A_PATHS, MCP_PATHS];

base.use(
  assignRequestId,
  logRequest,
  addSecurityHeaders,
  addRateLimitHeaders,
  requireLoopback,
  redirectBrowsers,
  signInByLink,
);
base.use(async (c, next) => {
  if (isAnyOf(PROTOCOL_PATHS, c)) return next();
  if (!isAnyOf(PUBLIC_PATHS, c) && !isSignIn(c) && !hasLinkForKey(c)) {
    const key = await (usesSession(c) ? authenticateSession(c) : authenticateRequest(c));
    if (!key.ok) return sendFailure(c, key.failure);
  }
  return isUrlTooLong(c) ? sendFailure(c, { kind: "uri_too_long" }) : next();
});

a2aRoutes(base);
mcpRoutes(base);

/** The whole API: middleware, then the A2A and MCP interfaces, then the REST routes. */
export const app = base
  .route("/", healthRoutes)
  .route("/", docsRoutes)
  .route("/", consoleRoutes)
  .route("/", keyRoutes)
  .route("/", sessionRoutes)
  .route("/", toolRoutes)
  .route("/", workerRoutes)
  .route("/", taskRoutes)
  .route("/", eventRoutes)
  .route("/", webhookRoutes)
  .route("/", policyRoutes)
  .route("/", approvalRoutes)
  .route("/", auditRoutes)
  .route("/", limitRoutes)
  .route("/", agentRoutes);
/** The type argument for Hono's client: `hc<AppType>(url)`. */
export type AppType = typeof app;

app.notFound((c) => sendFailure(c, { kind: "not_found", what: "route", id: c.req.path }));
app.onError((error, c) => sendFailure(c, logUnexpectedError(c.req, error)));

function isAnyOf(paths: readonly RegExp[], { req: { path } }: AppContext): boolean {
  return paths.some((pattern) => pattern.test(path));
}

/** Whether the request uses a signed or sealed link instead of a key. */
function hasLinkForKey(c: AppContext): boolean {
  if (hasAuthorizationHeader(c)) return false;
  return (
    isSignedDownload(c) || isSignedResultRequest(c) || isConnectRequest(c) || isApprovalLink(c)
  );
}
