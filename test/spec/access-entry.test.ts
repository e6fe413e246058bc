import { describe, expect, it } from "vitest";
import { get, post } from "../support/client.ts";

async function entries(agentId: string) {
  return (await get(`/agents/tools/access/${agentId}`)).body.data.tools;
}

describe("Agent tool access entry", () => {
  it("id · the tool's identifier", async () => {
    const ids = (await entries("integrator")).map(({ id }: { id: string }) => id);
    expect(ids.toSorted()).toEqual(["format-bridge", "json-workbench", "table-analyst"]);
  });

  it("name · the tool's display name", async () => {
    expect(await entries("integrator")).toContainEqual(
      expect.objectContaining({ id: "json-workbench", name: "JSON workbench" }),
    );
  });

  it.each(["beginner", "intermediate", "advanced", "expert"])(
    "proficiency · %s, as granted",
    async (proficiency) => {
      const agentId = `access-${proficiency}`;
      await post("/agents/tools/access", { agentId, toolId: "text-analyst", proficiency });
      expect((await entries(agentId))[0].proficiency).toBe(proficiency);
    },
  );

  it("capabilities · all of the tool's where the grant names none", async () => {
    expect(await entries("integrator")).toContainEqual(
      expect.objectContaining({
        id: "json-workbench",
        capabilities: ["validate", "query", "diff"],
      }),
    );
  });

  it("capabilities · only those that the grant names", async () => {
    const grant = { agentId: "narrow", toolId: "json-workbench", capabilities: ["query"] };
    await post("/agents/tools/access", grant);
    expect((await entries("narrow"))[0].capabilities).toEqual(["query"]);
  });

  it("no other fields", async () => {
    for (const entry of await entries("integrator")) {
      expect(Object.keys(entry).toSorted()).toEqual(["capabilities", "id", "name", "proficiency"]);
    }
  });
});
