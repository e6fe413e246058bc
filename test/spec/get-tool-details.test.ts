import { describe, expect, it } from "vitest";
import { get } from "../support/client.ts";

describe("Get tool details", () => {
  it("the details endpoint returns the tool in the path", async () => {
    const { status, body } = await get("/agents/tools/table-analyst");
    expect(status).toBe(200);
    expect(body.data.id).toBe("table-analyst");
  });

  it("reading an unknown tool gets 404", async () => {
    const { status, body } = await get("/agents/tools/sextant");
    expect([status, body.error.code]).toEqual([404, "TOOL_NOT_FOUND"]);
    expect(body.error.message).toContain('"sextant"');
  });

  it("the details endpoint returns the tool in detail", async () => {
    expect((await get("/agents/tools/text-analyst")).body.data).toMatchObject({
      name: "Text analyst",
      category: "research",
      capabilities: expect.arrayContaining([expect.objectContaining({ id: "keywords" })]),
      agents: [
        { agentId: "researcher", proficiency: "expert" },
        { agentId: "storyteller", proficiency: "intermediate" },
      ],
    });
  });
});
