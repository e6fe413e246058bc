import { StreamResponse } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { RemoteTaskState } from "../../../src/executors/a2a/remote-task-state.ts";

const AT = "2026-05-01T12:00:00Z";

function applyEvents(sight: RemoteTaskState, ...events: readonly object[]): RemoteTaskState {
  for (const event of events) sight.apply(StreamResponse.fromJSON(event));
  return sight;
}

const state = (name: string) => ({ state: `TASK_STATE_${name}`, timestamp: AT });
const task = (id: string, name: string, artifacts: readonly object[] = []) => ({
  task: { id, contextId: "c", status: state(name), artifacts },
});
const update = (taskId: string, name: string, more: object = {}) => ({
  statusUpdate: { taskId, contextId: "c", status: state(name), ...more },
});
const chunk = (artifactId: string, text: string, append: boolean) => ({
  artifactUpdate: {
    taskId: "a",
    contextId: "c",
    artifact: { artifactId, parts: [{ text }] },
    append,
  },
});

function textsOf(sight: RemoteTaskState): string[] {
  return [...sight.artifacts.values()].map(({ parts }) =>
    parts.map(({ content }) => (content?.$case === "text" ? content.value : "?")).join(""),
  );
}

describe("the state of a remote task", () => {
  it("only the first task that appears is followed", () => {
    const sight = applyEvents(
      new RemoteTaskState(null, null),
      update("", "FAILED"),
      task("a", "WORKING"),
    );
    expect(sight).toMatchObject({ taskId: "a", contextId: "c", state: 2, isSettled: false });
    applyEvents(sight, update("b", "FAILED"), task("b", "REJECTED"));
    expect(sight).toMatchObject({ taskId: "a", state: 2 });
  });

  it("events of a task other than the followed one are ignored", () => {
    const sight = applyEvents(new RemoteTaskState("a", null), task("b", "COMPLETED"));
    expect(sight).toMatchObject({ taskId: "a", state: null });
  });

  it("events after the first final state of a remote task are ignored", () => {
    const sight = applyEvents(
      new RemoteTaskState(null, null),
      task("a", "COMPLETED"),
      update("a", "WORKING"),
    );
    expect(sight).toMatchObject({ state: 3, isSettled: true });
    applyEvents(sight, chunk("r", "late", false));
    expect(sight.artifacts.size).toBe(0);
  });

  it("events without a status or with an oversized id are ignored", () => {
    const sight = applyEvents(
      new RemoteTaskState("a", null),
      { statusUpdate: { taskId: "a" } },
      { artifactUpdate: { taskId: "a" } },
      {},
      task("x".repeat(501), "FAILED"),
    );
    expect(sight).toMatchObject({ state: null, statusKey: "" });
  });

  it("a status that was already answered is ignored, and a new one is not", () => {
    const asked = applyEvents(
      new RemoteTaskState("a", null),
      update("a", "INPUT_REQUIRED"),
    ).statusKey;
    const sight = applyEvents(new RemoteTaskState("a", asked), update("a", "INPUT_REQUIRED"));
    expect(sight.state).toBeNull();
    applyEvents(sight, {
      statusUpdate: { taskId: "a", status: { state: "TASK_STATE_INPUT_REQUIRED" } },
    });
    expect(sight.isSettled).toBe(true);
  });

  it("artifact chunks are joined, and a chunk that does not append replaces them", () => {
    const sight = applyEvents(
      new RemoteTaskState("a", null),
      chunk("r", "old", false),
      chunk("r", "one, ", false),
      chunk("r", "two", true),
      chunk("s", "other", true),
    );
    expect(textsOf(sight)).toEqual(["one, two", "other"]);
  });

  it("two artifacts with the same id in a list stay separate and are not duplicated when the task is read again", () => {
    const both = [
      { artifactId: "r", parts: [{ text: "one" }] },
      { artifactId: "r", parts: [{ text: "two" }] },
    ];
    const sight = applyEvents(
      new RemoteTaskState("a", null),
      task("a", "WORKING", both),
      task("a", "WORKING", both),
    );
    expect(textsOf(sight)).toEqual(["one", "two"]);
  });

  it("progress is read from the metadata of a status, and invalid values are ignored", () => {
    const sight = applyEvents(
      new RemoteTaskState("a", null),
      update("a", "WORKING", { metadata: { progress: 12.9 } }),
    );
    expect(sight.reportedProgress).toBe(12);
    for (const progress of [100, -1, "50", null, Number.NaN]) {
      applyEvents(sight, update("a", "WORKING", { metadata: { progress } }));
      expect(sight.reportedProgress).toBe(12);
    }
  });

  it("a message is the reply only if no remote task is followed", () => {
    const message = { message: { messageId: "m", parts: [{ text: "hello" }] } };
    expect(applyEvents(new RemoteTaskState("a", null), message).reply).toBeNull();
    expect(applyEvents(new RemoteTaskState(null, null), message)).toMatchObject({
      isSettled: true,
    });
  });
});
