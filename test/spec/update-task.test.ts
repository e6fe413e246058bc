import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { patch } from "../support/client.ts";
import { create, read, stopClock } from "../support/tasks.ts";

const update = (id: string, body: JsonObject) => patch(`/agents/tasks/${id}`, body);

describe("Update task", () => {
  beforeAll(stopClock);

  it("id · that task and no other", async () => {
    const [one, other] = [await create(), await create()];
    await update(one, { priority: "urgent" });
    expect((await read(one)).priority).toBe("urgent");
    expect((await read(other)).priority).toBe("medium");
  });

  it("id · unknown", async () => {
    const { status, body } = await update("a".repeat(64), { priority: "urgent" });
    expect([status, body.error.code]).toEqual([404, "TASK_NOT_FOUND"]);
  });

  it.each(["low", "medium", "high", "urgent"])("priority · %s", async (priority) => {
    const id = await create();
    await update(id, { priority });
    expect((await read(id)).priority).toBe(priority);
  });

  it("deadline · a new one", async () => {
    const [first, second] = [60_000, 120_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const id = await create({ deadline: first ?? "" });
    await update(id, { deadline: second ?? "" });
    expect((await read(id)).deadline).toBe(second);
  });

  it("context · added to and updated, key by key; null deletes one", async () => {
    const id = await create({ context: { region: "north", year: 2024, draft: true } });
    await update(id, { context: { region: "south", unit: "kg", draft: null } });
    expect((await read(id)).context).toEqual({ region: "south", year: 2024, unit: "kg" });
  });

  it("notes · added", async () => {
    const id = await create();
    await update(id, { notes: "First." });
    await update(id, { notes: "Second." });
    expect((await read(id)).notes).toBe("First.\nSecond.");
  });

  it("response · the whole task, as GET would answer, with what was left out unchanged", async () => {
    const id = await create({ priority: "high", context: { region: "north" } });
    const { status, body } = await update(id, { notes: "Hurry." });
    expect(status).toBe(200);
    expect(body.data).toEqual(await read(id));
    expect(body.data).toMatchObject({ priority: "high", context: { region: "north" } });
  });
});
