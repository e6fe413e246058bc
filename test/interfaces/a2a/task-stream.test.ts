import { beforeAll, describe, expect, it } from "vitest";
import { patch, post } from "../../support/client.ts";
import {
  BINDINGS,
  clientOf,
  errorNameOf,
  collect,
  sortStates,
  message,
  request,
  sent,
  STATE,
  statesIn,
  summarize,
  textOf,
} from "./fixtures.ts";

/** A worker agent. The test acts as its worker. */
const AGENT = "hand";

beforeAll(async () => {
  const made = await post("/agents", { id: AGENT, executor: { type: "worker" } });
  expect(made.status).toBe(201);
});

/** Claims the agent's only waiting task. Returns a function that sends a report on it. */
async function claim(): Promise<(report: object) => Promise<void>> {
  const claimed = await post("/agents/tasks/claim", { agentId: AGENT, max: 1, waitSeconds: 5 });
  const [task] = claimed.body.data.tasks;
  return async (report) => {
    const body = { lease: task.lease.token, ...report };
    const answer = await post(`/agents/tasks/${task.taskId}/report`, body);
    expect(answer).toMatchObject({ status: 200 });
  };
}

const DONE = { type: "completed", result: { summary: "Counted.", insights: ["Two words."] } };

describe.each(BINDINGS)("streams over %s", (binding) => {
  it("a message's stream contains the task, its states and its artifacts, and ends with the final state", async () => {
    const client = await clientOf(binding);
    const of = summarize({}, { bosun: { deliverables: ["summary"] } });
    const events = await collect(client.sendMessageStream(request(of)));
    expect(events[0]?.payload?.$case).toBe("task");
    const states = statesIn(events);
    expect(states.at(-1)).toBe(STATE.completed);
    // The task never returns to a state that it has left.
    expect(states).toEqual(sortStates(states));
    const artifacts = events.flatMap(({ payload }) =>
      payload?.$case === "artifactUpdate" ? [payload.value.artifact?.artifactId] : [],
    );
    expect(artifacts).toEqual(["result", "deliverables/summary.txt"]);
    expect(events.at(-1)?.payload?.$case).toBe("statusUpdate");
  });

  it("a stream ends with the task's question, and the stream of the answer ends with the completed task", async () => {
    const client = await clientOf(binding);
    const of = summarize({ askFirst: "Which year?" });
    const asked = await collect(client.sendMessageStream(request(of)));
    const last = asked.at(-1)?.payload;
    if (last?.$case !== "statusUpdate") throw new Error("A stream must end with a status");
    expect(last.value.status?.state).toBe(STATE.inputRequired);
    expect(textOf(last.value.status?.message)).toBe("Which year?");
    const answer = message("1702", { taskId: last.value.taskId });
    const events = await collect(client.sendMessageStream(request(answer)));
    expect(statesIn(events).slice(0, 1)).toEqual([STATE.working]);
    expect(statesIn(events).at(-1)).toBe(STATE.completed);
  });

  it("a client that reconnects gets the current task and then all later events", async () => {
    const client = await clientOf(binding);
    const stream = client.sendMessageStream(
      request(message("Count the words", { bosun: { agentId: AGENT } })),
    );
    const first = await stream.next();
    if (first.done === true || first.value.payload?.$case !== "task") {
      throw new Error("A stream must begin with its task");
    }
    const { id } = first.value.payload.value;
    await stream.return();
    const report = await claim();
    await report({ type: "progress", progress: 30, phase: "reading" });
    const again = client.resubscribeTask({ tenant: "", id });
    const task = await again.next();
    expect(task.value).toMatchObject({
      payload: { $case: "task", value: { id, status: { state: STATE.working } } },
    });
    await report({ type: "progress", progress: 60, phase: "counting" });
    await report(DONE);
    const rest = await collect(again);
    expect(statesIn(rest)).toEqual([STATE.working, STATE.completed]);
    const [progress] = rest;
    if (progress?.payload?.$case !== "statusUpdate") throw new Error("Progress must be a status");
    expect(textOf(progress.payload.value.status?.message)).toBe("60%: counting");
    expect(progress.payload.value.metadata).toMatchObject({ bosun: { progress: 60 } });
  });

  it("two streams of one task get the same events", async () => {
    const client = await clientOf(binding);
    const { id } = await sent(client, message("Count the words", { bosun: { agentId: AGENT } }), {
      returnImmediately: true,
    });
    const report = await claim();
    const streams = [1, 2].map(() => client.resubscribeTask({ tenant: "", id }));
    const begun = await Promise.all(streams.map((stream) => stream.next()));
    await report({ type: "progress", progress: 50, phase: "counting" });
    await report(DONE);
    const [one, other] = await Promise.all(streams.map(collect));
    expect(begun[0]).toEqual(begun[1]);
    expect(one).toEqual(other);
    expect(statesIn(one ?? [])).toEqual([STATE.working, STATE.completed]);
  });

  it("a subscription to a waiting task continues until the task is completed", async () => {
    const client = await clientOf(binding);
    const { id } = await sent(client, summarize({ askFirst: "Which year?" }));
    const stream = client.resubscribeTask({ tenant: "", id });
    const begun = await stream.next();
    expect(begun.value).toMatchObject({
      payload: { value: { status: { state: STATE.inputRequired } } },
    });
    await sent(client, message("1702", { taskId: id }));
    expect(statesIn(await collect(stream)).at(-1)).toBe(STATE.completed);
  });

  it("a subscription to a waiting task stays open when the task is updated without a new status", async () => {
    const client = await clientOf(binding);
    const { id } = await sent(client, summarize({ askFirst: "Which year?" }));
    const stream = client.resubscribeTask({ tenant: "", id });
    await stream.next();
    expect((await patch(`/agents/tasks/${id}`, { notes: "In haste" })).status).toBe(200);
    await sent(client, message("1702", { taskId: id }));
    expect(statesIn(await collect(stream)).at(-1)).toBe(STATE.completed);
  });

  it("a subscription to an ended task is rejected", async () => {
    const client = await clientOf(binding);
    const { id } = await sent(client, summarize());
    const error = await errorNameOf(collect(client.resubscribeTask({ tenant: "", id })));
    expect(error).toEqual({
      name: "UnsupportedOperationError",
      message: expect.stringContaining("completed"),
    });
  });

  it("a repeated message streams the current state of its task", async () => {
    const client = await clientOf(binding);
    const of = summarize();
    const { id } = await sent(client, of);
    const events = await collect(client.sendMessageStream(request(of)));
    expect(events).toMatchObject([
      { payload: { $case: "task", value: { id, status: { state: STATE.completed } } } },
    ]);
  });
});
