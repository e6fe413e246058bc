import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { patch } from "../support/client.ts";
import { create, read, stopClock } from "../support/tasks.ts";

const update = (id: string, body: JsonObject) => patch(`/agents/tasks/${id}`, body);

describe("Update task", () => {
  beforeAll(stopClock);

  it("updating a task leaves other tasks unchanged", async () => {
    const [one, other] = [await create(), await create()];
    await update(one, { priority: "urgent" });
    expect((await read(one)).priority).toBe("urgent");
    expect((await read(other)).priority).toBe("medium");
  });

  it("updating an unknown task gets 404", async () => {
    const { status, body } = await update("a".repeat(64), { priority: "urgent" });
    expect([status, body.error.code]).toEqual([404, "TASK_NOT_FOUND"]);
  });

  it.each(["low", "medium", "high", "urgent"])(
    "an update can set the priority %s",
    async (priority) => {
      const id = await create();
      await update(id, { priority });
      expect((await read(id)).priority).toBe(priority);
    },
  );

  it("an update can set a new deadline", async () => {
    const [first, second] = [60_000, 120_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const id = await create({ deadline: first ?? "" });
    await update(id, { deadline: second ?? "" });
    expect((await read(id)).deadline).toBe(second);
  });

  it("an update changes the context key by key, and null deletes a key", async () => {
    const id = await create({ context: { region: "north", year: 2024, draft: true } });
    await update(id, { context: { region: "south", unit: "kg", draft: null } });
    expect((await read(id)).context).toEqual({ region: "south", year: 2024, unit: "kg" });
  });

  it("an update adds notes", async () => {
    const id = await create();
    await update(id, { notes: "First." });
    await update(id, { notes: "Second." });
    expect((await read(id)).notes).toBe("First.\nSecond.");
  });

  it("an update returns the whole task, as GET does, with other fields unchanged", async () => {
    const id = await create({ priority: "high", context: { region: "north" } });
    const { status, body } = await update(id, { notes: "Hurry." });
    expect(status).toBe(200);
    expect(body.data).toEqual(await read(id));
    expect(body.data).toMatchObject({ priority: "high", context: { region: "north" } });
  });
});
