import { beforeAll, describe, expect, it } from "vitest";
import type { Capability } from "../../src/tools/model/capability.ts";
import { foreignTool, registerTools } from "../support/catalogue.ts";
import { get } from "../support/client.ts";

async function capability(toolId: string, id: string): Promise<Capability | undefined> {
  const { capabilities } = (await get(`/agents/tools/${toolId}`)).body.data;
  return capabilities.find((one: Capability) => one.id === id);
}

describe("Capability", () => {
  it("a capability has an id that is unique within its tool", async () => {
    const { capabilities } = (await get("/agents/tools/table-analyst")).body.data;
    expect(capabilities.map(({ id }: Capability) => id)).toEqual([
      "profile",
      "aggregate",
      "correlate",
      "outliers",
      "trend",
    ]);
  });

  it("a capability has a name", async () => {
    expect((await capability("table-analyst", "correlate"))?.name).toBe("Correlate columns");
  });

  it("a capability has a description of what it does", async () => {
    expect((await capability("json-workbench", "diff"))?.description).toMatch(/RFC 6902/);
  });

  it("a capability's parameters have a name, a type and whether they are required", async () => {
    const parameters = (await capability("table-analyst", "trend"))?.parameters;
    expect(parameters).toMatchObject([
      { name: "csv", type: "string", required: false },
      { name: "data", type: "array", required: false },
      { name: "column", type: "string", required: true },
      { name: "by", type: "string", required: false },
    ]);
  });

  describe("parameters · type", () => {
    const types = ["string", "number", "array", "boolean", "object"] as const;
    const parameters = types.map((type) => ({ name: type, type, required: true }));
    beforeAll(() =>
      registerTools(
        foreignTool("typed", {
          capabilities: [{ id: "take", name: "Take", description: "Takes.", parameters }],
        }),
      ),
    );

    it.each(types)("a parameter of the type %s is returned as it was defined", async (type) => {
      expect((await capability("typed", "take"))?.parameters).toContainEqual({
        name: type,
        type,
        required: true,
      });
    });
  });
});
