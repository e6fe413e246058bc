import { A2A_VERSION_HEADER } from "@a2a-js/sdk";
import * as z from "zod";
import type { AppContext } from "../../http/envelope.ts";
import { readJsonBody } from "../../http/json-body.ts";
import { recheckKey } from "../../http/middleware.ts";
import { readQuery, validateSchema } from "../../http/validation.ts";
import { isJsonObject, type Json } from "../../kernel/json.ts";
import { callMethod, type A2aMethodCall } from "./call-method.ts";
import {
  errorFormOf,
  invalidParams,
  orThrow,
  ServiceError,
  toRequestError,
  toRpcErrorObject,
} from "./errors.ts";
import { type A2aBinding, serveA2aRequest } from "./serve.ts";

const ALLOW = "POST, OPTIONS";

/** The JSON-RPC binding (section 9): every method is a POST to one path. */
export async function handleA2aRpc(c: AppContext): Promise<Response> {
  const { method } = c.req;
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { Allow: ALLOW } });
  const reply = { jsonrpc: "2.0", id: null as string | number | null };
  const binding: A2aBinding = {
    versions: ["1.0", "0.3"],
    contentType: "application/json",
    toBody: (response) => response,
    toError(error) {
      const { isHttp = false, status } = errorFormOf(error);
      const body = { ...reply, error: toRpcErrorObject(error) };
      return { status: isHttp ? status : 200, body };
    },
    successStatus: 200,
  };
  return serveA2aRequest(c, binding, async (call) => {
    if (method !== "POST")
      throw toRequestError({ kind: "method_not_allowed", method, allow: ALLOW });
    const query = readQuery(c.req.url, [], [A2A_VERSION_HEADER]);
    if (query.problems.length > 0) throw invalidParams(query.problems);
    const { value, problems } = orThrow(await readJsonBody(c.req.raw, { required: true }));
    const ended = await recheckKey(c);
    if (ended !== null) throw toRequestError(ended);
    reply.id = readRequestId(value);
    if (problems.length > 0) throw invalidParams(problems);
    return callMethod(call, parseRpcRequest(value));
  });
}

const requestId = z.union([z.string(), z.int()], { error: "must be a string or a whole number" });
const rpcRequest = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.string(),
  params: z.custom<Json>().default({}),
  id: requestId.nullish(),
});

/**
 * Validates the request here, because the SDK reports an invalid request with the error code for invalid parameters.
 */
function parseRpcRequest(body: Json | undefined): A2aMethodCall {
  if (Array.isArray(body)) throw new ServiceError("INVALID_REQUEST", NO_BATCHES);
  const request = validateSchema(rpcRequest, body);
  if (request.ok) return request.value;
  const { message, problems } = invalidParams(request.failure);
  throw new ServiceError("INVALID_REQUEST", message, { problems });
}

const NO_BATCHES = "A2A does not support batches. Send one request per body.";

function readRequestId(body: Json | undefined): string | number | null {
  const id = requestId.safeParse(isJsonObject(body) ? body["id"] : null);
  return id.success ? id.data : null;
}
