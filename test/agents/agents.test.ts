import { beforeAll, describe, expect, it } from "vitest";
import { get, patch, post } from "../support/client.ts";
import { expectError } from "../support/expect-errors.ts";
import { create, stopClock, untilStatus } from "../support/tasks.ts";
import { MODEL, PUBLIC, registerNewAgent } from "./fixtures.ts";

beforeAll(stopClock);

const idsOf = (data: { agents: { id: string }[] }) => data.agents.map(({ id }) => id);
const list = async (query = "") => (await get(`/agents${query}`)).body.data;
const detail = async (id: string) => (await get(`/agents/${id}`)).body.data;

describe("registering an agent", () => {
  it("registration requires only an id, and returns 201 with the Location and all default values", async () => {
    const { status, headers, body } = await post("/agents", { id: "plain" });
    expect(status).toBe(201);
    expect(headers.get("Location")).toBe("https://bosun.test/agents/plain");
    expect(body.data).toEqual({
      id: "plain",
      name: "plain",
      description: "",
      skills: [],
      teams: [],
      enabled: true,
      executor: { type: "builtin" },
      maxConcurrentTasks: null,
      requireReview: false,
      noProgress: { failedAttempts: 5, calls: 50, cost: 5 },
      paused: null,
      createdAt: new Date().toISOString(),
      createdBy: "root",
    });
    expect(await detail("plain")).toEqual(body.data);
  });

  it("registration stores all fields in the request, and lists repeated skills and teams once", async () => {
    const data = await registerNewAgent({
      id: "whole",
      name: " Whole ",
      description: "Does it all.",
      skills: ["sums", "sums", "maps"],
      teams: ["studio", "insights", "studio"],
      enabled: false,
      executor: { type: "worker" },
      requireReview: true,
    });
    expect(data).toMatchObject({
      name: "Whole",
      description: "Does it all.",
      skills: ["sums", "maps"],
      teams: ["insights", "studio"],
      enabled: false,
      executor: { type: "worker" },
      requireReview: true,
    });
  });

  it("a model executor gets defaults for omitted fields, and fields without a value are not shown", async () => {
    expect((await registerNewAgent({ id: "model-plain", executor: MODEL })).executor).toEqual({
      type: "model",
      provider: "openai-compatible",
      model: "m-1",
      baseUrl: PUBLIC,
      prices: { inputPerMillion: 0, outputPerMillion: 0 },
      maxTurns: 20,
      maxOutputTokens: 4_096,
      hasApiKey: false,
    });
    const executor = {
      type: "model",
      provider: "workers-ai",
      model: "@cf/meta/llama",
      instructions: "Be brief.",
      temperature: 0.5,
      prices: { inputPerMillion: 0.1, outputPerMillion: 2 },
      maxTurns: 3,
      maxOutputTokens: 100,
    };
    expect((await registerNewAgent({ id: "model-full", executor })).executor).toEqual({
      ...executor,
      hasApiKey: false,
    });
  });

  it("registering an id that is in use returns 409 and changes nothing", async () => {
    await registerNewAgent({ id: "taken", name: "First" });
    const again = await post("/agents", { id: "taken", name: "Second", teams: ["studio"] });
    expectError(again, 409, "AGENT_EXISTS");
    expect(again.body.error.message).toContain('"taken"');
    expect(await detail("taken")).toMatchObject({ name: "First", teams: [] });
    expectError(await post("/agents", { id: "researcher" }), 409, "AGENT_EXISTS");
  });

  it("one of two concurrent registrations of the same id succeeds, with its own teams", async () => {
    const both = await Promise.all([
      post("/agents", { id: "twin", teams: ["studio"] }),
      post("/agents", { id: "twin", teams: ["insights"] }),
    ]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]));
    const winner = both.find(({ status }) => status === 201)?.body.data;
    expect(await detail("twin")).toEqual(winner);
  });

  it("a newly registered agent can complete a task that names it, and can be rated", async () => {
    await registerNewAgent({ id: "doer" });
    await post("/agents/tools/access", { agentId: "doer", toolId: "text-analyst" });
    const text = "The harbour of Bergen was rebuilt in 1702. Fire had taken the wooden wharf.";
    const taskId = await create({ agentId: "doer", context: { text } });
    await untilStatus(taskId, "completed");
    await post(`/agents/tasks/${taskId}/feedback`, { rating: 4 });
    expect((await detail("doer")).rating).toEqual({ mean: 4, count: 1 });
  });
});

