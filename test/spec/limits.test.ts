import { beforeAll, describe, expect, it } from "vitest";
import { jsonWorkbench } from "../../src/builtin/tools/json-workbench/definition.ts";
import { foreignTool, registerTools } from "../support/catalogue.ts";
import { get, post } from "../support/client.ts";
import { create, stopClock, taskIn } from "../support/tasks.ts";

describe("Limits", () => {
  beforeAll(stopClock);

  it("a list of tools has 50 results by default", async () => {
    await registerTools(...Array.from({ length: 50 }, (_, index) => foreignTool(`t-${index}`)));
    const { data } = (await get("/agents/tools")).body;
    expect([data.tools.length, data.total]).toEqual([50, 56]);
  });

  it("a list of tasks has 50 results by default", async () => {
    for (let index = 0; index < 51; index += 1) await create();
    const { data } = (await get("/agents/tasks")).body;
    expect([data.tasks.length, data.total]).toEqual([50, 51]);
  });

  it("a rating is from 1 to 5", async () => {
    const id = await taskIn("completed");
    const statuses: number[] = [];
    for (const rating of [0, 1, 3, 5, 6]) {
      statuses.push((await post(`/agents/tasks/${id}/feedback`, { rating })).status);
    }
    expect(statuses).toEqual([400, 201, 200, 200, 400]);
  });

  it("a tool allows as many requests per period as its details state", async () => {
    await registerTools({ ...jsonWorkbench, rateLimit: { requests: 3, period: "hour" } });
    const { requests, period } = (await get("/agents/tools/json-workbench")).body.data.rateLimit;
    expect([requests, period]).toEqual([3, "hour"]);
    const body = { capability: "query", parameters: { document: "[1]", path: "$[0]" } };
    const calls = Array.from({ length: requests + 2 }, () =>
      post("/agents/tools/json-workbench/invoke", body),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  });
});
