import { type Result, fail, ok } from "../../kernel/result.ts";
import { type AppContext, logUnexpectedError } from "../../http/envelope.ts";
import { streamMessages, type SseMessage } from "../../http/streaming.ts";
import { type A2aCallContext, admitA2aRequest, A2A_VERSION_PARAMETER } from "./call-context.ts";
import {
  toRequestFailure,
  type A2aRequestFailure,
  A2A_WIRE_ERRORS,
  createInvalidParams,
  toA2aRpcError,
  toA2aRestError,
} from "./failures.ts";
import { isJsonObject, type Json } from "../../kernel/json.ts";
import { recheckKey, isUrlTooLong } from "../../http/middleware.ts";
import { readJsonBody } from "../../http/json-body.ts";
import { readQuery } from "../../http/validation.ts";
import { runA2aOperation } from "./operations.ts";
import { A2A_REST_ROOT } from "./paths.ts";

/** How a binding serializes results and failures over HTTP. */
export interface A2aBinding {
  readonly contentType: string;
  readonly toErrorBody: (failure: A2aRequestFailure) => object;
  /** Of a value, and of each message of a stream. */
  readonly toResultBody: (value: unknown) => unknown;
  readonly errorStatus: (failure: A2aRequestFailure) => number;
  /** Of a value; with 204 it has no body. */
  readonly successStatus: number;
}

/** Authenticates and handles a request; responds in the form of the binding. */
export async function serveA2aRequest(
  c: AppContext,
  binding: A2aBinding,
  handle: (call: A2aCallContext) => Promise<Result<unknown, A2aRequestFailure>>,
): Promise<Response> {
  const abortController = new AbortController();
  c.req.raw.signal.addEventListener("abort", () => abortController.abort());
  let isStreaming = false;
  try {
    const call = await admitA2aRequest(c, abortController.signal);
    const result = call.ok ? await handle(call.value) : call;
    if (!result.ok) return toFailureResponse(binding, result.failure);
    if (!isStream(result.value)) return toValueResponse(binding, result.value);
    if (c.req.method === "HEAD") return new Response(null);
    isStreaming = true;
    return streamMessages(c, toSseFrames(c, binding, result.value), abortController);
  } catch (error) {
    return toFailureResponse(binding, toRequestFailure(logUnexpectedError(c.req, error)));
  } finally {
    if (!isStreaming) abortController.abort();
  }
}

function toValueResponse(binding: A2aBinding, value: unknown): Response {
  const status = binding.successStatus;
  if (status === 204) return new Response(null, { status });
  const headers = { "Content-Type": binding.contentType };
  return new Response(JSON.stringify(binding.toResultBody(value)), { status, headers });
}

function toFailureResponse(binding: A2aBinding, failure: A2aRequestFailure): Response {
  return new Response(JSON.stringify(binding.toErrorBody(failure)), {
    status: binding.errorStatus(failure),
    headers: { "Content-Type": binding.contentType, ...failure.headers },
  });
}

async function* toSseFrames(
  c: AppContext,
  binding: A2aBinding,
  messages: AsyncIterable<unknown>,
): AsyncGenerator<SseMessage | null, void, undefined> {
  try {
    for await (const message of messages) {
      yield message === null ? null : { data: JSON.stringify(binding.toResultBody(message)) };
    }
  } catch (error) {
    yield {
      event: "error",
      data: JSON.stringify(binding.toErrorBody(toRequestFailure(logUnexpectedError(c.req, error)))),
    };
  }
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** The JSON-RPC binding (section 9): every method is a POST to one path. */
export async function handleA2aRpc(c: AppContext): Promise<Response> {
  if (c.req.method === "OPTIONS")
    return new Response(null, { status: 204, headers: { Allow: RPC_ALLOW } });
  const reply = { jsonrpc: "2.0", id: null as string | number | null };
  const binding: A2aBinding = {
    contentType: "application/json",
    toErrorBody: (failure) => ({ ...reply, error: toA2aRpcError(failure) }),
    toResultBody: (value) => ({ ...reply, result: value }),
    errorStatus({ name }) {
      const { isTransport, status } = A2A_WIRE_ERRORS[name];
      return isTransport ? status : 200;
    },
    successStatus: 200,
  };
  return serveA2aRequest(c, binding, async (call) => {
    if (isUrlTooLong(c)) return fail(toRequestFailure({ kind: "uri_too_long" }));
    if (c.req.method !== "POST") {
      const { method } = c.req;
      return fail(toRequestFailure({ kind: "method_not_allowed", method, allow: RPC_ALLOW }));
    }
    const query = readQuery(c.req.url, [], [A2A_VERSION_PARAMETER]);
    if (query.problems.length > 0) return fail(createInvalidParams(query.problems));
    const body = await readJsonBody(c.req.raw, { required: true });
    if (!body.ok) return fail(toRequestFailure(body.failure));
    const ended = await recheckKey(c);
    if (ended !== null) return fail(toRequestFailure(ended));
    const { value, problems } = body.value;
    reply.id = readRequestId(value);
    return problems.length > 0 ? fail(createInvalidParams(problems)) : callRpcMethod(call, value);
  });
}

const RPC_ALLOW = "POST, OPTIONS";

async function callRpcMethod(
  call: A2aCallContext,
  request: Json | undefined,
): Promise<Result<unknown, A2aRequestFailure>> {
  if (Array.isArray(request))
    return invalidRequest("a single request: A2A does not support batches");
  if (!isJsonObject(request)) return invalidRequest("a JSON-RPC request, which is an object");
  const { jsonrpc, method, params = {}, id } = request;
  if (jsonrpc !== "2.0") return invalidRequest('"jsonrpc": "2.0"');
  if (id !== undefined && id !== null && readRequestId(request) === null) {
    return invalidRequest("an id that is a string or a whole number");
  }
  if (typeof method !== "string") return invalidRequest("a method, such as SendMessage");
  return runA2aOperation(call, method, params);
}

function invalidRequest(rule: string): Result<never, A2aRequestFailure> {
  return fail({ name: "invalid_request", message: `The body must hold ${rule}.` });
}

function readRequestId(request: Json | undefined): string | number | null {
  const id = isJsonObject(request) ? request["id"] : null;
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id)) ? id : null;
}

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
  const { values, problems } = readQuery(c.req.url, known, [A2A_VERSION_PARAMETER]);
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
