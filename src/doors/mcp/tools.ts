import type { CallToolResult, ListToolsResult } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../domain/json.ts";
import { shown } from "../../domain/problem.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { callCapability, listCapabilities } from "./capabilities.ts";
import type { Caller } from "./caller.ts";
import { FIRST, readCursor, writeCursor } from "./cursor.ts";
import { answered, failedResult } from "./outcome.ts";
import { RPC, rpcError, type RpcError } from "./refusal.ts";
import { findTaskTool, listTaskTools } from "./task-tools/all.ts";

/** A page of the tools that the caller may use: those for tasks, then capabilities by their place in the catalogue. */
export async function listTools(
  caller: Caller,
  cursor: string | undefined,
): Promise<Result<ListToolsResult, RpcError>> {
  const after = cursor === undefined ? FIRST : readCursor(cursor);
  if (after === null) {
    const message = `cursor must be the nextCursor of the page before, got ${shown(cursor)}.`;
    return fail({ code: RPC.invalidParams, message });
  }
  const page = await listCapabilities(caller, after);
  if (!page.ok) return fail(rpcError(page.failure, RPC.invalidParams));
  const first = cursor === undefined ? listTaskTools(caller.key) : [];
  const { tools, next } = page.value;
  return ok({
    tools: [...first, ...tools],
    ...(next === null ? {} : { nextCursor: writeCursor(next) }),
  });
}

/** One call of a tool. `signal` aborts when the client hangs up. */
export async function callTool(
  caller: Caller,
  name: string,
  given: JsonObject,
  signal: AbortSignal,
): Promise<Result<CallToolResult, RpcError>> {
  const taskTool = findTaskTool(caller.key, name);
  if (taskTool !== null) {
    const done = await taskTool.run(caller, given, signal);
    return ok(done.ok ? answered(done.value) : failedResult(done.failure));
  }
  const result = await callCapability(caller, name, given);
  return result === null ? fail(unknownTool(caller, name)) : ok(result);
}

/** A tool that there is not and one that the key may not use are told alike. */
function unknownTool({ key, agentId }: Caller, name: string): RpcError {
  const hint =
    key.teamId !== null && agentId === null
      ? " This key is bound to a team: name the agent that it acts as in the URL, ?agentId=<id>."
      : "";
  return { code: RPC.invalidParams, message: `Unknown tool: ${shown(name)}.${hint}` };
}
