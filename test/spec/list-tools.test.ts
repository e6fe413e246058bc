import { beforeAll, describe, expect, it } from "vitest";
import { foreignTool, registerTools } from "../support/catalogue.ts";
import { get } from "../support/client.ts";

const SEEDED = [
  "json-workbench",
  "table-analyst",
  "message-composer",
  "text-analyst",
  "chart-maker",
  "format-bridge",
];

async function list(query = "") {
  return (await get(`/agents/tools${query}`)).body.data;
}

const ids = (data: { tools: { id: string }[] }) => data.tools.map(({ id }) => id);

describe("List tools · query", () => {
  beforeAll(() =>
    registerTools(
      ...Array.from({ length: 60 }, (_, index) => foreignTool(`many-${index}`)),
      foreignTool("percent", {
        name: "Rate 100%_done",
        description: "Counts Größe.",
        category: "creative",
      }),
    ),
  );

  it.each([
    ["development", ["json-workbench"]],
    ["data", ["table-analyst"]],
    ["communication", ["message-composer"]],
    ["research", ["text-analyst"]],
    ["creative", ["chart-maker", "percent"]],
  ])("the tool list filters by category: %s", async (category, expected) => {
    const data = await list(`?category=${category}`);
    expect(ids(data)).toEqual(expected);
    expect(data.total).toBe(expected.length);
  });

  it("the category integration lists all its tools", async () => {
    const data = await list("?category=integration&limit=100");
    expect(ids(data)).toContain("format-bridge");
    expect(data.total).toBe(61);
  });

  it.each([
    ["researcher", ["table-analyst", "message-composer", "text-analyst"]],
    ["nobody-we-know", []],
  ])("the tool list filters by agent access: %s", async (agentId, expected) => {
    const data = await list(`?agentId=${agentId}`);
    expect(ids(data)).toEqual(expected);
    expect(data.total).toBe(expected.length);
  });

  it.each([
    ["the name, in part", "workbench", ["json-workbench"]],
    ["the name in a different case", "JSON WORK", ["json-workbench"]],
    ["the description", "Liquid", ["message-composer"]],
    ["two letters", "0%", ["percent"]],
    ["% and _ literally", "100%_", ["percent"]],
    ["letters beyond ASCII", "größe", ["percent"]],
    ["_ literally (no name contains it)", "many_", []],
    ["neither name nor description", "zeppelin", []],
  ])("the tool search matches %s", async (_, search, expected) => {
    const data = await list(`?search=${encodeURIComponent(search)}`);
    expect(ids(data)).toEqual(expected);
    expect(data.total).toBe(expected.length);
  });

  it("the tool list returns at most limit tools", async () => {
    expect(ids(await list("?limit=2"))).toEqual(SEEDED.slice(0, 2));
    expect((await list("?limit=100")).tools).toHaveLength(67);
  });

  it("the tool list returns at most 50 tools by default", async () => {
    expect((await list()).tools).toHaveLength(50);
  });

  it("the tool list skips offset tools", async () => {
    expect(ids(await list("?offset=4&limit=2"))).toEqual(SEEDED.slice(4, 6));
    expect(ids(await list("?offset=67"))).toEqual([]);
    const pages = [await list("?limit=40"), await list("?limit=40&offset=40")];
    expect(pages.flatMap(ids)).toEqual(ids(await list("?limit=100")));
  });

  it("filters of the tool list apply together", async () => {
    expect(ids(await list("?category=data&agentId=researcher&search=table"))).toEqual([
      "table-analyst",
    ]);
    expect(ids(await list("?category=creative&agentId=researcher"))).toEqual([]);
  });
});

describe("List tools · response data", () => {
  it("the tool list contains list items", async () => {
    expect((await list("?search=workbench")).tools).toEqual([
      expect.objectContaining({ id: "json-workbench", capabilities: expect.any(Array) }),
    ]);
  });

  it("the total of the tool list counts all tools, regardless of the page", async () => {
    expect((await list("?limit=1&offset=3")).total).toBe(67);
  });

  it("the tool list names the categories", async () => {
    expect((await list("?category=data")).categories).toEqual([
      "development",
      "data",
      "communication",
      "research",
      "creative",
      "integration",
    ]);
  });
});
