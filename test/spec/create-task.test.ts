import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { get, ORIGIN, post } from "../support/client.ts";
import { read, stopClock } from "../support/tasks.ts";

const create = (body: JsonObject) => post("/agents/tasks", { task: "Look around", ...body });
const createdWith = async (body: JsonObject) => (await create(body)).body.data;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe("Create task · body", () => {
  beforeAll(stopClock);

  it("a created task has the description that was sent", async () => {
    const { taskId } = await createdWith({ task: "Count the gulls" });
    expect((await read(taskId)).task).toBe("Count the gulls");
  });

  it("creating a task requires a description", async () => {
    const { status, body } = await post("/agents/tasks", {});
    expect(status).toBe(400);
    expect(body.error.details).toEqual([{ path: "task", message: "is required: a string" }]);
  });

  it("a task with an agentId is assigned to that agent", async () => {
    expect((await createdWith({ agentId: "integrator" })).agentId).toBe("integrator");
  });

  it("creating a task for an unknown agent gets 404", async () => {
    const { status, body } = await create({ agentId: "stranger" });
    expect([status, body.error.code]).toEqual([404, "AGENT_NOT_FOUND"]);
  });

  it("a task without an agentId is assigned automatically, and its log states the reasons", async () => {
    const body = { task: "Turn the XML into JSON and validate the format" };
    const { taskId, agentId } = await createdWith(body);
    expect(agentId).toBe("integrator");
    const { events } = (await get(`/agents/tasks/${taskId}/events`)).body.data;
    expect(events[0].data.choice.reasons.join("; ")).toContain("format conversion");
  });

  it("a task with a teamId is assigned to a member of that team", async () => {
    for (const [teamId, members] of [
      ["insights", ["data-analyst", "researcher"]],
      ["studio", ["storyteller", "integrator"]],
    ] as const) {
      const { taskId, agentId } = await createdWith({ teamId });
      expect(members).toContain(agentId);
      expect((await read(taskId)).teamId).toBe(teamId);
    }
  });

  it("creating a task for an unknown team gets 404", async () => {
    const { status, body } = await create({ teamId: "pirates" });
    expect([status, body.error.code]).toEqual([404, "TEAM_NOT_FOUND"]);
  });

  it("a created task has the context that was sent", async () => {
    const context = { year: 1902, ports: ["Bergen", "Hull"] };
    expect((await read((await createdWith({ context })).taskId)).context).toEqual(context);
  });

  it.each(["low", "medium", "high", "urgent"])(
    "a task can be created with the priority %s",
    async (priority) => {
      expect((await createdWith({ priority })).priority).toBe(priority);
    },
  );

  it("a task without a priority has the priority medium", async () => {
    expect((await createdWith({})).priority).toBe("medium");
  });

  it("creating a task with an unknown priority is rejected", async () => {
    const { status, body } = await create({ priority: "asap" });
    expect(status).toBe(400);
    expect(body.error.details).toEqual([
      { path: "priority", message: 'must be one of low, medium, high, urgent; got "asap"' },
    ]);
  });

  it("a created task has the ISO 8601 deadline that was sent", async () => {
    const deadline = inAnHour();
    expect((await createdWith({ deadline })).deadline).toBe(deadline);
  });

  it("a created task has the deliverable types that were sent", async () => {
    const deliverables = ["report", "chart", "sea shanty"];
    expect((await createdWith({ deliverables })).deliverables).toEqual(deliverables);
  });

  it("a created task has the budget that was sent", async () => {
    const budget = { maxCost: 1.5, maxToolCalls: 3, maxDurationSeconds: 60, note: "tight" };
    expect((await read((await createdWith({ budget })).taskId)).budget).toEqual(budget);
  });

  it("metadata.warnings names a budget field that is not enforced, even if the request is repeated", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const budget = { maxUsd: 3 };
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await post("/agents/tasks", { task: "x", budget }, { headers });
      expect([status, body.metadata.warnings]).toEqual([
        201,
        [expect.stringContaining('"maxUsd" is stored but not enforced')],
      ]);
    }
    const { body } = await post("/agents/tasks", { task: "x", budget: { maxCost: 3 } });
    expect(body.metadata).not.toHaveProperty("warnings");
  });
});

describe("Create task · response data", () => {
  const deliverables = ["summary"];
  // oxlint-disable-next-line typescript/no-explicit-any -- as in Answer: a test asserts the shape it reads
  let data: any;
  let deadline = "";

  beforeAll(async () => {
    deadline = inAnHour();
    const body = { task: "Count the gulls", agentId: "researcher", priority: "high" };
    data = await createdWith({ ...body, deadline, deliverables });
  });

  it("the create response contains the task's id", () =>
    expect(data.taskId).toMatch(/^[0-9a-f]{64}$/));
  it("the create response has the status pending", () => expect(data.status).toBe("pending"));
  it("the create response contains the description", () =>
    expect(data.task).toBe("Count the gulls"));
  it("the create response contains the agent's id", () => expect(data.agentId).toBe("researcher"));
  it("the create response contains the agent's name", () =>
    expect(data.agentName).toBe("Researcher"));
  it("the create response contains the priority", () => expect(data.priority).toBe("high"));
  it("the create response contains the deadline", () => expect(data.deadline).toBe(deadline));
  it("the create response has an estimated completion in the future", () =>
    expect(Date.parse(data.estimatedCompletion)).toBeGreaterThan(Date.now()));
  it("the create response has a human-readable estimated duration", () =>
    expect(data.estimatedDuration).toMatch(/^\d+(ms|s)$/));
  it("the create response lists the deliverable types", () =>
    expect(data.deliverables).toEqual(deliverables));
  it("the create response has the URL of the task", () =>
    expect(data.trackingUrl).toBe(`${ORIGIN}/agents/tasks/${data.taskId}`));
  it("the create response has the time of creation", () =>
    expect(data.createdAt).toBe(new Date().toISOString()));

  it("the create response has no other fields", () => {
    expect(Object.keys(data)).toHaveLength(12);
  });
});
