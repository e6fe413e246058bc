import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { get, patch, post, type Answer } from "../support/client.ts";
import { expectProblems } from "../support/expect-errors.ts";
import { create, read, stopClock, taskIn } from "../support/tasks.ts";
import { complete, heldTask } from "../tasks/workers/fixtures.ts";

beforeAll(stopClock);

const WRONG = { requireReview: "yes", askFirst: ["For whom?"] };
const PROBLEMS = {
  "context.requireReview": 'must be true or false, got "yes"',
  "context.askFirst": /must be a non-blank string, got \["For whom\?"\]/,
};

describe("context directives", () => {
  it("invalid context directives are reported together with other invalid fields, before the agent is looked up", async () => {
    const body = { task: "Count", agentId: "nobody", priority: "soon", context: WRONG };
    const before = (await get("/agents/tasks")).body.data.total;
    expectProblems(await post("/agents/tasks", body), { ...PROBLEMS, priority: "one of" });
    expect((await get("/agents/tasks")).body.data.total).toBe(before);
  });

  it.each<[string, (id: string) => Promise<Answer>]>([
    ["PATCH", (id) => patch(`/agents/tasks/${id}`, { context: WRONG })],
    ["retry", (id) => post(`/agents/tasks/${id}/retry`, { context: WRONG })],
  ])(
    "%s rejects invalid context directives even for a completed task, and the task does not change",
    async (_, ask) => {
      const id = await taskIn("completed");
      const before = await read(id);
      expectProblems(await ask(id), PROBLEMS);
      expect(await read(id)).toEqual(before);
    },
  );

  it("a context directive is removed with null", async () => {
    const orders: JsonObject = { requireReview: true, askFirst: "For whom?" };
    const id = await create({ context: orders });
    const taken = await patch(`/agents/tasks/${id}`, {
      context: { requireReview: null, askFirst: null },
    });
    expect(taken.body.data.context).toEqual({});
  });

  it("the directive requireReview puts a worker's result in review until it is approved", async () => {
    const { id, lease } = await heldTask({ context: { requireReview: true } });
    expect((await complete(id, lease)).body.data.status).toBe("review");
    const approved = await post(`/agents/tasks/${id}/review`, { decision: "approve" });
    expect(approved.body.data.status).toBe("completed");
  });
});
