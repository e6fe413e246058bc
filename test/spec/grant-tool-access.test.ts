import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { get, post } from "../support/client.ts";
import { stopClock } from "../support/tasks.ts";

const grant = (body: JsonObject) => post("/agents/tools/access", body);
const entries = async (agentId: string) =>
  (await get(`/agents/tools/access/${agentId}`)).body.data.tools;

describe("Grant tool access", () => {
  beforeAll(stopClock);

  it("a grant lets the agent use the tool and registers a new agent", async () => {
    const { status, body } = await grant({ agentId: "grant-1", toolId: "json-workbench" });
    expect(status).toBe(201);
    expect(body.data.agentId).toBe("grant-1");
    expect(await entries("grant-1")).toHaveLength(1);
  });

  it("a grant applies to the tool that it names", async () => {
    await grant({ agentId: "grant-2", toolId: "text-analyst" });
    expect(await entries("grant-2")).toMatchObject([{ id: "text-analyst" }]);
  });

  it.each(["agentId", "toolId"])("a grant requires %s", async (field) => {
    const { [field]: _, ...rest }: Record<string, string> = {
      agentId: "grant-3",
      toolId: "json-workbench",
    };
    const { status, body } = await grant(rest);
    expect(status).toBe(400);
    expect(body.error.details).toEqual([{ path: field, message: "is required: a string" }]);
  });

  it("a grant of an unknown tool gets 404 and registers no agent", async () => {
    const { status, body } = await grant({ agentId: "grant-4", toolId: "sextant" });
    expect([status, body.error.code]).toEqual([404, "TOOL_NOT_FOUND"]);
    expect((await get("/agents/tools/access/grant-4")).status).toBe(404);
  });

  it("a grant has the proficiency that was sent, by default intermediate", async () => {
    await grant({ agentId: "grant-5", toolId: "json-workbench", proficiency: "expert" });
    await grant({ agentId: "grant-5", toolId: "text-analyst" });
    expect(await entries("grant-5")).toMatchObject([
      { id: "json-workbench", proficiency: "expert" },
      { id: "text-analyst", proficiency: "intermediate" },
    ]);
  });

  it("a grant allows only the capabilities that it names, by default all", async () => {
    const body = { agentId: "grant-6", toolId: "json-workbench" };
    await grant({ ...body, capabilities: ["diff", "query"] });
    const call = {
      capability: "validate",
      parameters: { document: "1", schema: {} },
      agentId: "grant-6",
    };
    const invoke = () => post("/agents/tools/json-workbench/invoke", call);
    expect((await invoke()).body.error.code).toBe("CAPABILITY_NOT_GRANTED");
    await grant(body);
    expect((await invoke()).status).toBe(200);
  });

  it("a grant of an unknown capability is rejected", async () => {
    const { status, body } = await grant({
      agentId: "grant-7",
      toolId: "json-workbench",
      capabilities: ["query", "compile"],
    });
    expect([status, body.error.code]).toEqual([404, "CAPABILITY_NOT_FOUND"]);
    expect(body.error.message).toContain('"compile"');
  });

  it("a new grant gets 201 and a replacement gets 200, both with the grant", async () => {
    const body = { agentId: "grant-8", toolId: "json-workbench", capabilities: ["diff"] };
    const answers = [await grant(body), await grant({ ...body, proficiency: "advanced" })];
    expect(answers.map(({ status }) => status)).toEqual([201, 200]);
    expect(answers[1]?.body.data).toEqual({
      ...body,
      proficiency: "advanced",
      grantedAt: new Date().toISOString(),
    });
    expect(await entries("grant-8")).toHaveLength(1);
  });
});
