import { isJsonObject, type Json } from "../../domain/json.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { AppContext } from "../../http/context.ts";
import { endedKey } from "../../http/auth.ts";
import { readJson } from "../../http/json.ts";
import { readQuery } from "../../http/query.ts";
import { isTooLong } from "../../http/request.ts";
import type { Door } from "./door.ts";
import { VERSION_PARAMETER } from "./enter.ts";
import { restError } from "./fault-wire.ts";
import { FAULTS, faultOfFailure, invalidParams, type Fault } from "./faults.ts";
import { carryOut, type Done } from "./operations.ts";
import { REST_ROOT } from "./paths.ts";
import { serve } from "./serve.ts";

const LIST_QUERY = [
  "contextId",
  "status",
  "pageSize",
  "pageToken",
  "historyLength",
  "statusTimestampAfter",
  "includeArtifacts",
];

/** One path of the binding (section 11.3): `rpc` is its JSON-RPC method; named groups are parameters. */
interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: RegExp;
  readonly rpc: string;
  /** Its query parameters; absent if it has none. */
  readonly query?: readonly string[];
  readonly status?: 201 | 204;
}

const CONFIGS = String.raw`^/tasks/(?<taskId>[^/]+)/pushNotificationConfigs`;
const ROUTES: readonly Route[] = [
  { method: "POST", path: /^\/message:send$/, rpc: "SendMessage" },
  { method: "POST", path: /^\/message:stream$/, rpc: "SendStreamingMessage" },
  { method: "GET", path: /^\/tasks$/, rpc: "ListTasks", query: LIST_QUERY },
  {
    method: "GET",
    path: /^\/tasks\/(?<id>[^/:]+)$/,
    rpc: "GetTask",
    query: ["historyLength"],
  },
  { method: "POST", path: /^\/tasks\/(?<id>[^/]+):cancel$/, rpc: "CancelTask" },
  // The text of the protocol has POST here, its schema GET.
  { method: "POST", path: /^\/tasks\/(?<id>[^/]+):subscribe$/, rpc: "SubscribeToTask" },
  { method: "GET", path: /^\/tasks\/(?<id>[^/]+):subscribe$/, rpc: "SubscribeToTask" },
  {
    method: "POST",
    path: new RegExp(`${CONFIGS}$`),
    rpc: "CreateTaskPushNotificationConfig",
    status: 201,
  },
  { method: "GET", path: new RegExp(`${CONFIGS}$`), rpc: "ListTaskPushNotificationConfigs" },
  {
    method: "GET",
    path: new RegExp(`${CONFIGS}/(?<id>[^/]+)$`),
    rpc: "GetTaskPushNotificationConfig",
  },
  {
    method: "DELETE",
    path: new RegExp(`${CONFIGS}/(?<id>[^/]+)$`),
    rpc: "DeleteTaskPushNotificationConfig",
    status: 204,
  },
  { method: "GET", path: /^\/extendedAgentCard$/, rpc: "GetExtendedAgentCard" },
];

/** The HTTP+JSON binding: paths and queries for the same methods. */
export async function answerRest(c: AppContext): Promise<Response> {
  const path = new URL(c.req.url).pathname.slice(REST_ROOT.length);
  const here = ROUTES.filter((route) => route.path.test(path));
  const method = c.req.method === "HEAD" ? "GET" : c.req.method;
  const route = here.find((one) => one.method === method);
  const allow = [...here.map((one) => one.method), "OPTIONS"].join(", ");
  if (method === "OPTIONS" && here.length > 0) {
    return new Response(null, { status: 204, headers: { Allow: allow } });
  }
  const binding = {
    contentType: "application/a2a+json",
    fault: restError,
    value: (value: unknown) => value,
    faultStatus: ({ name }: Fault) => FAULTS[name].status,
    status: () => route?.status ?? 200,
  };
  return serve(c, binding, async (door) => {
    if (isTooLong(c)) return fail(faultOfFailure({ kind: "uri_too_long" }));
    if (route !== undefined) return called(c, door, route, path);
    const id = c.req.path;
    return fail(
      faultOfFailure(
        here.length === 0
          ? { kind: "not_found", what: "route", id }
          : { kind: "method_not_allowed", method, allow },
      ),
    );
  });
}

async function called(
  c: AppContext,
  door: Door,
  { method, path: pattern, rpc, query: known = [] }: Route,
  path: string,
): Promise<Result<Done, Fault>> {
  const named = namesIn(pattern.exec(path)?.groups ?? {});
  if (!named.ok) return named;
  const query = queryOf(c, known);
  if (!query.ok) return query;
  const given = method === "POST" ? await bodyOf(c) : query;
  if (!given.ok) return given;
  const params = isJsonObject(given.value) ? { ...given.value, ...named.value } : given.value;
  return carryOut(door, rpc, params);
}

function namesIn(groups: Record<string, string>): Result<Record<string, string>, Fault> {
  try {
    return ok(
      Object.fromEntries(
        Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]),
      ),
    );
  } catch {
    const message = "must be percent-encoded UTF-8";
    return fail(invalidParams([{ path: "path", message }]));
  }
}

async function bodyOf(c: AppContext): Promise<Result<Json, Fault>> {
  const body = await readJson(c.req.raw, { required: false });
  if (!body.ok) return fail(faultOfFailure(body.failure));
  const ended = await endedKey(c);
  if (ended !== null) return fail(faultOfFailure(ended));
  const { value = {}, problems } = body.value;
  return problems.length > 0 ? fail(invalidParams(problems)) : ok(value);
}

const NUMBERS = new Set(["pageSize", "historyLength"]);
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

/** A query as the parameters that it stands for; what is no number or boolean is left for the schema to refuse. */
function queryOf(c: AppContext, known: readonly string[]): Result<Json, Fault> {
  const search = new URL(c.req.url).searchParams;
  const { values, problems } = readQuery(search, known, [VERSION_PARAMETER]);
  if (problems.length > 0) return fail(invalidParams(problems));
  return ok(
    Object.fromEntries(
      Object.entries(values).map(([name, text]): [string, Json] => {
        if (NUMBERS.has(name)) return [name, /^-?\d{1,9}$/.test(text) ? Number(text) : text];
        return [name, name === "includeArtifacts" ? (BOOLEANS[text] ?? text) : text];
      }),
    ),
  );
}
