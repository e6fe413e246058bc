import type { JsonObject } from "../../src/kernel/json.ts";
import { foreignTool, registerTools } from "../support/catalogue.ts";
import { post, ROOT } from "../support/client.ts";
import { rest, rpc } from "./a2a-endpoints.ts";
import { sendRequest, type RequestSpec } from "./send-request.ts";
import { uniqueName, must, OWN_TENANT, OTHER_TENANT, taskOf } from "./tenants.ts";
import type { Protocol } from "./endpoint.ts";
import { called, mcp } from "./mcp-endpoints.ts";
import { missingTaskId, unknownIdLike } from "./unknown-ids.ts";
import { sameRequestTwice, reading, type RequestPairSource } from "./request-pairs.ts";

/** A request that names the other tenant's agent or team. */
function naming(
  title: string,
  protocol: Protocol,
  asked: RequestSpec,
  isAnswered = false,
): RequestPairSource {
  const id = JSON.stringify(asked).includes(OTHER_TENANT.teamId)
    ? OTHER_TENANT.teamId
    : OTHER_TENANT.agentId;
  return {
    title,
    protocol,
    prepare: async () => sameRequestTwice(asked, [id, unknownIdLike(id)], isAnswered),
  };
}

/** A request that names one of the other tenant's tasks. */
function namingTask(
  title: string,
  protocol: Protocol,
  asked: (id: string) => RequestSpec,
  isAnswered = false,
): RequestPairSource {
  return {
    title,
    protocol,
    async prepare() {
      const { id } = await taskOf(OTHER_TENANT, "pending");
      return sameRequestTwice(asked(id), [id, missingTaskId()], isAnswered);
    },
  };
}

const posting = (path: string, body: JsonObject): RequestSpec => ({ method: "POST", path, body });
const messageWith = (more: JsonObject): JsonObject => ({
  message: { messageId: uniqueName("msg"), role: "ROLE_USER", parts: [{ text: "Hello" }], ...more },
});

/** Requests with an id outside the path: in the query, a filter, the body or a header. */
export const REQUESTS_BY_NAME: readonly RequestPairSource[] = [
  naming(
    "task list filter agentId",
    "rest",
    reading(`/agents/tasks?agentId=${OTHER_TENANT.agentId}`),
    true,
  ),
  naming(
    "task list filter teamId",
    "rest",
    reading(`/agents/tasks?teamId=${OTHER_TENANT.teamId}`),
    true,
  ),
  naming(
    "event filter agentId",
    "rest",
    reading(`/agents/events?from=oldest&agentId=${OTHER_TENANT.agentId}`),
    true,
  ),
  naming(
    "event filter teamId",
    "rest",
    reading(`/agents/events?from=oldest&teamId=${OTHER_TENANT.teamId}`),
    true,
  ),
  naming(
    "grant list filter agentId",
    "rest",
    reading(`/agents/access?agentId=${OTHER_TENANT.agentId}`),
    true,
  ),
  naming(
    "grant list filter toolId",
    "rest",
    reading(`/agents/access?toolId=${OTHER_TENANT.toolId}`),
    true,
  ),
  naming(
    "tool list filter agentId",
    "rest",
    reading(`/agents/tools?agentId=${OTHER_TENANT.agentId}`),
    true,
  ),
  naming(
    "the team of a new task",
    "rest",
    posting("/agents/tasks", { task: "x", teamId: OTHER_TENANT.teamId }),
  ),
  naming(
    "the agent of a call",
    "rest",
    posting(`/agents/tools/${OWN_TENANT.toolId}/invoke`, {
      ...OWN_TENANT.call,
      agentId: OTHER_TENANT.agentId,
    }),
  ),
  naming(
    "the team of a new task over MCP",
    "mcp",
    called("create_task", { task: "x", teamId: OTHER_TENANT.teamId }),
  ),
  naming(
    "a task list filter over MCP",
    "mcp",
    called("list_tasks", { agentId: OTHER_TENANT.agentId }),
    true,
  ),
  naming(
    "the agent in the MCP URL",
    "mcp",
    mcp("tools/list", {}, `?agentId=${OTHER_TENANT.agentId}`),
  ),
  naming(
    "the agent in the MCP URL of a call",
    "mcp",
    called("get_task", { taskId: "x" }, `?agentId=${OTHER_TENANT.agentId}`),
  ),
  naming(
    "the agent of a new task over A2A",
    "a2a-rpc",
    rpc("SendMessage", messageWith({ metadata: { bosun: { agentId: OTHER_TENANT.agentId } } })),
  ),
  naming(
    "the team of a new task over A2A",
    "a2a-rest",
    rest(
      "POST",
      "/message:send",
      messageWith({ metadata: { bosun: { teamId: OTHER_TENANT.teamId } } }),
    ),
  ),
  {
    title: "an invalid tool call",
    protocol: "rest",
    async prepare() {
      const body = { capability: "x", parameters: {}, agentId: OWN_TENANT.agentId };
      const asked = posting(`/agents/tools/${OTHER_TENANT.toolId}/invoke`, body);
      return sameRequestTwice(asked, [OTHER_TENANT.toolId, unknownIdLike(OTHER_TENANT.toolId)]);
    },
  },
  namingTask("the task in the MCP URL", "mcp", (id) =>
    called(
      `${OWN_TENANT.toolId}__${OWN_TENANT.call.capability}`,
      OWN_TENANT.call.parameters,
      `?agentId=${OWN_TENANT.agentId}&taskId=${id}`,
    ),
  ),
  namingTask("a context over A2A", "a2a-rpc", (contextId) =>
    rpc("SendMessage", messageWith({ contextId })),
  ),
  namingTask(
    "a context that is listed over A2A",
    "a2a-rpc",
    (contextId) => rpc("ListTasks", { contextId }),
    true,
  ),
  namingTask(
    "a context that is listed over A2A's REST binding",
    "a2a-rest",
    (id) => rest("GET", `/tasks?contextId=${id}`),
    true,
  ),
  namingTask("a later run of a task over A2A", "a2a-rpc", (id) =>
    rpc("GetTask", { id: `${id}-2` }),
  ),
  {
    title: "a capability whose name ends in a hash",
    protocol: "mcp",
    async prepare() {
      const id = uniqueName(`long_${"gear_".repeat(14)}`);
      await registerTools(foreignTool(id));
      must(await post("/agents/tools/access", { agentId: OTHER_TENANT.agentId, toolId: id }));
      const list = mcp("tools/list", {}, `?agentId=${OTHER_TENANT.agentId}`);
      const { tools } = (await sendRequest(list, `Bearer ${ROOT}`)).body.result;
      const { name } = tools.find((tool: { name: string }) => tool.name.startsWith("long_"));
      const other = `${name.slice(0, -8)}${name.endsWith("00000000") ? "1" : "0".repeat(8)}`;
      return sameRequestTwice(called(name, {}, `?agentId=${OWN_TENANT.agentId}`), [name, other]);
    },
  },
];
