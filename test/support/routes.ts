import type { Scope } from "../../src/keys/model/key.ts";

/** One method on one path. `scope` is null for a public route. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly scope: Scope | null;
}

/** Every route of the service. A test compares this list with the app's routes. */
export const ROUTES: readonly Route[] = [
  { method: "GET", path: "/health", scope: null },
  { method: "GET", path: "/openapi.json", scope: null },
  { method: "GET", path: "/docs", scope: null },
  { method: "GET", path: "/docs/settings.json", scope: null },
  { method: "GET", path: "/docs/guides", scope: null },
  { method: "GET", path: "/docs/guides/:page", scope: null },
  { method: "GET", path: "/docs/:file", scope: null },
  { method: "GET", path: "/console", scope: null },
  { method: "GET", path: "/console/:view", scope: null },
  { method: "GET", path: "/console/:view/:item", scope: null },
  { method: "GET", path: "/agents/keys", scope: "keys:manage" },
  { method: "POST", path: "/agents/keys", scope: "keys:manage" },
  { method: "PATCH", path: "/agents/keys/:id", scope: "keys:manage" },
  { method: "DELETE", path: "/agents/keys/:id", scope: "keys:manage" },
  { method: "GET", path: "/agents/sessions", scope: null },
  { method: "POST", path: "/agents/sessions", scope: null },
  { method: "DELETE", path: "/agents/sessions", scope: null },
  { method: "GET", path: "/agents/sessions/current", scope: null },
  { method: "DELETE", path: "/agents/sessions/current", scope: null },
  { method: "DELETE", path: "/agents/sessions/:id", scope: null },
  { method: "GET", path: "/agents/tools", scope: "tools:read" },
  { method: "POST", path: "/agents/tools", scope: "tools:manage" },
  { method: "POST", path: "/agents/tools/import", scope: "tools:manage" },
  { method: "GET", path: "/agents/tools/:id", scope: "tools:read" },
  { method: "PATCH", path: "/agents/tools/:id", scope: "tools:manage" },
  { method: "DELETE", path: "/agents/tools/:id", scope: "tools:manage" },
  { method: "GET", path: "/agents/tools/:id/capabilities", scope: "tools:read" },
  { method: "GET", path: "/agents/tools/:id/capabilities/:capability", scope: "tools:read" },
  { method: "GET", path: "/agents/tools/:id/results/:resultId", scope: null },
  { method: "GET", path: "/agents/tools/:id/usage", scope: "tools:read" },
  { method: "GET", path: "/agents/usage", scope: "tools:read" },
  { method: "POST", path: "/agents/tools/:id/invoke", scope: "tools:invoke" },
  { method: "GET", path: "/agents/access", scope: "tools:read" },
  { method: "GET", path: "/agents/access/explain", scope: "tools:read" },
  { method: "POST", path: "/agents/tools/access", scope: "access:manage" },
  { method: "GET", path: "/agents/tools/access/:agentId", scope: "tools:read" },
  { method: "DELETE", path: "/agents/tools/access/:agentId/:toolId", scope: "access:manage" },
  { method: "GET", path: "/agents/tools/:id/credentials", scope: "tools:manage" },
  { method: "PUT", path: "/agents/tools/:id/credentials", scope: "tools:manage" },
  { method: "DELETE", path: "/agents/tools/:id/credentials", scope: "tools:manage" },
  { method: "POST", path: "/agents/tools/:id/credentials/connect", scope: "tools:manage" },
  { method: "GET", path: "/agents/tools/:id/credentials/authorize", scope: null },
  { method: "GET", path: "/agents/tools/:id/credentials/callback", scope: null },
  { method: "GET", path: "/agents/tasks", scope: "tasks:read" },
  { method: "POST", path: "/agents/tasks", scope: "tasks:write" },
  { method: "POST", path: "/agents/tasks/claim", scope: "tasks:work" },
  { method: "GET", path: "/agents/tasks/:id", scope: "tasks:read" },
  { method: "PATCH", path: "/agents/tasks/:id", scope: "tasks:write" },
  { method: "GET", path: "/agents/tasks/:id/events", scope: "tasks:read" },
  { method: "POST", path: "/agents/tasks/:id/cancel", scope: "tasks:write" },
  { method: "POST", path: "/agents/tasks/:id/retry", scope: "tasks:write" },
  { method: "POST", path: "/agents/tasks/:id/respond", scope: "tasks:write" },
  { method: "POST", path: "/agents/tasks/:id/review", scope: "tasks:write" },
  { method: "POST", path: "/agents/tasks/:id/feedback", scope: "tasks:write" },
  { method: "POST", path: "/agents/tasks/:id/report", scope: "tasks:work" },
  { method: "GET", path: "/agents/tasks/:id/calls", scope: "tasks:read" },
  { method: "GET", path: "/agents/tasks/:id/calls/:callId", scope: "tasks:read" },
  { method: "GET", path: "/agents/tasks/:id/deliverables", scope: "tasks:read" },
  { method: "GET", path: "/agents/tasks/:id/deliverables/:name", scope: "tasks:read" },
  { method: "PUT", path: "/agents/tasks/:id/deliverables/:name", scope: "tasks:work" },
  { method: "GET", path: "/agents/events", scope: "tasks:read" },
  { method: "GET", path: "/agents/webhooks", scope: "webhooks:manage" },
  { method: "POST", path: "/agents/webhooks", scope: "webhooks:manage" },
  { method: "GET", path: "/agents/webhooks/:id", scope: "webhooks:manage" },
  { method: "PATCH", path: "/agents/webhooks/:id", scope: "webhooks:manage" },
  { method: "DELETE", path: "/agents/webhooks/:id", scope: "webhooks:manage" },
  { method: "POST", path: "/agents/webhooks/:id/secret", scope: "webhooks:manage" },
  { method: "POST", path: "/agents/webhooks/:id/test", scope: "webhooks:manage" },
  { method: "GET", path: "/agents/webhooks/:id/deliveries", scope: "webhooks:manage" },
  { method: "GET", path: "/agents/webhooks/:id/deliveries/:deliveryId", scope: "webhooks:manage" },
  {
    method: "POST",
    path: "/agents/webhooks/:id/deliveries/:deliveryId/redeliver",
    scope: "webhooks:manage",
  },
  { method: "GET", path: "/agents/policies", scope: "policies:manage" },
  { method: "POST", path: "/agents/policies", scope: "policies:manage" },
  { method: "GET", path: "/agents/policies/explain", scope: "policies:manage" },
  { method: "POST", path: "/agents/policies/simulate", scope: "policies:manage" },
  { method: "GET", path: "/agents/policies/:id", scope: "policies:manage" },
  { method: "PUT", path: "/agents/policies/:id", scope: "policies:manage" },
  { method: "PATCH", path: "/agents/policies/:id", scope: "policies:manage" },
  { method: "DELETE", path: "/agents/policies/:id", scope: "policies:manage" },
  { method: "GET", path: "/agents/approvals", scope: null },
  { method: "GET", path: "/agents/approvals/:id", scope: null },
  { method: "POST", path: "/agents/approvals/:id/approve", scope: "approvals:decide" },
  { method: "POST", path: "/agents/approvals/:id/deny", scope: "approvals:decide" },
  { method: "POST", path: "/agents/approvals/:id/link", scope: "approvals:decide" },
  { method: "GET", path: "/agents/approvals/:id/decision", scope: null },
  { method: "POST", path: "/agents/approvals/:id/decision", scope: null },
  { method: "GET", path: "/agents/audit", scope: "audit:read" },
  { method: "POST", path: "/agents/audit/verify", scope: "audit:read" },
  { method: "GET", path: "/agents/teams", scope: "agents:manage" },
  { method: "GET", path: "/agents/teams/:teamId", scope: "agents:manage" },
  { method: "PUT", path: "/agents/teams/:teamId", scope: "agents:manage" },
  { method: "DELETE", path: "/agents/teams/:teamId", scope: "agents:manage" },
  { method: "GET", path: "/agents", scope: "agents:manage" },
  { method: "POST", path: "/agents", scope: "agents:manage" },
  { method: "GET", path: "/agents/:agentId", scope: "agents:manage" },
  { method: "PATCH", path: "/agents/:agentId", scope: "agents:manage" },
  { method: "DELETE", path: "/agents/:agentId", scope: "agents:manage" },
];

/** The allowed methods for each path, as in the `Allow` header. */
export const ALLOW: ReadonlyMap<string, string> = new Map(
  [...Map.groupBy(ROUTES, ({ path }) => path)].map(([path, routes]) => {
    const methods = routes.map(({ method }) => (method === "GET" ? "GET, HEAD" : method));
    return [path, [...methods, "OPTIONS"].join(", ")];
  }),
);

/** Fills in a path's parameters from `values`, or with a placeholder id. */
export function filled(path: string, values: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? "a".repeat(64));
}
