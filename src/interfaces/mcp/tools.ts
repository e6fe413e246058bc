import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
} from "@modelcontextprotocol/server";
import type { Key } from "../../keys/model/key.ts";
import { CLIENT_TOOLS } from "./task-tools/client-tools.ts";
import type { TaskTool } from "./task-tools/task-tool.ts";
import { WORKER_TOOLS } from "./task-tools/worker-tools.ts";
import type { CataloguePosition } from "../../tools/model/access.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { preview } from "../../kernel/result.ts";
import { callCapabilityTool, listCapabilityTools } from "./capability-tools.ts";
import type { McpCallContext } from "./call-context.ts";
import { toProtocolError, toToolResult, toToolErrorResult } from "./tool-result.ts";
import { MCP_RPC_CODES } from "./json-rpc.ts";

/** A page of the tools that the caller may use: task tools first, then capabilities. Throws ProtocolErrors. */
export async function listMcpTools(
  call: McpCallContext,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  const after = cursor === undefined ? CATALOGUE_START : parseMcpCursor(cursor);
  if (after === null) {
    const message = `cursor must be the nextCursor of the page before, got ${preview(cursor)}.`;
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

/** Calls a tool; throws a ProtocolError if there is none of this name. `signal` aborts when the client disconnects. */
export async function callMcpTool(
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
  // The same error for a tool that does not exist and for one that the key may not use.
  const hint =
    call.key.teamId !== null && call.agentId === null
      ? " This key is bound to a team: name the agent that it acts as in the URL, ?agentId=<id>."
      : "";
  const message = `Unknown tool: ${preview(name)}.${hint}`;
  throw new ProtocolError(MCP_RPC_CODES.invalidParams, message);
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
