import { beforeAll, describe, expect, it } from "vitest";
import { del, get, post } from "../support/client.ts";
import { stopClock, taskIn, read } from "../support/tasks.ts";

describe("What the service does", () => {
  beforeAll(stopClock);

  it("1 · the catalogue contains tools of each of the six categories", async () => {
    const { data } = (await get("/agents/tools?limit=100")).body;
    const categories = data.tools.map(({ category }: { category: string }) => category);
    expect(new Set(categories)).toEqual(
      new Set(["development", "data", "communication", "research", "creative", "integration"]),
    );
  });

  it("2 · each tool has named capabilities with named parameters", async () => {
    const list = (await get("/agents/tools")).body.data.tools;
    for (const { id } of list) {
      const { capabilities } = (await get(`/agents/tools/${id}`)).body.data;
      expect(capabilities.length, id).toBeGreaterThanOrEqual(2);
      for (const { name, parameters } of capabilities) {
        expect(name, id).toMatch(/\S/);
        expect(parameters.length, `${id}: ${name}`).toBeGreaterThan(0);
        for (const parameter of parameters) expect(parameter.name, id).toMatch(/^\w+$/);
      }
    }
  });

  it("3 · access with a proficiency and some capabilities can be granted and revoked", async () => {
    const grant = { agentId: "service-3", toolId: "json-workbench" };
    const terms = { proficiency: "advanced", capabilities: ["diff"] };
    await post("/agents/tools/access", { ...grant, ...terms });
    const path = `/agents/tools/access/${grant.agentId}`;
    expect((await get(path)).body.data.tools).toEqual([
      { id: "json-workbench", name: "JSON workbench", ...terms },
    ]);
    await del(`${path}/${grant.toolId}`);
    expect((await get(path)).body.data.tools).toEqual([]);
  });

  it("4 · a direct invocation of a capability returns its result, cost and duration", async () => {
    const parameters = { document: '{"a":[1,2,3]}', path: "$.a[1]" };
    const answer = await post("/agents/tools/json-workbench/invoke", {
      capability: "query",
      parameters,
    });
    expect(JSON.stringify(answer.body.data.result)).toContain("2");
    expect(answer.body.data.usage).toMatchObject({ cost: 0, duration: expect.any(String) });
  });

  it("5 · a task can be created, assigned, executed, completed with deliverables, and rated", async () => {
    const id = await taskIn("completed", { deliverables: ["summary"] });
    const task = await read(id);
    expect(task.agentId).toEqual(expect.any(String));
    expect(task.deliverables).toHaveLength(1);
    expect((await post(`/agents/tasks/${id}/feedback`, { rating: 5 })).status).toBe(201);
    expect((await read(id)).feedback).toEqual({ rating: 5 });
  });
});
