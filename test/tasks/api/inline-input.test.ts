import { beforeAll, describe, expect, it } from "vitest";
import { callTool, connect, dataOf, REVISIONS } from "../../interfaces/mcp/client.ts";
import { ROOT } from "../../support/client.ts";
import { create, read, stopClock, untilStatus } from "../../support/tasks.ts";

beforeAll(stopClock);

const TASK =
  "Summarise: A bosun looks after the hull, the rigging and the boats of a ship. The deck crew reports to the bosun.";

describe("a task whose text contains the input", () => {
  it("a task whose text contains the input gets a summary of it over REST", async () => {
    await expectSummary(await create({ task: TASK }));
  });

  it("a task whose text contains the input gets a summary of it over MCP", async () => {
    const [revision] = REVISIONS;
    const created = await callTool(await connect(ROOT, revision), "create_task", { task: TASK });
    await expectSummary(dataOf(created).taskId);
  });

  it("if the text is only an instruction, the result says that there was nothing to read", async () => {
    const id = await create({ task: "Summarise: quarterly sales", agentId: "researcher" });
    await untilStatus(id, "completed");
    const { result, quality } = await read(id);
    expect(result.summary).toContain("There was nothing to read");
    expect(result.insights).toEqual([]);
    expect(quality.completeness).toBeLessThanOrEqual(10);
  });
});

async function expectSummary(taskId: string): Promise<void> {
  await untilStatus(taskId, "completed");
  const task = await read(taskId);
  expect(task.result.summary).toContain("21 words in 2 sentences of task.text");
  expect(task.result.insights.join("\n")).toMatch(/Sentence \d is central: "(?:A|The deck)/);
  expect(task.agentId).toBe("researcher");
  expect(task.quality.completeness).toBeGreaterThan(50);
}
