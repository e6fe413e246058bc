import * as z from "zod";
import { preview, type Problem } from "../../kernel/result.ts";
import { validateSchema } from "../../http/validation.ts";
import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  Server,
} from "@modelcontextprotocol/server";
import { SERVICE_INFO } from "../../kernel/service-info.ts";
import type { Failure } from "../../kernel/failure.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { logUnexpectedError } from "../../http/envelope.ts";
import type { McpCallContext } from "./call-context.ts";
import type { Key } from "../../keys/model/key.ts";
import type { CataloguePosition } from "../../tools/model/tool.ts";
import { callCapabilityTool, listCapabilityTools } from "./capability-tools.ts";
import { toToolErrorResult, toToolResult } from "./tool-result.ts";
import { MCP_RPC_CODES, toMcpRpcError } from "./json-rpc.ts";
import { TASK_TOOLS } from "./task-tools/task-tools.ts";
import type { TaskTool } from "./task-tools/task-tool.ts";

/** Protocol revisions in which each request describes its client. */
export const MCP_MODERN_VERSIONS: readonly string[] = ["2026-07-28"];
/**
 * Protocol revisions in which clients send `initialize` first, from newest to oldest. Earlier revisions use a different
 * transport.
 */
export const MCP_LEGACY_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];

const REQUEST = { method: "POST", path: "/mcp" };

const INSTRUCTIONS =
  "Bosun manages tools and tasks for AI agents. Tools named toolId__capability are the capabilities granted to this key's agent; calls are counted and may cost money. The other tools manage tasks: create_task assigns a task to an agent, get_task with waitSeconds waits for its status to change, list_deliverables lists its files; claim_task and report_task are for agents that do the work themselves. A call that people must approve returns an approvalId; get_approval returns its result after they decided. If a call fails, its error says what to change.";

/** Creates the server for one message. */
export function createMcpServer(call: McpCallContext): Server {
  const server = new ParamsCheckingServer(SERVICE_INFO, {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    supportedProtocolVersions: [...MCP_MODERN_VERSIONS, ...MCP_LEGACY_VERSIONS],
  });
  server.setRequestHandler("tools/list", async ({ params }) => {
    try {
      return await listMcpTools(call, params?.cursor);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      // The SDK sends the thrown error's message to the client, so an error from the platform must not reach the SDK.
      const failure = logUnexpectedError(REQUEST, error);
      throw toProtocolError(failure, MCP_RPC_CODES.internalError);
    }
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    try {
      const given = toArguments(params.arguments);
      return await callMcpTool(call, params.name, given, mcpReq.signal);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      return toToolErrorResult(logUnexpectedError(REQUEST, error));
    }
  });
  return server;
}

/** One page of the tools that the client may use: task tools first, then capabilities. Throws ProtocolErrors. */
async function listMcpTools(
  call: McpCallContext,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  const after = cursor === undefined ? CATALOGUE_START : parseMcpCursor(cursor);
  if (after === null) {
    const message = `cursor must be the nextCursor of the previous page, got ${preview(cursor)}.`;
    throw new ProtocolError(MCP_RPC_CODES.invalidParams, message);
  }
  const page = await listCapabilityTools(call, after);
  if (!page.ok) throw toProtocolError(page.failure, MCP_RPC_CODES.invalidParams);
  const first = cursor === undefined ? findTaskTools(call.key).map(({ listed }) => listed) : [];
  const { tools, next } = page.value;
  return {
    tools: [...first, ...tools],
    ...(next === null ? {} : { nextCursor: formatMcpCursor(next) }),
  };
}

/** Calls a tool; throws a ProtocolError if no tool has this name. `signal` aborts when the client disconnects. */
async function callMcpTool(
  call: McpCallContext,
  name: string,
  given: JsonObject,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const own = findTaskTools(call.key).find(({ listed }) => listed.name === name);
  if (own !== undefined) {
    const done = await own.run(call, given, signal);
    return done.ok ? toToolResult(done.value) : toToolErrorResult(done.failure);
  }
  const result = await callCapabilityTool(call, name, given);
  if (result !== null) return result;
  // The error is the same for a missing tool and for a tool that the key may not use.
  const hint =
    call.key.teamId !== null && call.agentId === null
      ? " This key is bound to a team. Specify the agent in the URL: ?agentId=<id>."
      : "";
  const message = `Unknown tool: ${preview(name)}.${hint}`;
  throw new ProtocolError(MCP_RPC_CODES.invalidParams, message);
}

const CATALOGUE_START: CataloguePosition = { seq: 0, position: -1 };

const MCP_CURSOR = /^(\d{1,15})\.(\d{1,15})$/;

/** The cursor for a position in the catalogue. It grants no access. */
function formatMcpCursor({ seq, position }: CataloguePosition): string {
  return `${seq}.${position}`;
}

function parseMcpCursor(cursor: string): CataloguePosition | null {
  const [, seq, position] = MCP_CURSOR.exec(cursor) ?? [];
  return seq === undefined ? null : { seq: Number(seq), position: Number(position) };
}

/** The task tools that a key's scopes allow, in list order. */
function findTaskTools({ scopes }: Pick<Key, "scopes">): TaskTool[] {
  return TASK_TOOLS.filter(({ scope }) => scopes.includes(scope));
}

/** Replaces the SDK's error messages for invalid params, which are raw validator output. */
class ParamsCheckingServer extends Server {
  protected override _wrapHandler(
    method: string,
    handler: Parameters<Server["_wrapHandler"]>[1],
  ): ReturnType<Server["_wrapHandler"]> {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      const problems = findParamsProblems(method, request.params);
      if (problems.length > 0) {
        throw toProtocolError({ kind: "validation", problems }, MCP_RPC_CODES.invalidParams);
      }
      try {
        return await wrapped(request, context);
      } catch (error) {
        // The handlers above throw ProtocolErrors; any other error comes from reading the params.
        const isOfSdk = (text: string) => text.startsWith(`Invalid ${method} request: `);
        if (error instanceof ProtocolError && !isOfSdk(error.message)) throw error;
        const message = `params must match the MCP schema of ${method}.`;
        throw new ProtocolError(MCP_RPC_CODES.invalidParams, message);
      }
    };
  }
}

/** The arguments come from the JSON body. */
function toArguments(given: Readonly<Record<string, unknown>> = {}): JsonObject {
  return given as Record<string, Json>;
}

const jsonRecord = z.record(z.string(), z.unknown());
const PARAMS_SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["tools/list", z.object({ cursor: z.string().optional() }).optional()],
  ["tools/call", z.object({ name: z.string(), arguments: jsonRecord.optional() })],
  [
    "initialize",
    z.object({
      protocolVersion: z.string(),
      capabilities: jsonRecord,
      clientInfo: z.object({ name: z.string(), version: z.string() }),
    }),
  ],
]);

/** The problems in a request's params, worded as in REST. The SDK validates the rest. */
function findParamsProblems(method: string, params: unknown): readonly Problem[] {
  const schema = PARAMS_SCHEMAS.get(method);
  if (schema === undefined) return [];
  const read = validateSchema(z.object({ params: schema }), params === undefined ? {} : { params });
  return read.ok ? [] : read.failure;
}

/** Converts a failure to a ProtocolError, which the SDK sends as a JSON-RPC error. */
function toProtocolError(failure: Failure, code: number): ProtocolError {
  const { message, data } = toMcpRpcError(failure, code);
  return new ProtocolError(code, message, data);
}
