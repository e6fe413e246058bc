import { StreamResponse } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { RemoteTaskState } from "../../../src/executors/a2a/remote-task-state.ts";

const AT = "2026-05-01T12:00:00Z";

function hearing(sight: RemoteTaskState, ...events: readonly object[]): RemoteTaskState {
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

describe("what is heard of a task elsewhere", () => {
  it("is of the first task that is named, and of none before", () => {
    const sight = hearing(
      new RemoteTaskState(null, null),
      update("", "FAILED"),
      task("a", "WORKING"),
    );
    expect(sight).toMatchObject({ taskId: "a", contextId: "c", state: 2, isSettled: false });
    hearing(sight, update("b", "FAILED"), task("b", "REJECTED"));
    expect(sight).toMatchObject({ taskId: "a", state: 2 });
  });

  it("is not of another task than the one that is followed", () => {
    const sight = hearing(new RemoteTaskState("a", null), task("b", "COMPLETED"));
    expect(sight).toMatchObject({ taskId: "a", state: null });
  });

  it("ends with the first state in which the agent does nothing more", () => {
    const sight = hearing(
      new RemoteTaskState(null, null),
      task("a", "COMPLETED"),
      update("a", "WORKING"),
    );
    expect(sight).toMatchObject({ state: 3, isSettled: true });
    hearing(sight, chunk("r", "late", false));
    expect(sight.artifacts.size).toBe(0);
  });

  it("is nothing where a status is missing, or an id is absurd", () => {
    const sight = hearing(
      new RemoteTaskState("a", null),
      { statusUpdate: { taskId: "a" } },
      { artifactUpdate: { taskId: "a" } },
      {},
      task("x".repeat(501), "FAILED"),
    );
    expect(sight).toMatchObject({ state: null, statusKey: "" });
  });

  it("passes over the status that was answered, but not a new one", () => {
    const asked = hearing(new RemoteTaskState("a", null), update("a", "INPUT_REQUIRED")).statusKey;
    const sight = hearing(new RemoteTaskState("a", asked), update("a", "INPUT_REQUIRED"));
    expect(sight.state).toBeNull();
    hearing(sight, {
      statusUpdate: { taskId: "a", status: { state: "TASK_STATE_INPUT_REQUIRED" } },
    });
    expect(sight.isSettled).toBe(true);
  });

  it("puts the chunks of an artifact together, and replaces it where they do not go on", () => {
    const sight = hearing(
      new RemoteTaskState("a", null),
      chunk("r", "old", false),
      chunk("r", "one, ", false),
      chunk("r", "two", true),
      chunk("s", "other", true),
    );
    expect(textsOf(sight)).toEqual(["one, two", "other"]);
  });

  it("keeps two artifacts of one id in one list apart, and does not double them by looking twice", () => {
    const both = [
      { artifactId: "r", parts: [{ text: "one" }] },
      { artifactId: "r", parts: [{ text: "two" }] },
    ];
    const sight = hearing(
      new RemoteTaskState("a", null),
      task("a", "WORKING", both),
      task("a", "WORKING", both),
    );
    expect(textsOf(sight)).toEqual(["one", "two"]);
  });

  it("progress is read from the metadata of a status, an artifact or a message", () => {
    const sight = hearing(
      new RemoteTaskState("a", null),
      update("a", "WORKING", { metadata: { progress: 12.9 } }),
    );
    expect(sight.reportedProgress).toBe(12);
    for (const progress of [100, -1, "50", null, Number.NaN]) {
      hearing(sight, update("a", "WORKING", { metadata: { progress } }));
      expect(sight.reportedProgress).toBe(12);
    }
  });

  it("is a message alone only where there is no task", () => {
    const message = { message: { messageId: "m", parts: [{ text: "hello" }] } };
    expect(hearing(new RemoteTaskState("a", null), message).reply).toBeNull();
    expect(hearing(new RemoteTaskState(null, null), message)).toMatchObject({ isSettled: true });
  });
});
