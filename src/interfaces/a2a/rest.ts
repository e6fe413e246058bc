import { A2A_CONTENT_TYPE, A2A_VERSION_HEADER } from "@a2a-js/sdk";
import type { AppContext } from "../../http/envelope.ts";
import { readJsonBody } from "../../http/json-body.ts";
import { recheckKey } from "../../http/middleware.ts";
import { readQuery } from "../../http/validation.ts";
import { isJsonObject, type Json } from "../../kernel/json.ts";
import { callMethod, toJsonFieldName } from "./call-method.ts";
import {
  errorFormOf,
  invalidParam,
  invalidParams,
  orThrow,
  toRequestError,
  toRestErrorObject,
} from "./errors.ts";
import { A2A_REST_ROOT } from "./paths.ts";
import { type A2aBinding, serveA2aRequest } from "./serve.ts";

const LIST_TASKS_QUERY = [
  "contextId",
  "status",
  "pageSize",
  "pageToken",
  "historyLength",
  "statusTimestampAfter",
  "includeArtifacts",
];

/** One route of the binding (section 11.3). `rpc` is its JSON-RPC method; named groups in `path` are parameters. */
interface RestRoute {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: RegExp;
  readonly rpc: string;
  /** The route's query parameters; absent if it has none. */
  readonly query?: readonly string[];
  readonly status?: 201 | 204;
}

const CONFIGS = /^\/tasks\/(?<taskId>[^/]+)\/pushNotificationConfigs$/;
const CONFIG = /^\/tasks\/(?<taskId>[^/]+)\/pushNotificationConfigs\/(?<id>[^/]+)$/;
/** Defined here because the SDK exports its REST transport only as part of its Express adapter. */
const REST_ROUTES: readonly RestRoute[] = [
  { method: "POST", path: /^\/message:send$/, rpc: "SendMessage" },
  { method: "POST", path: /^\/message:stream$/, rpc: "SendStreamingMessage" },
  { method: "GET", path: /^\/tasks$/, rpc: "ListTasks", query: LIST_TASKS_QUERY },
  { method: "GET", path: /^\/tasks\/(?<id>[^/:]+)$/, rpc: "GetTask", query: ["historyLength"] },
  { method: "POST", path: /^\/tasks\/(?<id>[^/]+):cancel$/, rpc: "CancelTask" },
  // The specification's text says POST; its schema says GET.
  { method: "POST", path: /^\/tasks\/(?<id>[^/]+):subscribe$/, rpc: "SubscribeToTask" },
  { method: "GET", path: /^\/tasks\/(?<id>[^/]+):subscribe$/, rpc: "SubscribeToTask" },
  { method: "POST", path: CONFIGS, rpc: "CreateTaskPushNotificationConfig", status: 201 },
  { method: "GET", path: CONFIGS, rpc: "ListTaskPushNotificationConfigs" },
  { method: "GET", path: CONFIG, rpc: "GetTaskPushNotificationConfig" },
  { method: "DELETE", path: CONFIG, rpc: "DeleteTaskPushNotificationConfig", status: 204 },
  { method: "GET", path: /^\/extendedAgentCard$/, rpc: "GetExtendedAgentCard" },
];

/** The HTTP+JSON binding. Maps paths and queries to JSON-RPC methods. */
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
    versions: ["1.0"],
    contentType: A2A_CONTENT_TYPE,
    toBody: ({ result }) => result,
    toError: (error) => ({ status: errorFormOf(error).status, body: toRestErrorObject(error) }),
    successStatus: route?.status ?? 200,
  };
  return serveA2aRequest(c, binding, async (call) => {
    if (route === undefined) {
      throw toRequestError(
        matching.length === 0
          ? { kind: "not_found", what: "route", id: c.req.path }
          : { kind: "method_not_allowed", method, allow },
      );
    }
    const { path: pattern, rpc, query: known = [] } = route;
    const pathParams = decodePathParams(pattern.exec(path)?.groups ?? {});
    const query = readRestQuery(c, known);
    const given = method === "POST" ? await readRestBody(c) : query;
    const params = isJsonObject(given) ? { ...given, ...pathParams } : given;
    return callMethod(call, { method: rpc, params });
  });
}

function decodePathParams(groups: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]),
    );
  } catch {
    throw invalidParam("path", "must be percent-encoded UTF-8");
  }
}

async function readRestBody(c: AppContext): Promise<Json> {
  const { value = {}, problems } = orThrow(await readJsonBody(c.req.raw, { required: false }));
  const ended = await recheckKey(c);
  if (ended !== null) throw toRequestError(ended);
  if (problems.length > 0) throw invalidParams(problems);
  return value;
}

const NUMBER_PARAMETERS = new Set(["pageSize", "historyLength"]);
const BOOLEAN_VALUES: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Converts the query to parameters. An invalid number or boolean is left as text, which the schema rejects. */
function readRestQuery(c: AppContext, known: readonly string[]): Json {
  const { searchParams } = new URL(c.req.url);
  const named = [...searchParams].map(([name, text]) => [toJsonFieldName(name), text]);
  const url = `${c.req.url.split("?", 1)[0]}?${new URLSearchParams(named).toString()}`;
  const { values, problems } = readQuery(url, known, [A2A_VERSION_HEADER]);
  if (problems.length > 0) throw invalidParams(problems);
  return Object.fromEntries(
    Object.entries(values).map(([name, given]): [string, Json] => {
      // No parameter can be repeated, so each has one text.
      const text = String(given);
      if (NUMBER_PARAMETERS.has(name))
        return [name, /^-?\d{1,9}$/.test(text) ? Number(text) : text];
      return [name, name === "includeArtifacts" ? (BOOLEAN_VALUES[text] ?? text) : text];
    }),
  );
}
