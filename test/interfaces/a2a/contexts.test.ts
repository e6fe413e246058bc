import { describe, expect, it } from "vitest";
import { keyWith } from "../../support/keys.ts";
import { get } from "../../support/client.ts";
import {
  ALL_TASKS,
  BINDINGS,
  clientOf,
  collect,
  errorNameOf,
  message,
  request,
  sent,
  STATE,
  summarize,
} from "./fixtures.ts";

describe.each(BINDINGS)("a context id chosen by the client over %s", (binding) => {
  it("a first message with a contextId creates a task with this contextId", async () => {
    const client = await clientOf(binding);
    const contextId = crypto.randomUUID();
    const of = summarize({ askFirst: "Which year?" }, { contextId });
    const task = await sent(client, of);
    expect(task).toMatchObject({ contextId, status: { state: STATE.inputRequired } });
    expect(task.status?.message).toMatchObject({ contextId, taskId: task.id });
    expect(task.history.map((one) => one.contextId)).toEqual([contextId, contextId]);
    expect(await client.getTask({ tenant: "", id: task.id })).toEqual(task);
    // A repeated message returns the same task.
    expect((await sent(client, of)).id).toBe(task.id);
    const answer = message("1702", { taskId: task.id, contextId });
    expect(await sent(client, answer)).toMatchObject({
      contextId,
      status: { state: STATE.completed },
    });
    // Events over REST do not contain the contextId.
    const { text } = await get(`/agents/tasks/${task.id}/events`);
    expect(text).not.toContain(contextId);
  });

  it("all events in the stream of a message have the contextId of the message", async () => {
    const client = await clientOf(binding);
    const contextId = crypto.randomUUID();
    const events = await collect(client.sendMessageStream(request(summarize({}, { contextId }))));
    const ids = events.map(({ payload }) => payload?.value.contextId);
    expect(new Set(ids)).toEqual(new Set([contextId]));
  });

  it("each message with a client's contextId creates a task, and the list for the context contains these tasks", async () => {
    const client = await clientOf(binding);
    const contextId = crypto.randomUUID();
    const own = await keyWith(["tasks:read", "tasks:write"], { agentId: "storyteller" });
    const other = await sent(await clientOf(binding, own), summarize({}, { contextId }));
    const bosun = { agentId: "researcher" };
    const first = await sent(client, summarize({}, { contextId, bosun }));
    const second = await sent(client, summarize({ askFirst: "?" }, { contextId, bosun }));
    const idsFor = async (of: typeof client) =>
      (await of.listTasks({ ...ALL_TASKS, contextId })).tasks.map(({ id }) => id);
    await expect.poll(() => idsFor(client)).toEqual([second.id, first.id, other.id]);
    expect(await idsFor(await clientOf(binding, own))).toEqual([other.id]);
    const { tasks, totalSize } = await client.listTasks({ ...ALL_TASKS, contextId });
    expect(tasks.map((task) => task.contextId)).toEqual([contextId, contextId, contextId]);
    expect(totalSize).toBe(3);
    const page = await client.listTasks({ ...ALL_TASKS, contextId, pageSize: 1 });
    const { nextPageToken: pageToken } = page;
    const next = await client.listTasks({ ...ALL_TASKS, contextId, pageSize: 1, pageToken });
    expect(next.tasks.map(({ id }) => id)).toEqual([first.id]);
    // If a task has a context id of its own, its task id is not accepted as a context.
    expect((await client.listTasks({ ...ALL_TASKS, contextId: first.id })).tasks).toEqual([]);
    const retry = sent(client, message("Again", { contextId: first.id }));
    expect((await errorNameOf(retry)).message).toContain("message.contextId");
  });

  it("a failed task in a client's context is not retried by a message to the context, and the error asks for a new task", async () => {
    const client = await clientOf(binding);
    const contextId = crypto.randomUUID();
    const { id } = await sent(client, summarize({ requireReview: true }, { contextId }));
    await sent(client, message("No", { taskId: id, bosun: { decision: "reject" } }));
    const { message: words } = await errorNameOf(sent(client, message("Again", { taskId: id })));
    expect(words).toContain(
      "To create a new task in its context, send a message with its contextId but without taskId",
    );
    const next = await sent(client, summarize({}, { contextId }));
    expect(next).toMatchObject({ contextId, status: { state: STATE.completed } });
    expect(next.id).not.toBe(id);
  });

  it("the same message id with another contextId is rejected", async () => {
    const client = await clientOf(binding);
    const messageId = crypto.randomUUID();
    await sent(client, summarize({}, { messageId, contextId: "one" }));
    for (const contextId of ["two", ""]) {
      const error = await errorNameOf(sent(client, summarize({}, { messageId, contextId })));
      expect(error.message).toContain("messageId was already used");
    }
  });
});
