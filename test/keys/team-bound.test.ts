import { beforeAll, describe, expect, it } from "vitest";
import { get, post } from "../support/client.ts";
import { keyWith, UNMANAGING } from "../support/keys.ts";
import { expectProblems, expectError } from "../support/expect-errors.ts";
import { create, stopClock, taskIn } from "../support/tasks.ts";

/** A key bound to the team studio, whose members are the storyteller and the integrator. */
let key = "";

const idsOf = (data: { tools: { id: string }[] }) => data.tools.map(({ id }) => id);
const tasksOf = (data: { tasks: { taskId: string }[] }) => data.tasks.map(({ taskId }) => taskId);

beforeAll(async () => {
  stopClock();
  key = await keyWith(UNMANAGING, { teamId: "studio" });
  // This grant is for an agent outside the team.
  await post("/agents/tools/access", { agentId: "outsider", toolId: "json-workbench" });
});

describe("tools for a team-bound key", () => {
  it("a team-bound key lists only its members' tools, and for each tool only its members", async () => {
    const { data } = (await get("/agents/tools", { key })).body;
    const agents = Object.fromEntries(
      data.tools.map((tool: { id: string; agents: string[] }) => [tool.id, tool.agents]),
    );
    expect(agents).toEqual({
      "json-workbench": ["integrator"],
      "table-analyst": ["integrator", "storyteller"],
      "message-composer": ["storyteller"],
      "text-analyst": ["storyteller"],
      "chart-maker": ["storyteller"],
      "format-bridge": ["integrator"],
    });
  });

  it("a team-bound key filters by its members only", async () => {
    const list = async (agentId: string) =>
      idsOf((await get(`/agents/tools?agentId=${agentId}`, { key })).body.data);
    expect(await list("integrator")).toEqual(["json-workbench", "table-analyst", "format-bridge"]);
    expect(await list("researcher")).toEqual([]);
    expect(await list("stranger")).toEqual([]);
  });

  it("a team-bound key sees only its members' grants in the details of a tool", async () => {
    const { data } = (await get("/agents/tools/json-workbench", { key })).body;
    expect(data.agents).toEqual([{ agentId: "integrator", proficiency: "expert" }]);
  });

  it("a team-bound key can read only its members' access", async () => {
    expect((await get("/agents/tools/access/storyteller", { key })).status).toBe(200);
    expectError(await get("/agents/tools/access/researcher", { key }), 404, "AGENT_NOT_FOUND");
  });

  it("a team-bound key invokes a tool only as a member that it names", async () => {
    const body = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };
    const invoke = (agentId?: string) =>
      post(
        "/agents/tools/json-workbench/invoke",
        agentId === undefined ? body : { ...body, agentId },
        { key },
      );
    expect((await invoke("integrator")).status).toBe(200);
    expectError(await invoke("storyteller"), 403, "TOOL_ACCESS_DENIED");
    expectError(await invoke("outsider"), 403, "AGENT_MISMATCH");
    expectError(await invoke("stranger"), 403, "AGENT_MISMATCH");
    expectProblems(await invoke(), { agentId: "is required" });
  });
});

describe("tasks for a team-bound key", () => {
  it("a task that a team-bound key creates belongs to its team and is assigned to a member", async () => {
    const plain = (await post("/agents/tasks", { task: "x" }, { key })).body.data;
    expect((await get(`/agents/tasks/${plain.taskId}`, { key })).body.data.teamId).toBe("studio");
    expect(["storyteller", "integrator"]).toContain(plain.agentId);
    const named = await post(
      "/agents/tasks",
      { task: "x", agentId: "integrator", teamId: "studio" },
      { key },
    );
    expect(named.body.data.agentId).toBe("integrator");
  });

  it.each([
    ["another team", { teamId: "insights" }, "teamId"],
    ["an unknown team", { teamId: "pirates" }, "teamId"],
    ["an agent of another team", { agentId: "researcher" }, "agentId"],
    ["an unknown agent", { agentId: "stranger" }, "agentId"],
  ])("a team-bound key that names %s in a new task gets 403", async (_, body, path) => {
    const refused = await post("/agents/tasks", { task: "x", ...body }, { key });
    expectError(refused, 403, "AGENT_MISMATCH");
    expect(refused.body.error.message).toBe(
      `This key is bound to team studio, so ${path} cannot name another agent or team.`,
    );
  });

  it("a team-bound key lists only its team's tasks", async () => {
    const mine = await create({ teamId: "studio" });
    const others = [await create({ teamId: "insights" }), await create({ agentId: "researcher" })];
    const list = async (query: string) =>
      (await get(`/agents/tasks?limit=100&${query}`, { key })).body.data;
    const data = await list("");
    expect(tasksOf(data)).toContain(mine);
    for (const { teamId } of data.tasks) expect(teamId).toBe("studio");
    for (const other of others) expect(tasksOf(data)).not.toContain(other);
    expect(tasksOf(await list("teamId=studio"))).toContain(mine);
    expect(tasksOf(await list("teamId=insights"))).toEqual([]);
    expect(tasksOf(await list("agentId=researcher"))).toEqual([]);
  });

  it("a team-bound key can read, review and reassign its team's tasks", async () => {
    const id = await taskIn("review", { teamId: "studio" });
    const answers = [
      await get(`/agents/tasks/${id}`, { key }),
      await get(`/agents/tasks/${id}/deliverables`, { key }),
      await post(`/agents/tasks/${id}/review`, { decision: "reject" }, { key }),
      await post(`/agents/tasks/${id}/retry`, { reassign: true }, { key }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(["storyteller", "integrator"]).toContain(answers[3]?.body.data.agentId);
  });
});
