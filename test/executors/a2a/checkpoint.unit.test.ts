import { describe, expect, it } from "vitest";
import {
  createA2aCheckpoint,
  parseA2aCheckpoint,
  resetCheckpointAge,
  serializeA2aCheckpoint,
  type A2aEndpoint,
} from "../../../src/executors/a2a/checkpoint.ts";
import type { Json } from "../../../src/kernel/json.ts";
import { A2aTurnHarness } from "./turn-harness.ts";
import { workStartSeqOf } from "../../../src/tasks/model/task.ts";

const ENDPOINT: A2aEndpoint = {
  cardUrl: "https://a.example.com/card.json",
  url: "https://a.example.com/rpc",
  binding: "JSONRPC",
  tenant: "",
  streaming: true,
  takesData: true,
};

function asJson(value: object): Json {
  return JSON.parse(JSON.stringify(value));
}

describe("the checkpoint of earlier turns", () => {
  it("a checkpoint is read as it was written", () => {
    const held = { ...createA2aCheckpoint(5), endpoint: ENDPOINT, taskId: "t", own: [1] };
    expect(parseA2aCheckpoint(JSON.parse(JSON.stringify(serializeA2aCheckpoint(held))))).toEqual(
      held,
    );
  });

  it.each<[string, Json]>([
    ["a string", "42 %"],
    ["a list", [1, 2]],
    ["null", null],
    ["a worker's checkpoint", { page: 3, done: ["a", "b"] }],
    [
      "a checkpoint whose endpoint is not a URL",
      asJson({ ...createA2aCheckpoint(5), endpoint: { ...ENDPOINT, url: "x" } }),
    ],
  ])("a checkpoint is null if the work contains %s instead", (_, a2a) => {
    expect(parseA2aCheckpoint({ a2a })).toBeNull();
  });

  it("the age in a checkpoint does not include time spent waiting for people", () => {
    const harness = new A2aTurnHarness();
    const held = resetCheckpointAge(createA2aCheckpoint(1), harness.task);
    expect(held).toMatchObject({
      opened: workStartSeqOf(harness.task),
      since: harness.task.lastStepAt,
    });
    harness.event({ type: "progressed", data: { progress: 9, phase: "x", calls: [], work: {} } });
    expect(resetCheckpointAge(held, harness.task)).toBe(held);
    harness.event({
      type: "blocked",
      data: { kind: "auth", question: "A key?", calls: [], work: {} },
    });
    harness.respond("Done");
    expect(resetCheckpointAge(held, harness.task).since).toBe(harness.task.lastStepAt);
    expect(harness.task.lastStepAt).toBeGreaterThan(held.since);
  });
});
