import { beforeAll, describe, expect, it } from "vitest";
import { foreignTool, registerTools } from "../support/catalogue.ts";
import { del, get, post } from "../support/client.ts";

interface ListItem {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly description: string;
  readonly capabilities: readonly string[];
  readonly agents: readonly string[];
  readonly authentication: string;
  readonly documentation: string;
}

async function list(): Promise<ListItem[]> {
  return (await get("/agents/tools?limit=100")).body.data.tools;
}

async function item(id: string): Promise<ListItem | undefined> {
  return (await list()).find((tool) => tool.id === id);
}

describe("Tool (list item)", () => {
  beforeAll(() =>
    registerTools(
      foreignTool("crm", { authentication: { type: "oauth", scopes: ["contacts.read"] } }),
      foreignTool("weather", { authentication: { type: "api-key", scopes: [] } }),
    ),
  );

  it("a listed tool has the id under which its details are found", async () => {
    const ids = (await list()).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain("json-workbench");
    expect((await get("/agents/tools/json-workbench")).body.data.id).toBe("json-workbench");
  });

  it("a listed tool has its display name", async () => {
    expect((await item("json-workbench"))?.name).toBe("JSON workbench");
  });

  it.each([
    ["json-workbench", "development"],
    ["table-analyst", "data"],
    ["message-composer", "communication"],
    ["text-analyst", "research"],
    ["chart-maker", "creative"],
    ["format-bridge", "integration"],
  ])("a listed tool has one of the six categories: %s is %s", async (id, category) => {
    expect((await item(id))?.category).toBe(category);
  });

  it("a listed tool has a description of what it does", async () => {
    expect((await item("json-workbench"))?.description).toMatch(/JSON Schema/);
    for (const { description } of await list()) expect(description).toMatch(/\S/);
  });

  it("a listed tool has the ids of its capabilities as strings", async () => {
    expect((await item("json-workbench"))?.capabilities).toEqual(["validate", "query", "diff"]);
  });

  it("a listed tool has the ids of the agents with access, from grant to revocation", async () => {
    expect((await item("json-workbench"))?.agents).toEqual(["integrator"]);
    await post("/agents/tools/access", { agentId: "newcomer", toolId: "json-workbench" });
    expect((await item("json-workbench"))?.agents).toEqual(["integrator", "newcomer"]);
    await del("/agents/tools/access/newcomer/json-workbench");
    expect((await item("json-workbench"))?.agents).toEqual(["integrator"]);
    expect((await item("crm"))?.agents).toEqual([]);
  });

  it.each([
    ["crm", "oauth"],
    ["weather", "api-key"],
    ["json-workbench", "none"],
  ])("a listed tool has its authentication as a string: %s by %s", async (id, type) => {
    expect((await item(id))?.authentication).toBe(type);
  });

  it("a listed tool has the URL of its documentation", async () => {
    for (const { id, documentation } of await list()) {
      expect(new URL(documentation).protocol, id).toBe("https:");
    }
  });

  it("a listed tool has no other fields", async () => {
    expect(Object.keys((await item("json-workbench")) ?? {}).toSorted()).toEqual([
      "agents",
      "authentication",
      "capabilities",
      "category",
      "description",
      "documentation",
      "id",
      "name",
    ]);
  });
});
