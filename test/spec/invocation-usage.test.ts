import { beforeAll, describe, expect, it } from "vitest";
import { jsonWorkbench } from "../../src/builtin/tools/json-workbench/definition.ts";
import { registerTools } from "../support/catalogue.ts";
import { post } from "../support/client.ts";

async function usage() {
  const body = { capability: "query", parameters: { document: "[1,2]", path: "$[1]" } };
  return (await post("/agents/tools/json-workbench/invoke", body)).body.data.usage;
}

describe("Invocation usage", () => {
  // Each month, two calls are free and further calls cost 0.25. The first test makes this month's
  // first call.
  beforeAll(() =>
    registerTools({ ...jsonWorkbench, pricing: { model: "usage", free: 2, overage: 0.25 } }),
  );

  it("the usage has the cost: 0 for free calls, then the overage of the tool's pricing", async () => {
    const costs = [(await usage()).cost, (await usage()).cost, (await usage()).cost];
    expect(costs).toEqual([0, 0, 0.25]);
  });

  it("the usage names the invoked tool", async () => {
    expect((await usage()).toolId).toBe("json-workbench");
  });

  it("the usage names the invoked capability", async () => {
    expect((await usage()).capability).toBe("query");
  });

  it("the usage has a human-readable duration", async () => {
    expect((await usage()).duration).toMatch(/^\d+(ms|s)$/);
  });

  it("the usage has no other fields", async () => {
    expect(Object.keys(await usage()).toSorted()).toEqual([
      "capability",
      "cost",
      "duration",
      "toolId",
    ]);
  });
});
