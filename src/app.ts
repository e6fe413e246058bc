import { Hono } from "hono";
import { agentRoutes } from "./agents/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { CARD_PATH } from "./doors/a2a/paths.ts";
import { a2aRoutes, isA2a } from "./doors/a2a/routes.ts";
import { docsRoutes, isReference } from "./doors/docs/routes.ts";
import { isMcp, mcpRoutes } from "./doors/mcp/routes.ts";
import { authenticate } from "./http/auth.ts";
import type { AppContext, AppEnv } from "./http/context.ts";
import { endpoint, resource } from "./http/endpoint.ts";
import { failed } from "./http/envelope.ts";
import { requireLoopback } from "./http/loopback.ts";
import { boundUrl, identify, stateRequestLimit } from "./http/request.ts";
import { protectResponses } from "./http/response-headers.ts";
import { unexpected } from "./http/unexpected.ts";
import { ok } from "./domain/result.ts";
import { admitRequest } from "./keys/key-limits.ts";
import { keyRoutes } from "./keys/routes.ts";
import { isSignedDownload, taskRoutes } from "./tasks/routes.ts";
import { workerRoutes } from "./tasks/worker/routes.ts";
import { isConnectCallback } from "./tools/credentials/routes.ts";
import { isSignedResult, toolRoutes } from "./tools/routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

/** The whole API: what every request passes, in order, and the slices behind it. */
export const app = new Hono<AppEnv>();

app.use(identify());
app.use(protectResponses());
app.use(stateRequestLimit());
app.use(requireLoopback());
app.use(
  authenticate({
    open: (c) =>
      c.req.path === "/health" ||
      isWellKnown(c) ||
      isReference(c) ||
      isA2a(c) ||
      isMcp(c) ||
      isSignedDownload(c) ||
      isSignedResult(c) ||
      isConnectCallback(c),
    find: admitRequest,
  }),
);
app.use(boundUrl({ judgedElsewhere: (c) => isMcp(c) || (isA2a(c) && c.req.path !== CARD_PATH) }));

resource(app, "/health", {
  GET: endpoint({}, async () => ok({ data: { status: "ok" } })),
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

app.notFound((c) => failed(c, { kind: "not_found", what: "route", id: c.req.path }));
app.onError((error, c) => unexpected(c, error));

/** Clients request OAuth metadata here without a key; only 404 means that there is none. */
function isWellKnown({ req: { path } }: AppContext): boolean {
  return path.startsWith("/.well-known/");
}