describe("listing agents", () => {
  beforeAll(async () => {
    const of = { description: "For lists", teams: ["studio"] };
    await registerNewAgent({ ...of, id: "list-a", name: "Ångström", executor: { type: "worker" } });
    await registerNewAgent({ ...of, id: "list-b", enabled: false, executor: MODEL });
    await registerNewAgent({ ...of, id: "list-c", name: "100% _sure_", teams: [] });
  });

  it("the list of agents is sorted by id, states the total, and shows each agent as GET does, except for its queue and workers", async () => {
    const { agents, total, totalExact, limit, offset } = await list("?search=for%20LISTS");
    expect({ total, totalExact, limit, offset }).toEqual({
      total: 3,
      totalExact: true,
      limit: 50,
      offset: 0,
    });
    expect(idsOf({ agents })).toEqual(["list-a", "list-b", "list-c"]);
    const { queue, workers, ...whole } = await detail("list-a");
    expect(agents[0]).toEqual(whole);
    expect(queue).toEqual({ waiting: 0, running: 0 });
    expect(workers).toEqual([]);
  });

  it.each([
    ["?search=for%20lists&limit=2", ["list-a", "list-b"]],
    ["?search=for%20lists&limit=2&offset=2", ["list-c"]],
    ["?search=for%20lists&offset=3", []],
    ["?search=for%20lists&executor=worker", ["list-a"]],
    ["?search=for%20lists&executor=a2a", []],
    ["?search=for%20lists&enabled=false", ["list-b"]],
    ["?search=for%20lists&enabled=true", ["list-a", "list-c"]],
    ["?search=for%20lists&teamId=studio", ["list-a", "list-b"]],
    ["?search=for%20lists&teamId=studio&enabled=true&executor=worker", ["list-a"]],
    ["?teamId=nobody", []],
    ["?search=LIST-B", ["list-b"]],
    ["?search=%C3%A5ngstr%C3%B6m", ["list-a"]],
    ["?search=100%25%20_", ["list-c"]],
    ["?search=%25", ["list-c"]],
  ])("GET /agents%s lists the agents %j", async (query, ids) => {
    expect(idsOf(await list(query))).toEqual(ids);
  });

  it.each([
    ["?executor=robot", "executor"],
    ["?enabled=yes", "enabled"],
    ["?limit=0", "limit"],
    ["?offset=-1", "offset"],
    [`?search=${"x".repeat(201)}`, "search"],
  ])("GET /agents%s is rejected with the name of the field", async (query, path) => {
    const answer = await get(`/agents${query}`);
    expectError(answer, 400, "VALIDATION_ERROR");
    expect(answer.body.error.details).toMatchObject([{ path }]);
  });
});

describe("changing an agent", () => {
  it("a change sets the fields in the request and keeps the others", async () => {
    const before = await registerNewAgent({ id: "change-1", skills: ["a"], teams: ["studio"] });
    const { status, body } = await patch("/agents/change-1", { name: "New", requireReview: true });
    expect([status, body.data]).toEqual([200, { ...before, name: "New", requireReview: true }]);
    const teams = await patch("/agents/change-1", { teams: ["insights"] });
    expect(teams.body.data.teams).toEqual(["insights"]);
    expect((await patch("/agents/change-1", { teams: [], skills: [] })).body.data).toMatchObject({
      name: "New",
      teams: [],
      skills: [],
    });
  });

  it("concurrent changes to different fields all take effect", async () => {
    await registerNewAgent({ id: "change-2" });
    await Promise.all([
      patch("/agents/change-2", { name: "Renamed" }),
      patch("/agents/change-2", { description: "Described" }),
      patch("/agents/change-2", { skills: ["skilled"] }),
      patch("/agents/change-2", { teams: ["studio"] }),
    ]);
    expect(await detail("change-2")).toMatchObject({
      name: "Renamed",
      description: "Described",
      skills: ["skilled"],
      teams: ["studio"],
    });
  });

  it("a change to the executor replaces all of it, and omitted fields return to their defaults", async () => {
    await registerNewAgent({ id: "change-3", executor: { ...MODEL, temperature: 1, maxTurns: 2 } });
    const changed = await patch("/agents/change-3", { executor: { ...MODEL, model: "m-2" } });
    expect(changed.body.data.executor).toMatchObject({ model: "m-2", maxTurns: 20 });
    expect(changed.body.data.executor).not.toHaveProperty("temperature");
    const plain = await patch("/agents/change-3", { executor: { type: "builtin" } });
    expect(plain.body.data.executor).toEqual({ type: "builtin" });
  });

  it("an agent that was created by the seed or by a grant can be changed", async () => {
    await post("/agents/tools/access", { agentId: "granted", toolId: "json-workbench" });
    for (const id of ["integrator", "granted"]) {
      const { status, body } = await patch(`/agents/${id}`, { description: "Changed" });
      expect([status, body.data.description, body.data.executor]).toEqual([
        200,
        "Changed",
        { type: "builtin" },
      ]);
    }
  });

  it("GET and PATCH of an unknown agent return 404, even if the change is invalid", async () => {
    const change = { executor: { ...MODEL, baseUrl: "http://10.0.0.1" }, teams: ["nobody"] };
    expectError(await patch("/agents/stranger", change), 404, "AGENT_NOT_FOUND");
    expectError(await get("/agents/stranger"), 404, "AGENT_NOT_FOUND");
  });
});
