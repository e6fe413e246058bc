import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { database } from "../../db/client.ts";
import type { Failure } from "../../domain/failure.ts";
import type { JsonObject } from "../../domain/json.ts";
import { MCP_TOOLS_PAGE_MAX } from "../../domain/limits.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { invokeForTask, invokeWithoutTask } from "../../tasks/tool-calls.ts";
import {
  callableCapabilities,
  callableIds,
  type CallableCapability,
  type Place,
} from "../../tools/callable.ts";
import { usageOf } from "../../tools/invoke.ts";
import { schemaOf } from "../../tools/parameter-schema.ts";
import { answerable } from "../../tools/results.ts";
import { annotationsOf } from "./annotations.ts";
import { mayUseCapabilities, type Caller } from "./caller.ts";
import { likenessOf, nameOf, readName, type Named } from "./names.ts";
import { failedResult, resultOf } from "./outcome.ts";

/** A page of the capabilities that the caller may use, in the order of the catalogue. */
export async function listCapabilities(
  caller: Caller,
  after: Place,
): Promise<Result<{ tools: Tool[]; next: Place | null }, Failure>> {
  if (!mayUseCapabilities(caller)) return ok({ tools: [], next: null });
  const { env, agentId } = caller;
  const page = { after, limit: MCP_TOOLS_PAGE_MAX };
  const found = await callableCapabilities(database(env.DB), agentId, page);
  if (found === null) return fail({ kind: "not_found", what: "agent", id: agentId ?? "" });
  return ok({ tools: found.shown.map(toolOf), next: found.next });
}

function toolOf(capability: CallableCapability): Tool {
  const { toolName, name, description, parameters } = capability;
  return {
    name: nameOf(capability),
    title: `${toolName}: ${name}`,
    ...(description === "" ? {} : { description }),
    inputSchema: { ...schemaOf(parameters), type: "object", additionalProperties: false },
    annotations: annotationsOf(capability),
  };
}

/** Calls a capability by its tool's name; null for a name that stands for none that the caller may use. */
export async function callCapability(
  caller: Caller,
  name: string,
  parameters: JsonObject,
): Promise<CallToolResult | null> {
  const named = mayUseCapabilities(caller) ? await find(caller, name) : null;
  if (named === null) return null;
  const { env, key, agentId, taskId, origin } = caller;
  const { toolId, id: capability } = named;
  const call = { toolId, capability, parameters, agentId, visibleAgentIds: key.agentIds };
  const work =
    taskId === null ? invokeWithoutTask(env, key, call) : invokeForTask(env, key, taskId, call);
  // A client that hangs up must not keep a call that was made from being counted and paid.
  caller.waitUntil(work.catch(() => null));
  const invoked = await work;
  if (!invoked.ok)
    return isNotGranted(invoked.failure) ? null : failedResult(ofCall(invoked.failure));
  const result = resultOf(await answerable(env, origin, toolId, invoked.value.result));
  return { ...result, _meta: { "bosun/usage": usageOf(call, invoked.value) } };
}

/**
 * Most names say what they stand for; what was changed to make a name is found by making the names anew.
 * Null also where two have the same, as their hashes can be made to agree: neither is called by mistake.
 */
async function find({ env, agentId }: Caller, name: string): Promise<Named | null> {
  const read = readName(name);
  if (read !== null) return read;
  const likeness = likenessOf(name);
  if (likeness === null) return null;
  const ids = await callableIds(database(env.DB), agentId, likeness);
  const [one = null, ...others] = ids.filter((each) => nameOf(each) === name);
  return others.length === 0 ? one : null;
}

/** What must look like a tool that there is not. */
function isNotGranted(failure: Failure): boolean {
  switch (failure.kind) {
    case "tool_access_denied":
    case "capability_not_granted":
      return true;
    case "not_found":
      return failure.what !== "task";
    default:
      return false;
  }
}

/** Here the parameters are the whole of the arguments. */
function ofCall(failure: Failure): Failure {
  if (failure.kind !== "validation") return failure;
  const problems = failure.problems.map(({ path, message }) => ({
    path: path.replace(/^parameters\./, ""),
    message,
  }));
  return { ...failure, problems };
}
