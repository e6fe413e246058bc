import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { get } from "../../support/client.ts";
import { read, untilStatus } from "../../support/tasks.ts";
import {
  BINDINGS,
  clientOf,
  dataPart,
  errorNameOf,
  idle,
  message,
  part,
  sent,
  STATE,
  summarize,
  textOf,
  type BindingName,
} from "./fixtures.ts";

/** A client with a task that is blocked by a question or is in review. */
async function waiting(binding: BindingName, context: JsonObject) {
  const client = await clientOf(binding);
  const task = await sent(client, summarize(context));
  expect(task.status?.state).toBe(STATE.inputRequired);
  return { client, task };
}

/** Reads a task's log over REST. */
async function events(taskId: string) {
  return (await get(`/agents/tasks/${taskId}/events`)).body.data.events;
}

describe.each(BINDINGS)("an answer to a waiting task over %s", (binding) => {
  it("a text answer that names only the task completes it in the same context", async () => {
    const { client, task } = await waiting(binding, { askFirst: "Which year?" });
    const answered = await sent(client, message("1702", { taskId: task.id }));
    expect(answered).toMatchObject({
      id: task.id,
      contextId: task.contextId,
      status: { state: STATE.completed },
    });
    expect(answered.history.map(textOf)).toEqual(["Summarise the text", "Which year?", "1702"]);
  });

  it("an answer with text and a file is recorded as one response with both", async () => {
    const { client, task } = await waiting(binding, { askFirst: "Which text?" });
    const file = part({ $case: "text", value: "A gale blew." }, { filename: "gale.txt" });
    const { id: taskId, contextId } = task;
    await sent(client, message("This one", { taskId, contextId, more: [file] }));
    const answered = (await events(taskId)).find(
      ({ type }: { type: string }) => type === "responded",
    );
    expect(answered.data.response).toEqual({ answer: "This one", text: "A gale blew." });
  });

  it("a repeated answer is applied once, and another answer with its id is rejected", async () => {
    const { client, task } = await waiting(binding, { askFirst: "Which year?" });
    const answer = message("1702", { taskId: task.id });
    const [one, other] = [await sent(client, answer), await sent(client, answer)];
    expect(other).toMatchObject({ id: one.id, status: { state: STATE.completed } });
    const types = (await events(task.id)).map(({ type }: { type: string }) => type);
    expect(types.filter((type: string) => type === "responded")).toHaveLength(1);
    const error = await errorNameOf(
      sent(client, { ...message("1703", { taskId: task.id }), messageId: answer.messageId }),
    );
    expect(error.name).toBe("RequestMalformedError");
  });

  it("a rejected answer can be sent again with the same id after it is corrected", async () => {
    const { client, task } = await waiting(binding, { askFirst: "Which year?" });
    const answer = message("x".repeat(5_000), { taskId: task.id, bosun: { decision: "soon" } });
    expect((await errorNameOf(sent(client, answer))).name).toBe("RequestMalformedError");
    const corrected = { ...answer, metadata: undefined };
    expect((await sent(client, corrected)).status?.state).toBe(STATE.completed);
  });

  it("a reviewer's plain text counts as a request for changes, and an approval requires the decision approve", async () => {
    const { client, task } = await waiting(binding, { requireReview: true });
    expect(textOf(task.status?.message)).toContain("Waiting for review");
    expect(task.artifacts.length).toBeGreaterThan(0);
    const changed = await sent(client, message("Shorter, please", { taskId: task.id }));
    expect(changed.status?.state).toBe(STATE.inputRequired);
    expect(changed.history.map(textOf)).toContain("Shorter, please");
    const bosun = { decision: "approve" };
    const approved = await sent(client, message("Good", { taskId: task.id, bosun }));
    expect(approved.status?.state).toBe(STATE.completed);
    expect((await events(task.id)).map(({ type }: { type: string }) => type).slice(-2)).toEqual([
      "approved",
      "completed",
    ]);
  });

  it("a reviewer's rejection fails the task and states the reason", async () => {
    const { client, task } = await waiting(binding, { requireReview: true });
    const bosun = { decision: "reject" };
    const rejected = await sent(client, message("Beside the point", { taskId: task.id, bosun }));
    expect(rejected.status?.state).toBe(STATE.failed);
    expect(textOf(rejected.status?.message)).toBe("Beside the point");
    expect(rejected.metadata).toMatchObject({ bosun: { error: { code: "REVIEW_REJECTED" } } });
    expect(rejected.artifacts).toEqual([]);
  });

  it("a message with data raises an exhausted budget", async () => {
    const client = await clientOf(binding);
    const bosun = { budget: { maxToolCalls: 0 } };
    const task = await sent(client, summarize({}, { bosun }));
    expect(task.status?.state).toBe(STATE.inputRequired);
    const raise = message("", { taskId: task.id, more: [dataPart({ maxToolCalls: 50 })] });
    expect((await sent(client, raise)).status?.state).toBe(STATE.completed);
    expect((await read(task.id)).budget).toEqual({ maxToolCalls: 50 });
  });

  it("a message to a task that is not waiting for an answer is rejected", async () => {
    const { client, taskId } = await idle(binding);
    await untilStatus(taskId, "assigned");
    expect(await errorNameOf(sent(client, message("Hurry", { taskId })))).toEqual({
      name: "UnsupportedOperationError",
      message: expect.stringContaining("assigned"),
    });
    const cancelled = await client.cancelTask({ tenant: "", id: taskId, metadata: undefined });
    expect(cancelled).toMatchObject({ id: taskId, status: { state: STATE.canceled } });
    expect(await errorNameOf(sent(client, message("Hello?", { taskId })))).toEqual({
      name: "UnsupportedOperationError",
      message: expect.stringContaining("cancelled"),
    });
    const again = client.cancelTask({ tenant: "", id: taskId, metadata: undefined });
    expect((await errorNameOf(again)).name).toBe("TaskNotCancelableError");
  });

  it("a message with the context of another task or of a missing task is rejected", async () => {
    const { client, task } = await waiting(binding, { askFirst: "Which year?" });
    for (const options of [
      { taskId: task.id, contextId: "b".repeat(64) },
      { taskId: task.id, contextId: "mine" },
      { contextId: "b".repeat(64) },
    ]) {
      const error = await errorNameOf(sent(client, message("1702", options)));
      expect(error).toEqual({
        name: "RequestMalformedError",
        message: expect.stringContaining("message.contextId"),
      });
    }
    const unknownTask = message("1702", { taskId: "b".repeat(64) });
    expect((await errorNameOf(sent(client, unknownTask))).name).toBe("TaskNotFoundError");
  });
});
