import { describe, expect, it } from "vitest";
import {
  freshHeld,
  heldOf,
  reopened,
  workOf,
  type Endpoint,
} from "../../../src/agents/executors/a2a/held.ts";
import type { Json } from "../../../src/domain/json.ts";
import { Desk } from "./desk.ts";

const ENDPOINT: Endpoint = {
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

describe("what earlier turns have left", () => {
  it("is read as it was written", () => {
    const held = { ...freshHeld(5), endpoint: ENDPOINT, taskId: "t", own: [1] };
    expect(heldOf(JSON.parse(JSON.stringify(workOf(held))))).toEqual(held);
  });

  it.each<[string, Json]>([
    ["a word", "42 %"],
    ["a list", [1, 2]],
    ["nothing", null],
    ["a checkpoint of a worker", { page: 3, done: ["a", "b"] }],
    [
      "one whose endpoint is no URL",
      asJson({ ...freshHeld(5), endpoint: { ...ENDPOINT, url: "x" } }),
    ],
  ])("is not there where another kind of agent has left %s", (_, a2a) => {
    expect(heldOf({ a2a })).toBeNull();
  });

  it("is of work whose age does not count the wait for people", () => {
    const desk = new Desk();
    const held = reopened(freshHeld(1), desk.task);
    expect(held).toMatchObject({ opened: desk.task.openedSeq, since: desk.task.steppedAt });
    desk.event({ type: "progressed", data: { progress: 9, phase: "x", calls: [], work: {} } });
    expect(reopened(held, desk.task)).toBe(held);
    desk.event({
      type: "blocked",
      data: { kind: "auth", question: "A key?", calls: [], work: {} },
    });
    desk.respond("Done");
    expect(reopened(held, desk.task).since).toBe(desk.task.steppedAt);
    expect(desk.task.steppedAt).toBeGreaterThan(held.since);
  });
});
