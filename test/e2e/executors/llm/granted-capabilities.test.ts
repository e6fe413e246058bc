import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { UsableCapability } from "../../../../src/executors/contract.ts";
import { searchGrantedCapabilities } from "../../../../src/tools/access.ts";
import { post } from "../../../support/client.ts";
import { foreignTool, registerTools } from "../../../support/catalogue.ts";

async function granted(agentId: string, search: string | null = null, limit = 100) {
  const found = await searchGrantedCapabilities(env, agentId, { search, limit });
  if (found === null) return null;
  const shown: readonly UsableCapability[] = found.capabilities;
  return { names: shown.map(({ toolId, id }) => `${toolId}/${id}`), ...found };
}

async function grant(agentId: string, toolId: string, capabilities?: string[]) {
  const more = capabilities === undefined ? {} : { capabilities };
  expect((await post("/agents/tools/access", { agentId, toolId, ...more })).status).toBe(201);
}

describe("an agent's granted capabilities", () => {
  it("granted capabilities are listed in catalogue order, with everything that a model needs", async () => {
    await grant("g-order", "text-analyst", ["summarise", "keywords"]);
    await grant("g-order", "table-analyst", ["correlate"]);
    const found = await granted("g-order");
    const catalogue = await env.DB.prepare(
      "SELECT t.id || '/' || c.id AS name FROM tools AS t JOIN capabilities AS c ON c.tool_id = t.id ORDER BY t.seq, c.position",
    ).all<{ name: string }>();
    const order = catalogue.results.map(({ name }) => name);
    const wanted = new Set([
      "text-analyst/summarise",
      "text-analyst/keywords",
      "table-analyst/correlate",
    ]);
    expect(found?.names).toEqual(order.filter((name) => wanted.has(name)));
    expect(found?.total).toBe(3);
    const correlate = found?.capabilities.find(({ id }) => id === "correlate");
    expect(correlate).toMatchObject({
      toolId: "table-analyst",
      toolName: expect.any(String),
      name: expect.any(String),
      description: expect.any(String),
      parameters: expect.arrayContaining([
        expect.objectContaining({ name: "csv", type: "string" }),
      ]),
    });
  });

  it("granted capabilities beyond the page are counted, and a search matches words in ids, names and descriptions", async () => {
    const list = Array.from({ length: 30 }, (_, place) => ({
      id: `op-${place}`,
      name: `Operation ${place}`,
      description: place % 2 === 0 ? "Reads 100%_'\" of \\ it" : "Writes",
      parameters: [],
    }));
    await registerTools(foreignTool("wide", { name: "Wide Tool", capabilities: list }));
    await grant("g-wide", "wide");
    expect(await granted("g-wide", null, 4)).toMatchObject({
      names: ["wide/op-0", "wide/op-1", "wide/op-2", "wide/op-3"],
      total: 30,
    });
    expect(await granted("g-wide", "READS  wide", 2)).toMatchObject({
      names: ["wide/op-0", "wide/op-2"],
      total: 15,
    });
    expect(await granted("g-wide", "op-7")).toMatchObject({ names: ["wide/op-7"], total: 1 });
    expect(await granted("g-wide", "100%_'\" \\")).toMatchObject({ total: 15 });
    expect(await granted("g-wide", "nothing")).toMatchObject({ names: [], total: 0 });
    expect(await granted("g-wide", "correlate")).toMatchObject({ names: [], total: 0 });
  });

  it("a list of granted capabilities ends early if it becomes too large", async () => {
    const list = Array.from({ length: 20 }, (_, place) => ({
      id: `op-${place}`,
      name: "Fat",
      description: "",
      parameters: [],
    }));
    await registerTools(foreignTool("fat", { capabilities: list }));
    const description = "x".repeat(200_000);
    await env.DB.prepare("UPDATE capabilities SET parameters = ? WHERE tool_id = 'fat'")
      .bind(JSON.stringify([{ name: "a", type: "string", required: true, description }]))
      .run();
    await grant("g-fat", "fat");
    const found = await granted("g-fat");
    expect(found?.names).toHaveLength(11);
    expect(found?.total).toBe(20);
  });

  it("an agent without grants has no capabilities, and an unknown or disabled agent has no list", async () => {
    await grant("g-off", "text-analyst");
    await env.DB.prepare("UPDATE agents SET enabled = 0 WHERE id = 'g-off'").run();
    expect(await granted("g-off")).toBeNull();
    expect(await granted("g-nobody")).toBeNull();
    await env.DB.prepare(
      "INSERT INTO agents (id, name, created_at) VALUES ('g-bare', 'Bare', 0)",
    ).run();
    expect(await granted("g-bare")).toMatchObject({ names: [], total: 0 });
  });
});
