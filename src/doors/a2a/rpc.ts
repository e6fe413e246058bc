import { isJsonObject, type Json } from "../../domain/json.ts";
import { fail, type Result } from "../../domain/result.ts";
import type { AppContext } from "../../http/context.ts";
import { endedKey } from "../../http/auth.ts";
import { readJson } from "../../http/json.ts";
import { readQuery } from "../../http/query.ts";
import { isTooLong } from "../../http/request.ts";
import type { Door } from "./door.ts";
import { VERSION_PARAMETER } from "./enter.ts";
import { rpcError } from "./fault-wire.ts";
import { faultOf, faultOfFailure, invalidParams, type Fault } from "./faults.ts";
import { carryOut, type Done } from "./operations.ts";
import { httpStatus, serve } from "./serve.ts";

/** The JSON-RPC binding (section 9): every method by POST to one address. */
export async function answerRpc(c: AppContext): Promise<Response> {
  if (c.req.method === "OPTIONS")
    return new Response(null, { status: 204, headers: { Allow: ALLOW } });
  const reply = { jsonrpc: "2.0", id: null as string | number | null };
  const binding = {
    contentType: "application/json",
    fault: (fault: Fault) => ({ ...reply, error: rpcError(fault) }),
    value: (value: unknown) => ({ ...reply, result: value }),
    faultStatus: (fault: Fault) => httpStatus(fault) ?? 200,
    status: () => 200,
  };
  return serve(c, binding, async (door) => {
    if (isTooLong(c)) return fail(faultOfFailure({ kind: "uri_too_long" }));
    if (c.req.method !== "POST") {
      const { method } = c.req;
      return fail(faultOfFailure({ kind: "method_not_allowed", method, allow: ALLOW }));
    }
    const query = readQuery(new URL(c.req.url).searchParams, [], [VERSION_PARAMETER]);
    if (query.problems.length > 0) return fail(invalidParams(query.problems));
    const body = await readJson(c.req.raw, { required: true });
    if (!body.ok) return fail(faultOfFailure(body.failure));
    const ended = await endedKey(c);
    if (ended !== null) return fail(faultOfFailure(ended));
    const { value, problems } = body.value;
    reply.id = idIn(value);
    return problems.length > 0 ? fail(invalidParams(problems)) : called(door, value);
  });
}

const ALLOW = "POST, OPTIONS";

async function called(door: Door, request: Json | undefined): Promise<Result<Done, Fault>> {
  if (Array.isArray(request)) return invalid("one request at a time: A2A knows no batches");
  if (!isJsonObject(request)) return invalid("a JSON-RPC request, which is an object");
  const { jsonrpc, method, params = {}, id } = request;
  if (jsonrpc !== "2.0") return invalid('"jsonrpc": "2.0"');
  if (id !== undefined && id !== null && idIn(request) === null) {
    return invalid("an id that is a string or a whole number");
  }
  if (typeof method !== "string") return invalid("a method, such as SendMessage");
  return carryOut(door, method, params);
}

function invalid(rule: string): Result<never, Fault> {
  return fail(faultOf("invalid_request", `The body must hold ${rule}.`));
}

function idIn(request: Json | undefined): string | number | null {
  const id = isJsonObject(request) ? request["id"] : null;
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id)) ? id : null;
}
