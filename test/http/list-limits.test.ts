import { beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../src/keys/model/key.ts";
import { post, type Answer } from "../support/client.ts";
import { expectProblems, expectError } from "../support/expect-errors.ts";
import { stopClock, taskIn } from "../support/tasks.ts";

const items = (count: number) => Array.from({ length: count }, (_, index) => `item-${index}`);
let completed = "";

const createTask = (deliverables: string[]) => post("/agents/tasks", { task: "x", deliverables });
const rate = (issues: string[]) =>
  post(`/agents/tasks/${completed}/feedback`, { rating: 3, issues });
const grant = (capabilities: string[]) =>
  post("/agents/tools/access", { agentId: "lists", toolId: "json-workbench", capabilities });
const issue = (scopes: string[]) => post("/agents/keys", { name: "lists", scopes });

describe("limits of lists", () => {
  beforeAll(async () => {
    stopClock();
    completed = await taskIn("completed");
  });

  it.each([
    ["deliverables", createTask],
    ["issues", rate],
  ] as const)("the list %s accepts 0 to 50 items", async (path, send) => {
    for (const count of [0, 50]) {
      const answer: Answer = await send(items(count));
      expect([200, 201], answer.text).toContain(answer.status);
    }
    expectProblems(await send(items(51)), {
      [path]: "must have at most 50 items, got 51 items",
    });
  });

  it("capabilities accepts 1 to 50 items", async () => {
    expectProblems(await grant([]), { capabilities: "must have at least 1 item, got 0 items" });
    expect((await grant(["diff"])).status).toBe(201);
    expectError(await grant(items(50)), 404, "CAPABILITY_NOT_FOUND");
    expectProblems(await grant(items(51)), { capabilities: "got 51 items" });
  });

  it("capabilities counts a repeated item once", async () => {
    const { data } = (await grant(["diff", "query", "diff"])).body;
    expect(data.capabilities).toEqual(["diff", "query"]);
  });

  it("scopes accepts 1 to 14 items", async () => {
    expectProblems(await issue([]), { scopes: "got 0 items" });
    expect((await issue([...SCOPES])).status).toBe(201);
    expectProblems(await issue([...SCOPES, "tasks:read"]), { scopes: "got 15 items" });
  });

  it("each invalid item of a list is named by its index", async () => {
    expectProblems(await issue(["tools:read", "tools:write", "root"]), {
      "scopes[1]": 'got "tools:write"',
      "scopes[2]": 'got "root"',
    });
  });

  it("an error lists the first twenty problems and the number of the others", async () => {
    const { status, body } = await createTask(items(50).map(() => ""));
    expect(status).toBe(400);
    expect(body.error.details).toHaveLength(20);
    expect(body.error.message).toContain("deliverables[0] must not be empty (and 49 more)");
  });

  it("the error for a very long field name truncates the name", async () => {
    const name = "n".repeat(100_000);
    const answer = await post("/agents/tasks", { task: "x", [name]: 1 });
    expectProblems(answer, { [`${"n".repeat(200)}…`]: "is not a known field" });
    expect(answer.text.length).toBeLessThan(2_000);
  });
});
