import type { JsonObject } from "../../src/kernel/json.ts";
import { foreignTool, registerTools } from "../support/catalogue.ts";
import { post, ROOT } from "../support/client.ts";
import { rest, rpc } from "./a2a.ts";
import { ask, type Asked } from "./ask.ts";
import { fresh, must, OWN, RIVAL, taskOf } from "./crew.ts";
import type { Door } from "./endpoint.ts";
import { called, mcp } from "./mcp.ts";
import { noTask, strangeIdLike } from "./nowhere.ts";
import { both, reading, type PairOf } from "./pairs.ts";

/** Where the rival's agent or team is named in passing. */
function naming(title: string, door: Door, asked: Asked, isAnswered = false): PairOf {
  const id = JSON.stringify(asked).includes(RIVAL.teamId) ? RIVAL.teamId : RIVAL.agentId;
  return { title, door, prepare: async () => both(asked, [id, strangeIdLike(id)], isAnswered) };
}

/** Where a task of the rival is named in passing. */
function namingTask(
  title: string,
  door: Door,
  asked: (id: string) => Asked,
  isAnswered = false,
): PairOf {
  return {
    title,
    door,
    async prepare() {
      const { id } = await taskOf(RIVAL, "pending");
      return both(asked(id), [id, noTask()], isAnswered);
    },
  };
}

const posting = (path: string, body: JsonObject): Asked => ({ method: "POST", path, body });
const said = (more: JsonObject): JsonObject => ({
  message: { messageId: fresh("msg"), role: "ROLE_USER", parts: [{ text: "Hello" }], ...more },
});

/** Ids that are told elsewhere than in a path: in a query, a filter, a body, a header. */
export const NAMED: readonly PairOf[] = [
  naming(
    "a filter of tasks: agentId",
    "rest",
    reading(`/agents/tasks?agentId=${RIVAL.agentId}`),
    true,
  ),
  naming(
    "a filter of tasks: teamId",
    "rest",
    reading(`/agents/tasks?teamId=${RIVAL.teamId}`),
    true,
  ),
  naming(
    "a filter of events: agentId",
    "rest",
    reading(`/agents/events?from=oldest&agentId=${RIVAL.agentId}`),
    true,
  ),
  naming(
    "a filter of events: teamId",
    "rest",
    reading(`/agents/events?from=oldest&teamId=${RIVAL.teamId}`),
    true,
  ),
  naming(
    "a filter of tools: agentId",
    "rest",
    reading(`/agents/tools?agentId=${RIVAL.agentId}`),
    true,
  ),
  naming(
    "a new task's team",
    "rest",
    posting("/agents/tasks", { task: "x", teamId: RIVAL.teamId }),
  ),
  naming(
    "a call's agent",
    "rest",
    posting(`/agents/tools/${OWN.toolId}/invoke`, { ...OWN.call, agentId: RIVAL.agentId }),
  ),
  naming(
    "a new task's team over MCP",
    "mcp",
    called("create_task", { task: "x", teamId: RIVAL.teamId }),
  ),
  naming("a filter over MCP", "mcp", called("list_tasks", { agentId: RIVAL.agentId }), true),
  naming("the agent in MCP's URL", "mcp", mcp("tools/list", {}, `?agentId=${RIVAL.agentId}`)),
  naming(
    "the agent in MCP's URL, to call",
    "mcp",
    called("get_task", { taskId: "x" }, `?agentId=${RIVAL.agentId}`),
  ),
  naming(
    "a new task's agent over A2A",
    "a2a-rpc",
    rpc("SendMessage", said({ metadata: { bosun: { agentId: RIVAL.agentId } } })),
  ),
  naming(
    "a new task's team over A2A",
    "a2a-rest",
    rest("POST", "/message:send", said({ metadata: { bosun: { teamId: RIVAL.teamId } } })),
  ),
  {
    title: "a wrong call of a tool",
    door: "rest",
    async prepare() {
      const body = { capability: "x", parameters: {}, agentId: OWN.agentId };
      const asked = posting(`/agents/tools/${RIVAL.toolId}/invoke`, body);
      return both(asked, [RIVAL.toolId, strangeIdLike(RIVAL.toolId)]);
    },
  },
  namingTask("the task in MCP's URL", "mcp", (id) =>
    called(
      `${OWN.toolId}__${OWN.call.capability}`,
      OWN.call.parameters,
      `?agentId=${OWN.agentId}&taskId=${id}`,
    ),
  ),
  namingTask("a context over A2A", "a2a-rpc", (contextId) =>
    rpc("SendMessage", said({ contextId })),
  ),
  namingTask(
    "a context listed over A2A",
    "a2a-rpc",
    (contextId) => rpc("ListTasks", { contextId }),
    true,
  ),
  namingTask(
    "a context listed over A2A's REST",
    "a2a-rest",
    (id) => rest("GET", `/tasks?contextId=${id}`),
    true,
  ),
  namingTask("a later life over A2A", "a2a-rpc", (id) => rpc("GetTask", { id: `${id}-2` })),
  {
    title: "a capability whose name ends in a hash",
    door: "mcp",
    async prepare() {
      const id = fresh(`long_${"gear_".repeat(14)}`);
      await registerTools(foreignTool(id));
      must(await post("/agents/tools/access", { agentId: RIVAL.agentId, toolId: id }));
      const list = mcp("tools/list", {}, `?agentId=${RIVAL.agentId}`);
      const { tools } = (await ask(list, `Bearer ${ROOT}`)).body.result;
      const { name } = tools.find((tool: { name: string }) => tool.name.startsWith("long_"));
      const other = `${name.slice(0, -8)}${name.endsWith("00000000") ? "1" : "0".repeat(8)}`;
      return both(called(name, {}, `?agentId=${OWN.agentId}`), [name, other]);
    },
  },
];
