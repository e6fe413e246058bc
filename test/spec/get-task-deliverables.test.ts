import { beforeAll, describe, expect, it } from "vitest";
import { get } from "../support/client.ts";
import { stopClock, taskIn } from "../support/tasks.ts";

const deliverables = (id: string) => get(`/agents/tasks/${id}/deliverables`);

describe("Get task deliverables", () => {
  beforeAll(stopClock);

  it("the deliverables endpoint returns the files of the task in the path", async () => {
    const id = await taskIn("completed", { deliverables: ["summary"] });
    const { data } = (await deliverables(id)).body;
    expect(data.deliverables[0].url).toContain(id);
  });

  it("listing the deliverables of an unknown task gets 404", async () => {
    const { status, body } = await deliverables("a".repeat(64));
    expect([status, body.error.code]).toEqual([404, "TASK_NOT_FOUND"]);
  });

  it("the deliverables response contains the task's id", async () => {
    const id = await taskIn("completed");
    expect((await deliverables(id)).body.data.taskId).toBe(id);
  });

  it("the deliverables endpoint returns files with downloadUrl and format", async () => {
    const id = await taskIn("completed", { deliverables: ["summary"] });
    const { data } = (await deliverables(id)).body;
    expect(Object.keys(data).toSorted()).toEqual(["deliverables", "taskId"]);
    expect(data.deliverables.map(Object.keys).map((keys: string[]) => keys.toSorted())).toEqual([
      ["createdAt", "downloadUrl", "format", "name", "size", "type", "url"],
    ]);
  });

  it.each(["pending", "in_progress", "blocked", "failed", "cancelled"] as const)(
    "the deliverables of a task that is %s are not available",
    async (state) => {
      const { status, body } = await deliverables(await taskIn(state));
      expect([status, body.error.code]).toEqual([409, "TASK_NOT_COMPLETED"]);
      expect(body.error.context.status).toBe(state);
    },
  );
});
