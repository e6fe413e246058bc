import { filled, ROUTES, type Route } from "../support/routes.ts";
import type { RequestCases } from "./request-case.ts";
import type { Endpoint } from "./endpoint.ts";
import { MANAGEMENT_ENDPOINTS } from "./rest-management-endpoints.ts";
import { PUBLIC_ENDPOINTS, WORK_ENDPOINTS } from "./rest-work-endpoints.ts";

const CASES: RequestCases = { ...PUBLIC_ENDPOINTS, ...WORK_ENDPOINTS, ...MANAGEMENT_ENDPOINTS };

/** The error code for a missing resource, by path. The first match applies. */
const RESOURCES: readonly (readonly [path: RegExp, code: string])[] = [
  [/^\/agents\/tasks\/:id/, "TASK_NOT_FOUND"],
  [/^\/agents\/tools\/:id\/results/, ""],
  [/^\/agents\/tools\/:id\/credentials\/(?:authorize|callback)/, ""],
  [/^\/agents\/tools\/:id/, "TOOL_NOT_FOUND"],
  [/^\/agents\/tools\/access\/:agentId\/:toolId$/, "ACCESS_NOT_FOUND"],
  [/^\/agents\/webhooks\/:id/, "WEBHOOK_NOT_FOUND"],
  [/^\/agents\/approvals\/:id\/(?:approve|deny|link)$/, "APPROVAL_NOT_FOUND"],
  [/^\/agents\/keys\/:id$/, "KEY_NOT_FOUND"],
  [/:agentId$/, "AGENT_NOT_FOUND"],
  [/:teamId$/, "TEAM_NOT_FOUND"],
];

/** Routes whose body names an agent. */
const NAMING = new Set(["POST /agents/tasks", "POST /agents/tasks/claim"]);
/** Routes that a signed link or a sealed parameter authorises instead of a scope. */
const LINKED = new Set([
  "GET /agents/tools/:id/results/:resultId",
  "GET /agents/tools/:id/credentials/authorize",
  "GET /agents/tools/:id/credentials/callback",
  "GET /agents/approvals/:id/decision",
  "POST /agents/approvals/:id/decision",
]);

/** Routes that any valid key may use, whatever its scopes. */
const KEYED = new Set([
  "GET /agents/sessions",
  "DELETE /agents/sessions",
  "GET /agents/sessions/current",
  "DELETE /agents/sessions/current",
  "DELETE /agents/sessions/:id",
  "GET /agents/approvals",
  "GET /agents/approvals/:id",
]);

/** Every route of the service, and an extra entry for each alternative form of a request. */
export const REST_ENDPOINTS: readonly Endpoint[] = [
  ...ROUTES.map((route) => endpointOf(route)),
  endpointOf(routeOf("GET /agents/tasks/:id/deliverables/:name"), "by its link"),
  endpointOf(routeOf("GET /agents/tasks/:id/events"), "as a stream"),
  endpointOf(routeOf("GET /agents/events"), "as a stream"),
  endpointOf(routeOf("GET /agents/tasks/:id"), "with its context"),
  endpointOf(routeOf("POST /agents/tools/:id/invoke"), "for a task"),
];

function endpointOf(route: Route, way: string | null = null): Endpoint {
  const { method, path, scope } = route;
  const plain = `${method} ${path}`;
  const name = way === null ? plain : `${plain} ${way}`;
  const isLink = LINKED.has(plain) || way === "by its link";
  const isNamed = NAMING.has(plain);
  const thing = RESOURCES.find(([of]) => of.test(path))?.[1] ?? "";
  const isPut = plain === "PUT /agents/teams/:teamId";
  const forTask = way === "for a task";
  const needed = scope === null ? null : [scope];
  return {
    name,
    protocol: "rest",
    // A link works with any valid key, whatever its scopes.
    asks: LINKED.has(plain) || KEYED.has(plain) ? [] : needed,
    ...(forTask ? { spends: true as const } : {}),
    ...(isLink ? { isLink: true as const } : {}),
    ...(plain === "POST /agents/tasks/claim" ? { notForTeams: true as const } : {}),
    ...(isNamed ? { isNamed: true as const } : {}),
    // PUT creates a missing team, and a link is valid only for its own resource.
    missing: isNamed
      ? "AGENT_NOT_FOUND"
      : forTask
        ? "TASK_NOT_FOUND"
        : thing === "" || isPut || way === "by its link"
          ? null
          : thing,
    changes: method !== "GET",
    async prepare(tenant) {
      const prepared = await CASES[name]?.(tenant);
      if (prepared === undefined) throw new Error(`${name} has no case in these tables`);
      const { values = {}, missing = null, query = "", body, strange, headers } = prepared;
      const [subject = ""] = Object.keys(values);
      const sent = (given: Readonly<Record<string, string>>, what: typeof body) => ({
        method,
        path: `${filled(path, given)}${query}`,
        ...(what === undefined ? {} : { body: what }),
        ...(headers === undefined ? {} : { headers }),
      });
      const isAbout = missing !== null || strange !== undefined;
      return {
        asked: sent(values, body),
        missing: isAbout
          ? sent(missing === null ? values : { ...values, [subject]: missing }, strange ?? body)
          : null,
        ids: prepared.ids ?? [values[subject] ?? "", missing ?? ""],
        status: prepared.status ?? 200,
        ...(prepared.expectedText === undefined ? {} : { expectedText: prepared.expectedText }),
        taskId: prepared.taskId ?? null,
      };
    },
  };
}

function routeOf(plain: string): Route {
  const route = ROUTES.find(({ method, path }) => `${method} ${path}` === plain);
  if (route === undefined) throw new Error(`There is no route ${plain}`);
  return route;
}
