import { Hono } from "hono";
import { agentRoutes } from "./agents/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { AGENT_CARD_PATH } from "./interfaces/a2a/paths.ts";
import { a2aRoutes, isA2aRequest } from "./interfaces/a2a/routes.ts";
import { docsRoutes, isDocsRequest } from "./interfaces/docs/routes.ts";
import { isMcpRequest, mcpRoutes } from "./interfaces/mcp/routes.ts";
import { authenticate } from "./http/authentication.ts";
import type { AppContext, AppEnv } from "./http/context.ts";
import { defineEndpoint, mountResource } from "./http/endpoint.ts";
import { logUnexpectedError, sendFailure } from "./http/envelope.ts";
import {
  addRateLimitHeaders,
  addSecurityHeaders,
  assignRequestId,
  limitUrlLength,
  requireLoopback,
} from "./http/middleware.ts";
import { ok } from "./kernel/result.ts";
import { admitRequest } from "./keys/admit-request.ts";
import { keyRoutes } from "./keys/routes.ts";
import { isSignedDownload, taskRoutes } from "./tasks/api/routes.ts";
import { workerRoutes } from "./tasks/workers/routes.ts";
import { isConnectRequest } from "./tools/credentials/routes.ts";
import { isSignedResultRequest, toolRoutes } from "./tools/routes.ts";
import { webhookRoutes } from "./events/webhooks/routes.ts";

/** The whole API: what every request passes, in order, and the slices behind it. */
export const app = new Hono<AppEnv>();

app.use(assignRequestId());
app.use(addSecurityHeaders());
app.use(addRateLimitHeaders());
app.use(requireLoopback());
app.use(
  authenticate({
    open: (c) =>
      c.req.path === "/health" ||
      isWellKnown(c) ||
      isDocsRequest(c) ||
      isA2aRequest(c) ||
      isMcpRequest(c) ||
      isSignedDownload(c) ||
      isSignedResultRequest(c) ||
      isConnectRequest(c),
    find: admitRequest,
  }),
);
app.use(
  limitUrlLength({
    judgedElsewhere: (c) => isMcpRequest(c) || (isA2aRequest(c) && c.req.path !== AGENT_CARD_PATH),
  }),
);

mountResource(app, "/health", {
  GET: defineEndpoint({}, async () => ok({ data: { status: "ok" } })),
});
docsRoutes(app);
a2aRoutes(app);
mcpRoutes(app);
keyRoutes(app);
toolRoutes(app);
workerRoutes(app);
taskRoutes(app);
eventRoutes(app);
webhookRoutes(app);
agentRoutes(app);

app.notFound((c) => sendFailure(c, { kind: "not_found", what: "route", id: c.req.path }));
app.onError((error, c) => sendFailure(c, logUnexpectedError(c.req, error)));

/** Clients request OAuth metadata here without a key; only 404 means that there is none. */
function isWellKnown({ req: { path } }: AppContext): boolean {
  return path.startsWith("/.well-known/");
}
