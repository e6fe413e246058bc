import { describe, expect, it } from "vitest";
import { del, get, post } from "../support/client.ts";

const entries = async (agentId: string) =>
  (await get(`/agents/tools/access/${agentId}`)).body.data.tools;

async function granted(agentId: string): Promise<void> {
  for (const toolId of ["json-workbench", "text-analyst"]) {
    await post("/agents/tools/access", { agentId, toolId });
  }
}

describe("Revoke tool access", () => {
  it("revoking an agent's access leaves other agents' access unchanged", async () => {
    await granted("revoke-1");
    await granted("revoke-2");
    await del("/agents/tools/access/revoke-1/json-workbench");
    expect(await entries("revoke-1")).toHaveLength(1);
    expect(await entries("revoke-2")).toHaveLength(2);
  });

  it("revoking access to a tool leaves access to other tools unchanged", async () => {
    await granted("revoke-3");
    await del("/agents/tools/access/revoke-3/json-workbench");
    expect(await entries("revoke-3")).toMatchObject([{ id: "text-analyst" }]);
  });

  it("access is revoked without a body", async () => {
    await granted("revoke-4");
    const { status, body } = await del("/agents/tools/access/revoke-4/text-analyst");
    expect(status).toBe(200);
    expect(body.data).toEqual({ agentId: "revoke-4", toolId: "text-analyst", revoked: true });
  });

  it("revoking access that does not exist gets 404", async () => {
    await granted("revoke-5");
    const path = "/agents/tools/access/revoke-5/text-analyst";
    await del(path);
    for (const gone of [path, "/agents/tools/access/stranger/text-analyst"]) {
      const { status, body } = await del(gone);
      expect([status, body.error.code], gone).toEqual([404, "ACCESS_NOT_FOUND"]);
    }
  });

  it("an agent cannot use a revoked tool and remains registered", async () => {
    await granted("revoke-6");
    const call = {
      capability: "query",
      parameters: { document: "[1]", path: "$[0]" },
      agentId: "revoke-6",
    };
    const invoke = () => post("/agents/tools/json-workbench/invoke", call);
    expect((await invoke()).status).toBe(200);
    for (const toolId of ["json-workbench", "text-analyst"]) {
      await del(`/agents/tools/access/revoke-6/${toolId}`);
    }
    expect((await invoke()).body.error.code).toBe("TOOL_ACCESS_DENIED");
    expect(await entries("revoke-6")).toEqual([]);
  });
});
