import { beforeAll, describe, expect, it } from "vitest";
import { foreignTool, registerTools } from "../support/catalogue.ts";
import { get, post } from "../support/client.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- as in Answer: a test asserts the shape it reads
async function detail(id: string): Promise<any> {
  return (await get(`/agents/tools/${id}`)).body.data;
}

describe("Tool (detail)", () => {
  it("a tool's details have the same id, name, category, description and documentation as the list", async () => {
    const list = (await get("/agents/tools")).body.data.tools;
    expect(list.length).toBeGreaterThanOrEqual(6);
    for (const { id, name, category, description, documentation } of list) {
      expect(await detail(id)).toMatchObject({ id, name, category, description, documentation });
    }
  });

  it("a tool's details have its capabilities as objects in the list's order", async () => {
    const { capabilities } = await detail("json-workbench");
    expect(capabilities.map(({ id }: { id: string }) => id)).toEqual(["validate", "query", "diff"]);
    for (const capability of capabilities) {
      expect(Object.keys(capability).toSorted()).toEqual([
        "description",
        "id",
        "name",
        "parameters",
      ]);
    }
  });

  it("a tool's details have its agents as objects with agentId and proficiency", async () => {
    await post("/agents/tools/access", {
      agentId: "apprentice",
      toolId: "json-workbench",
      proficiency: "beginner",
    });
    expect((await detail("json-workbench")).agents).toEqual([
      { agentId: "apprentice", proficiency: "beginner" },
      { agentId: "integrator", proficiency: "expert" },
    ]);
  });

  describe("authentication · an object of type and scopes", () => {
    beforeAll(() =>
      registerTools(
        foreignTool("crm", {
          authentication: { type: "oauth", scopes: ["contacts.read", "deals.read"] },
        }),
        foreignTool("weather", { authentication: { type: "api-key", scopes: [] } }),
      ),
    );

    it.each([
      ["crm", { type: "oauth", scopes: ["contacts.read", "deals.read"] }],
      ["weather", { type: "api-key", scopes: [] }],
      ["json-workbench", { type: "none", scopes: [] }],
    ])(
      "a tool's details have the type and scopes of its authentication: %s",
      async (id, authentication) => {
        expect((await detail(id)).authentication).toEqual(authentication);
      },
    );
  });

  it.each([
    ["table-analyst", { requests: 5_000, period: "hour" }],
    ["message-composer", { requests: 200, period: "hour" }],
  ])(
    "a tool's details have its rate limit as an object with requests and period: %s",
    async (id, rateLimit) => {
      expect((await detail(id)).rateLimit).toEqual(rateLimit);
    },
  );

  it.each([
    ["json-workbench", { model: "usage", free: 1_000, overage: 0.001 }],
    ["message-composer", { model: "usage", free: 500, overage: 0.005 }],
  ])(
    "a tool's details have its pricing as an object with model, free and overage: %s",
    async (id, pricing) => {
      expect((await detail(id)).pricing).toEqual(pricing);
    },
  );

  it("a tool's details also have its version, documentation and number of capabilities", async () => {
    expect(Object.keys(await detail("json-workbench")).toSorted()).toEqual([
      "agents",
      "authentication",
      "capabilities",
      "category",
      "connector",
      "description",
      "documentation",
      "id",
      "name",
      "pricing",
      "rateLimit",
      "totalCapabilities",
      "version",
    ]);
  });
});
