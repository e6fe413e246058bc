import type { CallToolResult, ListToolsResult } from "@modelcontextprotocol/server";
import type { Key } from "../../keys/model/key.ts";
import { CLIENT_TOOLS } from "./task-tools/client-tools.ts";
import type { TaskTool } from "./task-tools/task-tool.ts";
import { WORKER_TOOLS } from "./task-tools/worker-tools.ts";
import type { CataloguePosition } from "../../tools/model/access.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { preview, fail, ok, type Result } from "../../kernel/result.ts";
import { callCapabilityTool, listCapabilityTools } from "./capability-tools.ts";
import type { McpCallContext } from "./call-context.ts";
import { toToolResult, toToolErrorResult } from "./tool-result.ts";
import { MCP_RPC_CODES, toMcpRpcError, type McpRpcError } from "./json-rpc.ts";

/** A page of the tools that the caller may use: task tools first, then capabilities in catalogue order. */
export async function listMcpTools(
  call: McpCallContext,
  cursor: string | undefined,
): Promise<Result<ListToolsResult, McpRpcError>> {
  const after = cursor === undefined ? CATALOGUE_START : parseMcpCursor(cursor);
  if (after === null) {
    const message = `cursor must be the nextCursor of the page before, got ${preview(cursor)}.`;
    return fail({ code: MCP_RPC_CODES.invalidParams, message });
  }
  const page = await listCapabilityTools(call, after);
  if (!page.ok) return fail(toMcpRpcError(page.failure, MCP_RPC_CODES.invalidParams));
  const first = cursor === undefined ? findTaskTools(call.key).map(({ listed }) => listed) : [];
  const { tools, next } = page.value;
  return ok({
    tools: [...first, ...tools],
    ...(next === null ? {} : { nextCursor: formatMcpCursor(next) }),
  });
}

/** Calls a tool. `signal` aborts when the client disconnects. */
export async function callMcpTool(
  call: McpCallContext,
  name: string,
  given: JsonObject,
  signal: AbortSignal,
): Promise<Result<CallToolResult, McpRpcError>> {
  const own = findTaskTools(call.key).find(({ listed }) => listed.name === name);
  if (own !== undefined) {
    const done = await own.run(call, given, signal);
    return ok(done.ok ? toToolResult(done.value) : toToolErrorResult(done.failure));
  }
  const result = await callCapabilityTool(call, name, given);
  return result === null ? fail(unknownTool(call, name)) : ok(result);
}

/** The same error for a tool that does not exist and for one that the key may not use. */
function unknownTool({ key, agentId }: McpCallContext, name: string): McpRpcError {
  const hint =
    key.teamId !== null && agentId === null
      ? " This key is bound to a team: name the agent that it acts as in the URL, ?agentId=<id>."
      : "";
  return { code: MCP_RPC_CODES.invalidParams, message: `Unknown tool: ${preview(name)}.${hint}` };
}

/** The position before the first capability. */
const CATALOGUE_START: CataloguePosition = { seq: 0, position: -1 };

const MCP_CURSOR = /^(\d{1,15})\.(\d{1,15})$/;

/** The cursor of a position in the catalogue. It grants no access. */
function formatMcpCursor({ seq, position }: CataloguePosition): string {
  return `${seq}.${position}`;
}

function parseMcpCursor(cursor: string): CataloguePosition | null {
  const [, seq, position] = MCP_CURSOR.exec(cursor) ?? [];
  return seq === undefined ? null : { seq: Number(seq), position: Number(position) };
}

/** The task tools that a key has the scopes for, in list order. */
function findTaskTools({ scopes }: Pick<Key, "scopes">): TaskTool[] {
  return [...CLIENT_TOOLS, ...WORKER_TOOLS].filter(({ scope }) => scopes.includes(scope));
}
