import { describe, expect, it } from "vitest";
import { get, post } from "../support/client.ts";

async function entries(agentId: string) {
  return (await get(`/agents/tools/access/${agentId}`)).body.data.tools;
}

describe("Agent tool access entry", () => {
  it("an access entry has the tool's id", async () => {
    const ids = (await entries("integrator")).map(({ id }: { id: string }) => id);
    expect(ids.toSorted()).toEqual(["format-bridge", "json-workbench", "table-analyst"]);
  });

  it("an access entry has the tool's display name", async () => {
    expect(await entries("integrator")).toContainEqual(
      expect.objectContaining({ id: "json-workbench", name: "JSON workbench" }),
    );
  });

  it.each(["beginner", "intermediate", "advanced", "expert"])(
    "an access entry has the granted proficiency %s",
    async (proficiency) => {
      const agentId = `access-${proficiency}`;
      await post("/agents/tools/access", { agentId, toolId: "text-analyst", proficiency });
      expect((await entries(agentId))[0].proficiency).toBe(proficiency);
    },
  );

  it("an access entry lists all capabilities of the tool if the grant names none", async () => {
    expect(await entries("integrator")).toContainEqual(
      expect.objectContaining({
        id: "json-workbench",
        capabilities: ["validate", "query", "diff"],
      }),
    );
  });

  it("an access entry lists only the capabilities that the grant names", async () => {
    const grant = { agentId: "narrow", toolId: "json-workbench", capabilities: ["query"] };
    await post("/agents/tools/access", grant);
    expect((await entries("narrow"))[0].capabilities).toEqual(["query"]);
  });

  it("an access entry has no other fields", async () => {
    for (const entry of await entries("integrator")) {
      expect(Object.keys(entry).toSorted()).toEqual(["capabilities", "id", "name", "proficiency"]);
    }
  });
});
