import { get, post } from "../support/client.ts";
import { bytesOf, OUTCOME } from "../workers/desk.ts";
import { FILE, fresh, must, OWN, taskOf, type Crew, type Stage } from "./crew.ts";
import type { Case, Cases } from "./case.ts";
import { noTask, strangeIdLike } from "./nowhere.ts";

/** Asked of a task of the crew at a stage. */
function onTask(stage: Stage, more: Omit<Case, "values"> = {}) {
  return async (crew: Crew): Promise<Case> => {
    const { id } = await taskOf(crew, stage);
    return { values: { id }, nowhere: noTask(), taskId: id, ...more };
  };
}

function onTool(more: Partial<Case> = {}) {
  return async ({ toolId }: Crew): Promise<Case> => ({
    values: { id: toolId, capability: toolId === OWN.toolId ? "keywords" : "query" },
    nowhere: strangeIdLike(toolId),
    ...more,
  });
}

/** What is open to everybody. */
export const OPEN: Cases = {
  "GET /health": async () => ({}),
  "GET /openapi.json": async () => ({}),
  "GET /docs": async () => ({}),
  "GET /docs/settings.json": async () => ({}),
  "GET /docs/:file": async () => ({ values: { file: "start.js" } }),
};

/** What agents and those who give them work ask for; keys bound to an agent or a team may hold its scopes. */
export const WORKED: Cases = {
  "GET /agents/tools": async () => ({}),
  "GET /agents/tools/:id": onTool(),
  "GET /agents/tools/:id/capabilities": onTool(),
  "GET /agents/tools/:id/capabilities/:capability": onTool(),
  "GET /agents/tools/:id/usage": onTool(),
  "GET /agents/tools/access/:agentId": async ({ agentId }) => ({
    values: { agentId },
    nowhere: strangeIdLike(agentId),
  }),
  "POST /agents/tools/:id/invoke": async ({ toolId, call }) => ({
    values: { id: toolId },
    nowhere: strangeIdLike(toolId),
    body: { ...call, agentId: OWN.agentId },
  }),
  "POST /agents/tools/:id/invoke for a task": async (crew) => {
    const { id: taskId } = await taskOf(crew, "held");
    const nowhere = noTask();
    const body = { ...OWN.call, agentId: OWN.agentId };
    return {
      values: { id: OWN.toolId },
      body: { ...body, taskId },
      strange: { ...body, taskId: nowhere },
      ids: [taskId, nowhere],
      taskId,
    };
  },
  "GET /agents/tools/:id/results/:resultId": async () => {
    const parameters = { document: JSON.stringify({ text: "x".repeat(200_000) }), path: "$.text" };
    const call = { capability: "query", parameters };
    const answer = await post("/agents/tools/json-workbench/invoke", call);
    must(answer);
    return linkOf(answer.body.data.result.downloadUrl);
  },
  "GET /agents/tasks": async () => ({}),
  "POST /agents/tasks": async ({ agentId }) => ({
    body: { task: "Write the log", agentId },
    strange: { task: "Write the log", agentId: strangeIdLike(agentId) },
    ids: [agentId, strangeIdLike(agentId)],
    status: 201,
  }),
  "POST /agents/tasks/claim": async (crew) => {
    await taskOf(crew, "waiting");
    const { agentId } = crew;
    return {
      body: { agentId, waitSeconds: 0 },
      strange: { agentId: strangeIdLike(agentId), waitSeconds: 0 },
      ids: [agentId, strangeIdLike(agentId)],
    };
  },
  "GET /agents/tasks/:id": onTask("pending"),
  "GET /agents/tasks/:id with its context": onTask("pending", { query: "?include=context" }),
  "PATCH /agents/tasks/:id": onTask("pending", { body: { notes: "Mind the tide" } }),
  "GET /agents/tasks/:id/events": onTask("pending"),
  "GET /agents/tasks/:id/events as a stream": onTask("pending", {
    headers: { Accept: "text/event-stream" },
  }),
  "POST /agents/tasks/:id/cancel": onTask("pending", { body: {} }),
  "POST /agents/tasks/:id/retry": onTask("failed", { body: {} }),
  "POST /agents/tasks/:id/respond": onTask("blocked", { body: { response: "1702" } }),
  "POST /agents/tasks/:id/review": onTask("review", { body: { decision: "approve" } }),
  "POST /agents/tasks/:id/feedback": onTask("completed", { body: { rating: 4 }, status: 201 }),
  "POST /agents/tasks/:id/report": async (crew) => {
    const { id, lease } = await taskOf(crew, "held");
    const body = { type: "completed", lease, ...OUTCOME };
    return { values: { id }, nowhere: noTask(), body, taskId: id };
  },
  "GET /agents/tasks/:id/deliverables": onTask("completed"),
  "GET /agents/tasks/:id/deliverables/:name": async (crew) => {
    const { id } = await taskOf(crew, "review");
    return { values: { id, name: FILE }, nowhere: noTask(), taskId: id };
  },
  "GET /agents/tasks/:id/deliverables/:name by its link": async (crew) => {
    const { id } = await taskOf(crew, "completed");
    const answer = await get(`/agents/tasks/${id}/deliverables`);
    return linkOf(answer.body.data.deliverables[0].downloadUrl);
  },
  "PUT /agents/tasks/:id/deliverables/:name": async (crew) => {
    const { id, lease } = await taskOf(crew, "held");
    return {
      values: { id, name: fresh("chart") },
      nowhere: noTask(),
      body: bytesOf("Rocks"),
      headers: { "Bosun-Lease": lease, "Content-Type": "text/plain" },
      status: 201,
      taskId: id,
    };
  },
  "GET /agents/events": async () => ({}),
};

/** A link's parts, as its route has them. */
function linkOf(link: string): Case {
  const { pathname, search } = new URL(link);
  const [, , , id = "", , last = ""] = pathname.split("/");
  return { values: { id, resultId: last, name: last }, query: search };
}
