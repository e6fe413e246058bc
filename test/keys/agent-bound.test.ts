import { beforeAll, describe, expect, it } from "vitest";
import { del, get, patch, post } from "../support/client.ts";
import { keyWith, UNMANAGING } from "../support/keys.ts";
import { expectError } from "../support/expect-errors.ts";
import { create, stopClock, taskIn } from "../support/tasks.ts";

/**
 * A key bound to the researcher, which has grants for table-analyst, message-composer and
 * text-analyst.
 */
let key = "";

const idsOf = (data: { tools: { id: string }[] }) => data.tools.map(({ id }) => id);
const tasksOf = (data: { tasks: { taskId: string }[] }) => data.tasks.map(({ taskId }) => taskId);

beforeAll(async () => {
  stopClock();
  key = await keyWith(UNMANAGING, { agentId: "researcher" });
});

describe("tools for an agent-bound key", () => {
  it("an agent-bound key lists only its agent's tools, and for each tool only its agent", async () => {
    const { data } = (await get("/agents/tools", { key })).body;
    expect(idsOf(data)).toEqual(["table-analyst", "message-composer", "text-analyst"]);
    expect(data.total).toBe(3);
    for (const { agents } of data.tools) expect(agents).toEqual(["researcher"]);
  });

  it.each([
    ["category=creative", []],
    ["category=data", ["table-analyst"]],
    ["search=workbench", []],
    ["search=analyst", ["table-analyst", "text-analyst"]],
    ["agentId=researcher", ["table-analyst", "message-composer", "text-analyst"]],
    ["agentId=storyteller", []],
    ["agentId=stranger", []],
    ["limit=1&offset=1", ["message-composer"]],
  ])(
    "the filters of an agent-bound key apply only to the tools that it sees: %s",
    async (query, expected) => {
      expect(idsOf((await get(`/agents/tools?${query}`, { key })).body.data)).toEqual(expected);
    },
  );

  it("an agent-bound key sees only its own grant in the details of a tool", async () => {
    const { data } = (await get("/agents/tools/table-analyst", { key })).body;
    expect(data.agents).toEqual([{ agentId: "researcher", proficiency: "beginner" }]);
  });

  it("an agent-bound key can read its agent's access", async () => {
    const { data } = (await get("/agents/tools/access/researcher", { key })).body;
    expect(data).toMatchObject({ agentId: "researcher", totalTools: 3 });
  });

  it("an agent-bound key invokes tools as its agent by default, and only within its grant", async () => {
    const grant = { agentId: "narrow", toolId: "json-workbench", capabilities: ["query"] };
    await post("/agents/tools/access", grant);
    const narrow = await keyWith(UNMANAGING, { agentId: "narrow" });
    const invoke = (body: object) =>
      post("/agents/tools/json-workbench/invoke", JSON.stringify(body), { key: narrow });
    const query = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };
    const diff = { capability: "diff", parameters: { before: "1", after: "2" } };
    expect((await invoke(query)).status).toBe(200);
    expect((await invoke({ ...query, agentId: "narrow" })).status).toBe(200);
    expectError(await invoke(diff), 403, "CAPABILITY_NOT_GRANTED");
    await del("/agents/tools/access/narrow/json-workbench");
    expectError(await invoke(query), 404, "TOOL_NOT_FOUND");
    expect(idsOf((await get("/agents/tools", { key: narrow })).body.data)).toEqual([]);
  });

  it.each(["storyteller", "stranger"])(
    "an agent-bound key cannot invoke as another agent: %s",
    async (agentId) => {
      const body = { capability: "keywords", parameters: { text: "wind" }, agentId };
      const refused = await post("/agents/tools/text-analyst/invoke", body, { key });
      expectError(refused, 403, "AGENT_MISMATCH");
      expect(refused.body.error.message).toBe(
        "This key is bound to agent researcher, so agentId cannot name another agent or team.",
      );
    },
  );
});

describe("tasks for an agent-bound key", () => {
  it("a task that an agent-bound key creates without agentId is assigned to its agent", async () => {
    const { status, body } = await post("/agents/tasks", { task: "Draw slides" }, { key });
    expect([status, body.data.agentId]).toEqual([201, "researcher"]);
    const named = await post("/agents/tasks", { task: "x", agentId: "researcher" }, { key });
    expect(named.status).toBe(201);
    const teamed = await post("/agents/tasks", { task: "x", teamId: "insights" }, { key });
    expect(teamed.body.data.agentId).toBe("researcher");
  });

  it.each(["storyteller", "stranger"])(
    "an agent-bound key cannot create a task for another agent: %s",
    async (agentId) => {
      const refused = await post("/agents/tasks", { task: "x", agentId }, { key });
      expectError(refused, 403, "AGENT_MISMATCH");
    },
  );

  it("an agent-bound key cannot create a task in a team that its agent is not in", async () => {
    const { status, body } = await post("/agents/tasks", { task: "x", teamId: "studio" }, { key });
    expect([status, body.error.details[0].path]).toEqual([400, "agentId"]);
  });

  it("an agent-bound key lists its own tasks only, with every filter", async () => {
    const mine = await create({ agentId: "researcher" });
    const other = await create({ agentId: "storyteller" });
    const { data } = (await get("/agents/tasks?limit=100", { key })).body;
    expect(tasksOf(data)).toContain(mine);
    expect(tasksOf(data)).not.toContain(other);
    expect(data.total).toBe(data.tasks.length);
    for (const { agentId } of data.tasks) expect(agentId).toBe("researcher");
    const filtered = async (query: string) =>
      tasksOf((await get(`/agents/tasks?${query}&limit=100`, { key })).body.data);
    expect(await filtered("agentId=researcher")).toContain(mine);
    expect(await filtered("agentId=storyteller")).toEqual([]);
    expect(await filtered("status=pending")).not.toContain(other);
  });

  it("an agent-bound key can read, rate, change and cancel its agent's tasks", async () => {
    const id = await taskIn("completed", { agentId: "researcher", deliverables: ["summary"] });
    const statuses = [
      await get(`/agents/tasks/${id}`, { key }),
      await get(`/agents/tasks/${id}/events`, { key }),
      await get(`/agents/tasks/${id}/deliverables`, { key }),
      await post(`/agents/tasks/${id}/feedback`, { rating: 5 }, { key }),
      await post(`/agents/tasks/${id}/feedback`, { rating: 4 }, { key }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 201, 200]);
    const young = await create({ agentId: "researcher" });
    expect((await patch(`/agents/tasks/${young}`, { notes: "n" }, { key })).status).toBe(200);
    expect((await post(`/agents/tasks/${young}/cancel`, {}, { key })).status).toBe(200);
  });

  it("an agent-bound key no longer sees a task that was reassigned to another agent", async () => {
    const id = await taskIn("failed", { agentId: "researcher" });
    expect((await get(`/agents/tasks/${id}`, { key })).status).toBe(200);
    await post(`/agents/tasks/${id}/retry`, { reassign: true });
    expectError(await get(`/agents/tasks/${id}`, { key }), 404, "TASK_NOT_FOUND");
    const { data } = (await get("/agents/tasks?limit=100", { key })).body;
    expect(tasksOf(data)).not.toContain(id);
  });
});
