import { describe, expect, it } from "vitest";
import { get, post } from "../support/client.ts";

const access = async (agentId: string) => (await get(`/agents/tools/access/${agentId}`)).body.data;

describe("Get agent tool access", () => {
  it("the tool access of the agent in the path is listed", async () => {
    const [one, other] = [await access("researcher"), await access("integrator")];
    expect(one.tools).not.toEqual(other.tools);
  });

  it("listing the tool access of an unknown agent gets 404", async () => {
    const { status, body } = await get("/agents/tools/access/stranger");
    expect([status, body.error.code]).toEqual([404, "AGENT_NOT_FOUND"]);
    expect(body.error.message).toContain('"stranger"');
  });

  it("the tool access response contains the agent's id", async () => {
    expect((await access("researcher")).agentId).toBe("researcher");
  });

  it("the tool access response contains the agent's name", async () => {
    expect((await access("researcher")).agentName).toBe("Researcher");
  });

  it("the tool access response lists access entries in the catalogue's order", async () => {
    expect((await access("researcher")).tools).toMatchObject([
      { id: "table-analyst", name: "Table analyst", proficiency: "beginner" },
      { id: "message-composer", name: "Message composer", proficiency: "advanced" },
      { id: "text-analyst", name: "Text analyst", proficiency: "expert" },
    ]);
  });

  it("totalTools is the number of the agent's tools", async () => {
    expect((await access("researcher")).totalTools).toBe(3);
    await post("/agents/tools/access", { agentId: "researcher", toolId: "chart-maker" });
    expect((await access("researcher")).totalTools).toBe(4);
  });
});
