import type { CallToolResult, Tool, ToolAnnotations } from "@modelcontextprotocol/server";
import type { Failure } from "../../kernel/failure.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { type Result, fail, ok } from "../../kernel/result.ts";
import { invokeForClient } from "../../tasks/api/invoke-for-task.ts";
import { findGrantedIds, listGrantedCapabilities } from "../../tools/access.ts";
import type { CataloguePosition, GrantedCapability } from "../../tools/model/tool.ts";
import type { HttpMethod } from "../../tools/model/connector.ts";
import { buildFunctionSchema } from "../../tools/schema/function-schema.ts";
import { type McpCallContext, canUseCapabilities } from "./call-context.ts";
import { MCP_TOOLS_PAGE_MAX } from "./limits.ts";
import {
  toCapabilityPattern,
  formatToolName,
  parseToolName,
  type CapabilityRef,
} from "./tool-names.ts";
import { toCapabilityResult, toPendingResult, toToolErrorResult } from "./tool-result.ts";

/** One page of the capabilities that the client may use, in catalogue order. */
export async function listCapabilityTools(
  call: McpCallContext,
  after: CataloguePosition,
): Promise<Result<{ tools: Tool[]; next: CataloguePosition | null }, Failure>> {
  if (!canUseCapabilities(call)) return ok({ tools: [], next: null });
  const { env, agentId } = call;
  const page = { after, limit: MCP_TOOLS_PAGE_MAX };
  const found = await listGrantedCapabilities(env, agentId, page);
  if (found === null) return fail({ kind: "not_found", what: "agent", id: agentId ?? "" });
  return ok({ tools: found.capabilities.map(toCapabilityTool), next: found.next });
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

/** Calls a capability by its MCP name; null if the client may not use any capability with that name. */
export async function callCapabilityTool(
  call: McpCallContext,
  name: string,
  parameters: JsonObject,
): Promise<CallToolResult | null> {
  const capabilityRef = canUseCapabilities(call) ? await findNamedCapability(call, name) : null;
  if (capabilityRef === null) return null;
  const { env, key, agentId, taskId } = call;
  const { toolId, id: capability } = capabilityRef;
  const invocation = { toolId, capability, parameters, agentId };
  const invoked = await invokeForClient(env, key, invocation, taskId, {
    ...call,
    source: "mcp",
  });
  if (!invoked.ok) {
    const { failure } = invoked;
    if (failure.kind === "approval_pending") return toPendingResult(failure, call.origin);
    return isHiddenCapability(failure) ? null : toToolErrorResult(stripParametersPath(failure));
  }
  const { result, usage } = invoked.value;
  return { ...toCapabilityResult(result), _meta: { "bosun/usage": usage } };
}

/**
 * Finds the capability that a name refers to. A plain name is parsed; a name that ends in a hash is compared with the
 * names of all capabilities that it could refer to. Returns null if none matches, or if several do, because hash
 * collisions can be constructed.
 */
async function findNamedCapability(
  { env, agentId }: McpCallContext,
  name: string,
): Promise<CapabilityRef | null> {
  const read = parseToolName(name);
  if (read !== null) return read;
  const pattern = toCapabilityPattern(name);
  if (pattern === null) return null;
  const ids = await findGrantedIds(env, agentId, pattern);
  const [one = null, ...others] = ids.filter((each) => formatToolName(each) === name);
  return others.length === 0 ? one : null;
}

/** Whether to report a failure as if the tool did not exist. */
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

/** In MCP, the arguments are the parameters, so their paths have no prefix. */
function stripParametersPath(failure: Failure): Failure {
  if (failure.kind !== "validation") return failure;
  const problems = failure.problems.map(({ path, message }) => ({
    path: path.replace(/^parameters\./, ""),
    message,
  }));
  return { ...failure, problems };
}

/** The known effects of a capability. Clients assume the worst about effects that are not stated. */
function toolAnnotationsOf({
  connector,
  operation,
}: Pick<GrantedCapability, "connector" | "operation">): ToolAnnotations {
  // Built-in tools compute their results only from the parameters.
  if (connector === "builtin") return { ...READ_ONLY, openWorldHint: false };
  const effects = operation?.type === "http" ? ANNOTATIONS_BY_METHOD[operation.request.method] : {};
  return { ...effects, openWorldHint: true };
}

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true } as const;

/** The properties of HTTP methods (RFC 9110, section 9.2). POST is neither safe nor idempotent. */
const ANNOTATIONS_BY_METHOD: Readonly<Record<HttpMethod, ToolAnnotations>> = {
  GET: READ_ONLY,
  HEAD: READ_ONLY,
  POST: { readOnlyHint: false, idempotentHint: false },
  PUT: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  PATCH: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  DELETE: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
};
