import { describe, expect, it } from "vitest";
import {
  transcriptBytes,
  turnsOf,
  workOf,
  type TurnRecord,
} from "../../../src/agents/executors/model/record.ts";
import type { Json, JsonObject } from "../../../src/domain/json.ts";

const TURN: TurnRecord = {
  text: "Hello",
  reasoning: "",
  calls: [],
  remark: null,
  reminded: [],
  files: [],
  answers: 0,
  comments: 0,
  handedOver: null,
};

function kept(work: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(work));
}

describe("the turns in a task's work", () => {
  it("are read as they were written", () => {
    const result = { summary: "S", insights: ["I"], recommendations: [] };
    const outcome = { result, quality: null, deliverables: [] };
    const last = { ...TURN, handedOver: { round: 0, outcome } };
    expect(turnsOf(kept({ ...workOf(1, TURN), ...workOf(2, last) }))).toEqual([TURN, last]);
  });

  it.each<[string, Json]>([
    ["a word", "42 %"],
    ["a list", [1]],
    ["nothing", null],
    ["a checkpoint of a worker", { page: 3 }],
    ["half a turn", { text: "Hello", answers: "none", comments: 0 }],
    [
      "an outcome that is none",
      { text: "", answers: 0, comments: 0, handedOver: { round: 0, outcome: { result: 7 } } },
    ],
  ])("end where another kind of agent has left %s", (_, left) => {
    expect(turnsOf(kept({ "turn-1": left }))).toEqual([]);
    expect(turnsOf(kept({ ...workOf(1, TURN), "turn-2": left, ...workOf(3, TURN) }))).toEqual([
      TURN,
    ]);
  });

  it("are all that counts as a transcript, however much others have left", () => {
    const work = kept({ ...workOf(1, TURN), checkpoint: "x".repeat(1_000_000) });
    expect(transcriptBytes(turnsOf(work))).toBeLessThan(500);
  });
});
