import { beforeAll, describe, expect, it } from "vitest";
import { get, patch } from "../../support/client.ts";
import { create, read, stopClock, taskIn } from "../../support/tasks.ts";
import { eventsOf, rowOf } from "../../support/task-state.ts";

beforeAll(stopClock);

describe("PATCH", () => {
  it("a PATCH returns the complete task as GET does, and the directory row follows", async () => {
    const id = await create();
    const answer = await patch(`/agents/tasks/${id}`, { priority: "urgent" });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual(await read(id));
    expect(answer.body.data.priority).toBe("urgent");
    expect(await rowOf(id)).toMatchObject({ priority: "urgent" });
  });

  it.each(["pending", "in_progress", "blocked", "review", "failed"] as const)(
    "a PATCH changes a task that is %s and leaves its status unchanged",
    async (status) => {
      const id = await taskIn(status);
      const answer = await patch(`/agents/tasks/${id}`, { priority: "low", notes: "Noted." });
      expect(answer.body.data).toMatchObject({ status, priority: "low", notes: "Noted." });
    },
  );

  it.each(["completed", "cancelled"] as const)(
    "a PATCH does not change a task that is %s",
    async (status) => {
      const id = await taskIn(status);
      const before = await read(id);
      const answer = await patch(`/agents/tasks/${id}`, { priority: "low" });
      expect(answer.status).toBe(409);
      expect(answer.body.error).toMatchObject({ code: "INVALID_STATE", context: { status } });
      expect(await read(id)).toEqual(before);
    },
  );
});

describe("notes", () => {
  it("notes are appended, one line each, in order", async () => {
    const id = await create();
    await patch(`/agents/tasks/${id}`, { notes: "Ask the harbour master." });
    await patch(`/agents/tasks/${id}`, { notes: "He is away." });
    expect((await read(id)).notes).toBe("Ask the harbour master.\nHe is away.");
    const updates = (await eventsOf(id)).filter(({ type }) => type === "updated");
    const by = { keyId: "root", keyName: "root" };
    expect(updates.map(({ data }) => data)).toEqual([
      { notes: "Ask the harbour master.", by },
      { notes: "He is away.", by },
    ]);
  });
});

describe("context", () => {
  it("the context is merged key by key, and null deletes a key", async () => {
    const id = await create({ context: { year: 1702, place: { city: "Bergen" }, draft: true } });
    const context = { year: 1703, place: { country: "Norway" }, draft: null, unknown: null };
    const answer = await patch(`/agents/tasks/${id}`, { context });
    expect(answer.body.data.context).toEqual({ year: 1703, place: { country: "Norway" } });
  });

  it("null deletes a key whose value is null, and changing the order of keys writes no event", async () => {
    const id = await create({ context: { keep: { x: 1, y: [1, 2] }, draft: null } });
    const before = await get(`/agents/tasks/${id}`);
    const answer = await patch(`/agents/tasks/${id}`, { context: { draft: null } });
    expect(answer.body.data.context).toEqual({ keep: { x: 1, y: [1, 2] } });
    expect(answer.headers.get("ETag")).not.toBe(before.headers.get("ETag"));
    const log = await eventsOf(id);
    await patch(`/agents/tasks/${id}`, { context: { keep: { y: [1, 2], x: 1 }, draft: null } });
    expect(await eventsOf(id)).toEqual(log);
  });

  it("the context can have the key __proto__, and null deletes it", async () => {
    const id = await create({ context: JSON.parse('{"a": 1, "__proto__": {"admin": true}}') });
    expect((await get(`/agents/tasks/${id}`)).text).toContain(
      '"context":{"a":1,"__proto__":{"admin":true}}',
    );
    await patch(`/agents/tasks/${id}`, { context: JSON.parse('{"__proto__": null}') });
    expect((await get(`/agents/tasks/${id}`)).text).toContain('"context":{"a":1}');
  });

  it("a context over 64 KiB is shown by its size unless it is requested", async () => {
    const csv = "n\n".concat("12345678\n".repeat(8_000));
    const id = await create({ context: { csv } });
    const task = await read(id);
    expect(task).not.toHaveProperty("context");
    expect(task.contextBytes).toBe(JSON.stringify({ csv }).length);
    const whole = await get(`/agents/tasks/${id}?include=context`);
    expect(whole.body.data.context).toEqual({ csv });
    expect(whole.body.data).not.toHaveProperty("contextBytes");
    const [created] = await eventsOf(id);
    expect(created?.data).toMatchObject({ contextBytes: task.contextBytes });
  });
});

it("a rejected PATCH changes nothing", async () => {
  const id = await create({ priority: "low" });
  const log = await eventsOf(id);
  const past = new Date(Date.now() - 1).toISOString();
  const answer = await patch(`/agents/tasks/${id}`, { priority: "urgent", deadline: past });
  expect(answer.status).toBe(400);
  expect(answer.body.error.details).toMatchObject([{ path: "deadline" }]);
  expect(await eventsOf(id)).toEqual(log);
  expect((await read(id)).priority).toBe("low");
});
