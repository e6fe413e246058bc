import { isJsonObject, type Json } from "../../kernel/json.ts";
import { fail, type Result } from "../../kernel/result.ts";
import type { AppContext } from "../../http/context.ts";
import { recheckKey, isUrlTooLong } from "../../http/middleware.ts";
import { readJsonBody } from "../../http/json-body.ts";
import { readQuery } from "../../http/query.ts";
import { A2A_VERSION_PARAMETER, type A2aCallContext } from "./call-context.ts";
import {
  A2A_WIRE_ERRORS,
  type A2aRequestFailure,
  createInvalidParams,
  createRequestFailure,
  toA2aRpcError,
  toRequestFailure,
} from "./failures.ts";
import { runA2aOperation } from "./operations.ts";
import { serveA2aRequest, type A2aBinding } from "./binding.ts";

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
    const query = readQuery(new URL(c.req.url).searchParams, [], [A2A_VERSION_PARAMETER]);
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
  if (Array.isArray(request)) return invalidRequest("one request at a time: A2A knows no batches");
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
  return fail(createRequestFailure("invalid_request", `The body must hold ${rule}.`));
}

function readRequestId(request: Json | undefined): string | number | null {
  const id = isJsonObject(request) ? request["id"] : null;
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id)) ? id : null;
}
