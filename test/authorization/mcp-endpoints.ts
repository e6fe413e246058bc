import type { JsonObject } from "../../src/kernel/json.ts";
import type { Scope } from "../../src/keys/model/key.ts";
import { OUTCOME } from "../tasks/workers/fixtures.ts";
import type { RequestSpec } from "./send-request.ts";
import { OWN_TENANT, taskOf, type Tenant, type TaskStage } from "./tenants.ts";
import type { Endpoint, Prepared } from "./endpoint.ts";
import { missingTaskId, unknownIdLike } from "./unknown-ids.ts";

/** One MCP message in the form of the earlier protocol revisions. */
export function mcp(method: string, params: JsonObject = {}, query = ""): RequestSpec {
  const body = { jsonrpc: "2.0", id: 1, method, params };
  const headers = { Accept: "application/json, text/event-stream" };
  return { method: "POST", path: `/mcp${query}`, body, headers };
}

export function called(name: string, given: JsonObject, query = ""): RequestSpec {
  return mcp("tools/call", { name, arguments: given }, query);
}

const CLIENT = { name: "matrix", version: "1" };

/** A request that names no resource. */
function plain(name: string, asked: RequestSpec): Endpoint {
  return {
    name: `MCP ${name}`,
    protocol: "mcp",
    asks: [],
    missing: null,
    changes: false,
    prepare: async () => ({ asked, missing: null, ids: ["", ""], status: 200, taskId: null }),
  };
}

/** An MCP tool that acts on one task. */
function onTask(
  name: string,
  scope: Scope,
  stage: TaskStage,
  given: (lease: string) => JsonObject = () => ({}),
): Endpoint {
  return {
    name: `MCP ${name}`,
    protocol: "mcp",
    asks: [scope],
    missing: "TASK_NOT_FOUND",
    changes: scope !== "tasks:read",
    async prepare(tenant): Promise<Prepared> {
      const { id, lease } = await taskOf(tenant, stage);
      const missing = missingTaskId();
      const about = (taskId: string) => called(name, { taskId, ...given(lease) });
      return {
        asked: about(id),
        missing: about(missing),
        ids: [id, missing],
        status: 200,
        taskId: id,
      };
    },
  };
}

/** An MCP tool whose arguments name an agent. */
function naming(
  name: string,
  scope: Scope,
  given: (agentId: string) => JsonObject,
  more: { readonly notForTeams?: true; readonly first?: (tenant: Tenant) => Promise<unknown> } = {},
): Endpoint {
  const { first, ...rules } = more;
  return {
    name: `MCP ${name}`,
    protocol: "mcp",
    asks: [scope],
    missing: "AGENT_NOT_FOUND",
    isNamed: true,
    ...rules,
    changes: true,
    async prepare(tenant): Promise<Prepared> {
      await first?.(tenant);
      const missing = unknownIdLike(tenant.agentId);
      const about = (agentId: string) => called(name, given(agentId));
      return {
        asked: about(tenant.agentId),
        missing: about(missing),
        ids: [tenant.agentId, missing],
        status: 200,
        taskId: null,
      };
    },
  };
}

/**
 * A call to a capability that only agents with a grant can see. `query` is the URL's query string.
 */
function capability(title: string, query: string, more: { readonly notForTeams?: true }): Endpoint {
  return {
    name: `MCP ${title}`,
    protocol: "mcp",
    asks: ["tools:invoke"],
    missing: "UNKNOWN_TOOL",
    ...more,
    changes: false,
    async prepare({ toolId, call }): Promise<Prepared> {
      const missing = unknownIdLike(toolId);
      const about = (id: string) => called(`${id}__${call.capability}`, call.parameters, query);
      return {
        asked: about(toolId),
        missing: about(missing),
        ids: [toolId, missing],
        status: 200,
        taskId: null,
      };
    },
  };
}

/**
 * MCP requests: protocol methods, every task tool and a capability. A test compares the tool names
 * with the interface's own list.
 */
export const MCP_ENDPOINTS: readonly Endpoint[] = [
  plain(
    "initialize",
    mcp("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT }),
  ),
  plain("ping", mcp("ping")),
  plain("tools/list", mcp("tools/list")),
  naming("create_task", "tasks:write", (agentId) => ({ task: "Write the log", agentId })),
  onTask("get_task", "tasks:read", "pending"),
  {
    ...plain("list_tasks", called("list_tasks", {})),
    asks: ["tasks:read"],
  },
  {
    ...plain("list_approvals", called("list_approvals", {})),
    asks: ["tools:invoke"],
  },
  onTask("list_deliverables", "tasks:read", "completed"),
  onTask("cancel_task", "tasks:write", "pending"),
  onTask("respond_task", "tasks:write", "blocked", () => ({ response: "1702" })),
  onTask("review_task", "tasks:write", "review", () => ({ decision: "approve" })),
  naming("claim_task", "tasks:work", (agentId) => ({ agentId, waitSeconds: 0 }), {
    notForTeams: true,
    first: (tenant) => taskOf(tenant, "waiting"),
  }),
  onTask("report_task", "tasks:work", "held", (lease) => ({
    type: "completed",
    lease,
    ...OUTCOME,
  })),
  // Team keys are excluded, because they must name the agent that they act as.
  capability("capability", "", { notForTeams: true }),
  capability("capability as a member", `?agentId=${OWN_TENANT.agentId}`, {}),
];
