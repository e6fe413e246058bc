import { describe, expect, it } from "vitest";
import { del, get, patch, post } from "../../support/client.ts";
import { queryCapability, registerHttpTool } from "../../support/server-tools.ts";

describe("a policy whose tool changes", () => {
  it("a policy lists the tools and capabilities that were removed after it was created", async () => {
    const capabilities = [queryCapability("keep", "/ok"), queryCapability("drop", "/ok")];
    await registerHttpTool("hostile", "shrinking", capabilities);
    const tools = ["*", "shrinking", "shrinking/*", "shrinking/keep", "shrinking/drop"];
    const policy = { id: "shrinks", name: "Shrinks", effect: "deny", tools, reason: "Why." };
    expect((await post("/agents/policies", policy)).status).toBe(201);
    const unknownTargets = async () =>
      (await get("/agents/policies/shrinks")).body.data.unknownTargets;
    expect(await unknownTargets()).toEqual([]);
    await patch("/agents/tools/shrinking", { capabilities: capabilities.slice(0, 1) });
    expect(await unknownTargets()).toEqual(["shrinking/drop"]);
    await del("/agents/tools/shrinking");
    expect(await unknownTargets()).toEqual(tools.slice(1));
  });
});
