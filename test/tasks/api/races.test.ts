import { beforeAll, describe, expect, it } from "vitest";
import type { TaskStatus } from "../../../src/tasks/model/task.ts";
import { patch, post, type Answer } from "../../support/client.ts";
import { create, read, stopClock, taskIn, untilStatus, wake } from "../../support/tasks.ts";
import { eventsOf, typesOf } from "../../support/task-state.ts";

beforeAll(stopClock);

const TIMES = Array.from({ length: 20 }, (_, index) => index);

/**
 * Asserts that exactly one response is a 200, and that all others are 409s with the status that the
 * winner set.
 */
function expectOneWinner(answers: readonly Answer[], beatenBy: TaskStatus): void {
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
    expect(status).toBe(409);
    expect(body.error).toMatchObject({ code: "INVALID_STATE", context: { status: beatenBy } });
  }
}

describe("racing requests for one task", () => {
  it("exactly one of twenty concurrent cancels wins", async () => {
    const id = await taskIn("blocked");
    const answers = await Promise.all(TIMES.map(() => post(`/agents/tasks/${id}/cancel`)));
    expectOneWinner(answers, "cancelled");
    expect((await typesOf(id)).filter((type) => type === "cancelled")).toHaveLength(1);
  });

  it("exactly one of twenty concurrent retries wins", async () => {
    const id = await taskIn("failed");
    const answers = await Promise.all(TIMES.map(() => post(`/agents/tasks/${id}/retry`)));
    expectOneWinner(answers, "pending");
    expect(await read(id)).toMatchObject({ status: "pending", attempt: 2 });
    expect((await typesOf(id)).filter((type) => type === "retried")).toHaveLength(1);
  });

  it("exactly one of twenty concurrent answers wins", async () => {
    const id = await taskIn("blocked");
    const answers = await Promise.all(
      TIMES.map((time) => post(`/agents/tasks/${id}/respond`, { response: `answer ${time}` })),
    );
    expectOneWinner(answers, "in_progress");
    expect((await typesOf(id)).filter((type) => type === "responded")).toHaveLength(1);
  });

  it("exactly one of a concurrent approval, rejection and cancellation wins", async () => {
    const id = await taskIn("review");
    const answers = await Promise.all([
      post(`/agents/tasks/${id}/review`, { decision: "approve" }),
      post(`/agents/tasks/${id}/review`, { decision: "reject" }),
      post(`/agents/tasks/${id}/cancel`),
    ]);
    const winner = answers.find(({ status }) => status === 200);
    expectOneWinner(answers, winner?.body.data.status);
    expect((await read(id)).status).toBe(winner?.body.data.status);
    const ends = (await typesOf(id)).filter((type) =>
      ["completed", "failed", "cancelled"].includes(type),
    );
    expect(ends).toHaveLength(1);
  });

  it.each([0, 1, 2, 3, 4, 5])(
    "a cancel after %d steps, while the agent is working, succeeds or finds the task completed",
    async (steps) => {
      const id = await create({ context: { text: "Two wharves burnt." } });
      for (let step = 0; step < steps; step += 1) await wake(id);
      const [answer] = await Promise.all([post(`/agents/tasks/${id}/cancel`), wake(id)]);
      const task = await read(id);
      expect([200, 409]).toContain(answer.status);
      expect(task.status).toBe(answer.status === 200 ? "cancelled" : "completed");
      expect(answer.body.error?.context.status).toBe(
        answer.status === 200 ? undefined : "completed",
      );
      const log = await eventsOf(id);
      await wake(id);
      expect(await eventsOf(id)).toEqual(log);
      expect(log.at(-1)?.type).toBe(task.status);
    },
  );
});

describe("requests that can all succeed", () => {
  it("twenty concurrent PATCHes are all applied one after the other while the agent is working", async () => {
    const id = await taskIn("in_progress");
    const answers = await Promise.all([
      ...TIMES.map((time) =>
        patch(`/agents/tasks/${id}`, { notes: `note ${time}`, context: { [`k${time}`]: time } }),
      ),
      wake(id),
    ]);
    expect(answers.slice(0, 20)).toMatchObject(TIMES.map(() => ({ status: 200 })));
    const task = await read(id);
    const lines: string[] = task.notes.split("\n");
    expect(lines.toSorted()).toEqual(TIMES.map((time) => `note ${time}`).toSorted());
    expect(task.context).toMatchObject(Object.fromEntries(TIMES.map((time) => [`k${time}`, time])));
    const events = await eventsOf(id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const writtenNotes = events.flatMap(({ type, data }) =>
      type === "updated" ? [data.notes] : [],
    );
    expect(writtenNotes).toEqual(lines);
    await untilStatus(id, "completed");
  });
});
