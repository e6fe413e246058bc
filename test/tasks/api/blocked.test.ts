import { beforeAll, describe, expect, it } from "vitest";
import { post } from "../../support/client.ts";
import {
  create,
  passTime,
  read,
  stopClock,
  taskIn,
  untilStatus,
  wake,
} from "../../support/tasks.ts";
import { eventsOf, rowOf } from "../../support/task-state.ts";

beforeAll(stopClock);

describe("a task whose context asks first", () => {
  it("a task whose context asks first waits with its question until an answer arrives, then completes", async () => {
    const id = await create({ context: { text: "A wharf.", askFirst: "Metres or feet?" } });
    await untilStatus(id, "blocked");
    const blocked = await read(id);
    expect(blocked).toMatchObject({
      status: "blocked",
      blocked: { kind: "input", question: "Metres or feet?", since: expect.any(String) },
    });
    expect(await rowOf(id)).toMatchObject({ status: "blocked" });

    const answer = await post(`/agents/tasks/${id}/respond`, { response: "Metres." });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ taskId: id, status: "in_progress" });
    expect(answer.body.data).not.toHaveProperty("blocked");

    await untilStatus(id, "completed");
    const responded = (await eventsOf(id)).filter(({ type }) => type === "responded");
    expect(responded.map(({ data }) => data)).toEqual([
      { response: "Metres.", by: { keyId: "root", keyName: "root" } },
    ]);
  });

  it("a blocked task does nothing by itself, even in 30 days", async () => {
    const id = await taskIn("blocked");
    const before = await eventsOf(id);
    passTime(30 * 86_400_000);
    expect(await wake(id)).toBe(false);
    expect(await eventsOf(id)).toEqual(before);
  });

  it("the answer to a blocked task can be an object", async () => {
    const id = await taskIn("blocked");
    const response = { unit: "m", rounded: true };
    expect((await post(`/agents/tasks/${id}/respond`, { response })).status).toBe(200);
    expect((await eventsOf(id)).at(-1)).toMatchObject({ type: "responded", data: { response } });
    await untilStatus(id, "completed");
  });

  it("a second answer to a blocked task is rejected, because its work has already resumed", async () => {
    const id = await taskIn("blocked");
    expect((await post(`/agents/tasks/${id}/respond`, { response: "1702" })).status).toBe(200);
    const second = await post(`/agents/tasks/${id}/respond`, { response: "1703" });
    expect(second.status).toBe(409);
    expect(second.body.error).toMatchObject({
      code: "INVALID_STATE",
      context: { status: "in_progress", allowed: ["cancel", "update"] },
    });
    expect((await eventsOf(id)).filter(({ type }) => type === "responded")).toHaveLength(1);
  });

  it("a new attempt asks its question again", async () => {
    const id = await taskIn("blocked", {
      context: { askFirst: "Which year?", requireReview: true },
    });
    await post(`/agents/tasks/${id}/respond`, { response: "1702" });
    await untilStatus(id, "review");
    await post(`/agents/tasks/${id}/review`, { decision: "reject" });
    expect((await post(`/agents/tasks/${id}/retry`)).body.data.status).toBe("pending");
    await untilStatus(id, "blocked");
    expect((await read(id)).blocked.question).toBe("Which year?");
  });
});
