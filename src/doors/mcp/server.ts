import { ProtocolError, Server } from "@modelcontextprotocol/server";
import { OURSELVES } from "../../domain/ourselves.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import { failureBehind } from "../../http/unexpected.ts";
import type { Result } from "../../domain/result.ts";
import type { Caller } from "./caller.ts";
import { failedResult } from "./outcome.ts";
import { paramsProblems } from "./params.ts";
import { RPC, rpcError, type RpcError } from "./refusal.ts";
import { callTool, listTools } from "./tools.ts";

/** Revisions whose requests each bring all that is to know of the client. */
export const MODERN: readonly string[] = ["2026-07-28"];
/** Revisions that begin with `initialize`, the best first. Those before them had another transport. */
export const LEGACY: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];

const INSTRUCTIONS =
  "Bosun keeps tools and tasks for AI agents. Tools named toolId__capability are the capabilities that this key's agent has been granted; calls are counted and may cost money. The others handle tasks: create_task gives work to an agent, get_task with waitSeconds waits for its status to change, list_deliverables lists its files; claim_task and report_task are for agents that do the work themselves. A failed call says what to change.";

/** The server of one exchange. */
export function serverFor(caller: Caller): Server {
  const server = new DoorServer(OURSELVES, {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    supportedProtocolVersions: [...MODERN, ...LEGACY],
  });
  server.setRequestHandler("tools/list", async ({ params }) => {
    try {
      return orThrow(await listTools(caller, params?.cursor));
    } catch (error) {
      throw asProtocolError(caller, error);
    }
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    try {
      const given = argumentsIn(params.arguments);
      return orThrow(await callTool(caller, params.name, given, mcpReq.signal));
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      return failedResult(failureBehind(noted(caller, error)));
    }
  });
  return server;
}

/** The SDK's own, which tells of params that it cannot read in its validator's raw words, or as a fault of the server. */
class DoorServer extends Server {
  protected override _wrapHandler(
    method: string,
    handler: Parameters<Server["_wrapHandler"]>[1],
  ): ReturnType<Server["_wrapHandler"]> {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      const problems = paramsProblems(method, request.params);
      if (problems.length > 0) {
        throw thrownFor(rpcError({ kind: "validation", problems }, RPC.invalidParams));
      }
      try {
        return await wrapped(request, context);
      } catch (error) {
        // What the handlers above throw is a ProtocolError; anything else comes of reading the params.
        const isOurs = error instanceof ProtocolError && !isRaw(method, error);
        throw isOurs ? error : new ProtocolError(RPC.invalidParams, unreadable(method));
      }
    };
  }
}

/** The SDK's own words for params that it cannot read. */
function isRaw(method: string, { message }: Error): boolean {
  return message.startsWith(`Invalid ${method} request: `);
}

function unreadable(method: string): string {
  return `params must be those of ${method}, as the schema of MCP has them.`;
}

function thrownFor({ code, message, data }: RpcError): ProtocolError {
  return new ProtocolError(code, message, data);
}

function orThrow<Value>(result: Result<Value, RpcError>): Value {
  if (result.ok) return result.value;
  throw thrownFor(result.failure);
}

/** What the SDK answers is the message of what is thrown, which must not be one of the platform's. */
function asProtocolError(caller: Caller, error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const failure = failureBehind(noted(caller, error));
  return thrownFor(rpcError(failure, RPC.internalError));
}

function noted({ requestId }: Caller, thrown: unknown): Error {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  console.error({ event: "request_failed", requestId, method: "POST", path: "/mcp", error });
  return error;
}

/** Arguments are a part of the body, which is JSON. */
function argumentsIn(given: Readonly<Record<string, unknown>> = {}): JsonObject {
  return given as Record<string, Json>;
}
