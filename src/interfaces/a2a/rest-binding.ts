import { isJsonObject, type Json } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { AppContext } from "../../http/context.ts";
import { recheckKey, isUrlTooLong } from "../../http/middleware.ts";
import { readJsonBody } from "../../http/json-body.ts";
import { readQuery } from "../../http/query.ts";
import { A2A_VERSION_PARAMETER, type A2aCallContext } from "./call-context.ts";
import {
  A2A_WIRE_ERRORS,
  type A2aRequestFailure,
  createInvalidParams,
  toA2aRestError,
  toRequestFailure,
} from "./failures.ts";
import { runA2aOperation } from "./operations.ts";
import { A2A_REST_ROOT } from "./paths.ts";
import { serveA2aRequest, type A2aBinding } from "./binding.ts";

const LIST_TASKS_QUERY = [
  "contextId",
  "status",
  "pageSize",
  "pageToken",
  "historyLength",
  "statusTimestampAfter",
  "includeArtifacts",
];

/** One path of the binding (section 11.3): `rpc` is its JSON-RPC method; named groups are parameters. */
interface RestRoute {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: RegExp;
  readonly rpc: string;
  /** Its query parameters; absent if it has none. */
  readonly query?: readonly string[];
  readonly status?: 201 | 204;
}

const CONFIGS = /^\/tasks\/(?<taskId>[^/]+)\/pushNotificationConfigs$/;
const CONFIG = /^\/tasks\/(?<taskId>[^/]+)\/pushNotificationConfigs\/(?<id>[^/]+)$/;
const REST_ROUTES: readonly RestRoute[] = [
  { method: "POST", path: /^\/message:send$/, rpc: "SendMessage" },
  { method: "POST", path: /^\/message:stream$/, rpc: "SendStreamingMessage" },
  { method: "GET", path: /^\/tasks$/, rpc: "ListTasks", query: LIST_TASKS_QUERY },
  { method: "GET", path: /^\/tasks\/(?<id>[^/:]+)$/, rpc: "GetTask", query: ["historyLength"] },
  { method: "POST", path: /^\/tasks\/(?<id>[^/]+):cancel$/, rpc: "CancelTask" },
  // The text of the specification has POST, its schema GET.
  { method: "POST", path: /^\/tasks\/(?<id>[^/]+):subscribe$/, rpc: "SubscribeToTask" },
  { method: "GET", path: /^\/tasks\/(?<id>[^/]+):subscribe$/, rpc: "SubscribeToTask" },
  { method: "POST", path: CONFIGS, rpc: "CreateTaskPushNotificationConfig", status: 201 },
  { method: "GET", path: CONFIGS, rpc: "ListTaskPushNotificationConfigs" },
  { method: "GET", path: CONFIG, rpc: "GetTaskPushNotificationConfig" },
  { method: "DELETE", path: CONFIG, rpc: "DeleteTaskPushNotificationConfig", status: 204 },
  { method: "GET", path: /^\/extendedAgentCard$/, rpc: "GetExtendedAgentCard" },
];

/** The HTTP+JSON binding: paths and queries for the same methods. */
export async function handleA2aRest(c: AppContext): Promise<Response> {
  const path = new URL(c.req.url).pathname.slice(A2A_REST_ROOT.length);
  const matching = REST_ROUTES.filter((route) => route.path.test(path));
  const method = c.req.method === "HEAD" ? "GET" : c.req.method;
  const route = matching.find((one) => one.method === method);
  const allow = [...matching.map((one) => one.method), "OPTIONS"].join(", ");
  if (method === "OPTIONS" && matching.length > 0) {
    return new Response(null, { status: 204, headers: { Allow: allow } });
  }
  const binding: A2aBinding = {
    contentType: "application/a2a+json",
    toErrorBody: toA2aRestError,
    toResultBody: (value) => value,
    errorStatus: ({ name }) => A2A_WIRE_ERRORS[name].status,
    successStatus: route?.status ?? 200,
  };
  return serveA2aRequest(c, binding, async (call) => {
    if (isUrlTooLong(c)) return fail(toRequestFailure({ kind: "uri_too_long" }));
    if (route !== undefined) return callRestRoute(c, call, route, path);
    const id = c.req.path;
    return fail(
      toRequestFailure(
        matching.length === 0
          ? { kind: "not_found", what: "route", id }
          : { kind: "method_not_allowed", method, allow },
      ),
    );
  });
}

async function callRestRoute(
  c: AppContext,
  call: A2aCallContext,
  { method, path: pattern, rpc, query: known = [] }: RestRoute,
  path: string,
): Promise<Result<unknown, A2aRequestFailure>> {
  const pathParams = decodePathParameters(pattern.exec(path)?.groups ?? {});
  if (!pathParams.ok) return pathParams;
  const query = readRestQuery(c, known);
  if (!query.ok) return query;
  const given = method === "POST" ? await readRestBody(c) : query;
  if (!given.ok) return given;
  const params = isJsonObject(given.value) ? { ...given.value, ...pathParams.value } : given.value;
  return runA2aOperation(call, rpc, params);
}

function decodePathParameters(
  groups: Record<string, string>,
): Result<Record<string, string>, A2aRequestFailure> {
  try {
    return ok(
      Object.fromEntries(
        Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]),
      ),
    );
  } catch {
    const message = "must be percent-encoded UTF-8";
    return fail(createInvalidParams([{ path: "path", message }]));
  }
}

async function readRestBody(c: AppContext): Promise<Result<Json, A2aRequestFailure>> {
  const body = await readJsonBody(c.req.raw, { required: false });
  if (!body.ok) return fail(toRequestFailure(body.failure));
  const ended = await recheckKey(c);
  if (ended !== null) return fail(toRequestFailure(ended));
  const { value = {}, problems } = body.value;
  return problems.length > 0 ? fail(createInvalidParams(problems)) : ok(value);
}

const NUMBER_PARAMETERS = new Set(["pageSize", "historyLength"]);
const BOOLEAN_VALUES: Readonly<Record<string, boolean>> = { true: true, false: false };

/** The query as parameters; the schema rejects values that are not a number or a boolean. */
function readRestQuery(c: AppContext, known: readonly string[]): Result<Json, A2aRequestFailure> {
  const search = new URL(c.req.url).searchParams;
  const { values, problems } = readQuery(search, known, [A2A_VERSION_PARAMETER]);
  if (problems.length > 0) return fail(createInvalidParams(problems));
  return ok(
    Object.fromEntries(
      Object.entries(values).map(([name, text]): [string, Json] => {
        if (NUMBER_PARAMETERS.has(name))
          return [name, /^-?\d{1,9}$/.test(text) ? Number(text) : text];
        return [name, name === "includeArtifacts" ? (BOOLEAN_VALUES[text] ?? text) : text];
      }),
    ),
  );
}
