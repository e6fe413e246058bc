import type { CallToolResult, Tool, ToolAnnotations } from "@modelcontextprotocol/server";
import type { HttpMethod } from "../../tools/model/connector.ts";
import { findGrantedIds, listGrantedCapabilities } from "../../tools/access.ts";
import type { CataloguePosition, GrantedCapability } from "../../tools/model/access.ts";
import type { Failure } from "../../kernel/failure.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { MCP_TOOLS_PAGE_MAX } from "./limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { invokeForTask, invokeWithoutTask } from "../../tasks/api/invoke-for-task.ts";
import { invocationUsageView } from "../../tools/view.ts";
import { buildFunctionSchema } from "../../tools/schema/function-schema.ts";
import { offloadLargeResult } from "../../tools/large-results.ts";
import { canUseCapabilities, type McpCallContext } from "./call-context.ts";
import {
  toCapabilityPattern,
  formatToolName,
  parseToolName,
  type CapabilityRef,
} from "./tool-names.ts";
import { toToolErrorResult, toCapabilityResult } from "./tool-result.ts";

/** A page of the capabilities that the caller may use, in the order of the catalogue. */
export async function listCapabilityTools(
  call: McpCallContext,
  after: CataloguePosition,
): Promise<Result<{ tools: Tool[]; next: CataloguePosition | null }, Failure>> {
  if (!canUseCapabilities(call)) return ok({ tools: [], next: null });
  const { env, agentId } = call;
  const page = { after, limit: MCP_TOOLS_PAGE_MAX };
  const found = await listGrantedCapabilities(env, agentId, page);
  if (found === null) return fail({ kind: "not_found", what: "agent", id: agentId ?? "" });
  return ok({ tools: found.shown.map(toCapabilityTool), next: found.next });
}

function toCapabilityTool(capability: GrantedCapability): Tool {
  const { toolName, name, description, parameters } = capability;
  return {
    name: formatToolName(capability),
    title: `${toolName}: ${name}`,
    ...(description === "" ? {} : { description }),
    inputSchema: {
      ...buildFunctionSchema(parameters),
      type: "object",
      additionalProperties: false,
    },
    annotations: toolAnnotationsOf(capability),
  };
}

/** Calls a capability by its tool's name; null for a name that stands for none that the caller may use. */
export async function callCapabilityTool(
  call: McpCallContext,
  name: string,
  parameters: JsonObject,
): Promise<CallToolResult | null> {
  const capabilityRef = canUseCapabilities(call) ? await findNamedCapability(call, name) : null;
  if (capabilityRef === null) return null;
  const { env, key, agentId, taskId, origin } = call;
  const { toolId, id: capability } = capabilityRef;
  const invocation = { toolId, capability, parameters, agentId, visibleAgentIds: key.agentIds };
  const pending =
    taskId === null
      ? invokeWithoutTask(env, key, invocation)
      : invokeForTask(env, key, taskId, invocation);
  // A client that hangs up must not keep a call that was made from being counted and paid.
  call.waitUntil(pending.catch(() => null));
  const invoked = await pending;
  if (!invoked.ok)
    return isHiddenCapability(invoked.failure)
      ? null
      : toToolErrorResult(stripParametersPath(invoked.failure));
  const result = toCapabilityResult(
    await offloadLargeResult(env, origin, toolId, invoked.value.result),
  );
  return { ...result, _meta: { "bosun/usage": invocationUsageView(invocation, invoked.value) } };
}

/**
 * Most names say what they stand for; what was changed to make a name is found by making the names anew.
 * Null also where two have the same, as their hashes can be made to agree: neither is called by mistake.
 */
async function findNamedCapability(
  { env, agentId }: McpCallContext,
  name: string,
): Promise<CapabilityRef | null> {
  const read = parseToolName(name);
  if (read !== null) return read;
  const likeness = toCapabilityPattern(name);
  if (likeness === null) return null;
  const ids = await findGrantedIds(env, agentId, likeness);
  const [one = null, ...others] = ids.filter((each) => formatToolName(each) === name);
  return others.length === 0 ? one : null;
}

/** What must look like a tool that there is not. */
function isHiddenCapability(failure: Failure): boolean {
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
function stripParametersPath(failure: Failure): Failure {
  if (failure.kind !== "validation") return failure;
  const problems = failure.problems.map(({ path, message }) => ({
    path: path.replace(/^parameters\./, ""),
    message,
  }));
  return { ...failure, problems };
}

/** What is known of a capability's effects; what is not is left out, and clients then expect the worst. */
function toolAnnotationsOf({
  connector,
  operation,
}: Pick<GrantedCapability, "connector" | "operation">): ToolAnnotations {
  // Built-in tools compute: the same answer each time, from what they are given alone.
  if (connector === "builtin") return { ...READ_ONLY, openWorldHint: false };
  const effects = operation?.type === "http" ? ANNOTATIONS_BY_METHOD[operation.request.method] : {};
  return { ...effects, openWorldHint: true };
}

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true } as const;

/** What HTTP promises of its methods (RFC 9110, section 9.2). POST may do anything. */
const ANNOTATIONS_BY_METHOD: Readonly<Record<HttpMethod, ToolAnnotations>> = {
  GET: READ_ONLY,
  HEAD: READ_ONLY,
  POST: { readOnlyHint: false, idempotentHint: false },
  PUT: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  PATCH: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  DELETE: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
};
