import { describe, expect, it } from "vitest";
import {
  parseAttemptTurns,
  measureTranscriptBytes,
  parseLlmTurns,
  serializeLlmTurn,
  type LlmTurnRecord,
} from "../../../src/executors/llm/transcript.ts";
import type { Json, JsonObject } from "../../../src/kernel/json.ts";

const TURN: LlmTurnRecord = {
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
  it("turns are read as they were written", () => {
    const result = { summary: "S", insights: ["I"], recommendations: [] };
    const outcome = { result, quality: null, deliverables: [] };
    const last = { ...TURN, handedOver: { round: 0, outcome } };
    expect(
      parseLlmTurns(kept({ ...serializeLlmTurn(1, TURN), ...serializeLlmTurn(2, last) })),
    ).toEqual([TURN, last]);
  });

  it.each<[string, Json]>([
    ["a string", "42 %"],
    ["a list", [1]],
    ["null", null],
    ["a worker's checkpoint", { page: 3 }],
    ["an incomplete turn", { text: "Hello", answers: "none", comments: 0 }],
    [
      "an invalid outcome",
      { text: "", answers: 0, comments: 0, handedOver: { round: 0, outcome: { result: 7 } } },
    ],
  ])("the turns end where another type of agent left %s", (_, left) => {
    expect(parseLlmTurns(kept({ "turn-1": left }))).toEqual([]);
    expect(
      parseLlmTurns(
        kept({ ...serializeLlmTurn(1, TURN), "turn-2": left, ...serializeLlmTurn(3, TURN) }),
      ),
    ).toEqual([TURN]);
  });

  it("only turns count towards the size of the transcript", () => {
    const work = kept({ ...serializeLlmTurn(1, TURN), checkpoint: "x".repeat(1_000_000) });
    expect(measureTranscriptBytes(parseLlmTurns(work))).toBeLessThan(500);
  });
});

describe("the turns of an attempt", () => {
  const FOLDER = "tasks/x/2.";
  const file = (key: string) => ({
    type: "report",
    name: "report.md",
    format: "text/markdown",
    size: 9,
    key,
    createdAt: 0,
  });
  const result = { summary: "S", insights: [], recommendations: [] };
  const handingOver = (key: string): LlmTurnRecord => {
    const outcome = { result, quality: null, deliverables: [file(key)] };
    return { ...TURN, handedOver: { round: 0, outcome } };
  };

  it("a turn with files in the attempt's own folder counts", () => {
    const first = { ...TURN, files: [file("tasks/x/2.0.9-1/report.md")] };
    const last = handingOver("tasks/x/2.1.12-2/report.md");
    const work = kept({ ...serializeLlmTurn(1, first), ...serializeLlmTurn(2, last) });
    expect(parseAttemptTurns(work, FOLDER)).toEqual([first, last]);
  });

  it.each([
    "tasks/y/2.0/report.md",
    "tasks/x/1.0/report.md",
    "tasks/x/20.0/report.md",
    "report.md",
  ])(
    "a turn with a file at %s in its files or its outcome does not count, nor do later turns",
    (key) => {
      for (const foreign of [{ ...TURN, files: [file(key)] }, handingOver(key)]) {
        const work = kept({
          ...serializeLlmTurn(1, TURN),
          ...serializeLlmTurn(2, foreign),
          ...serializeLlmTurn(3, TURN),
        });
        expect(parseAttemptTurns(work, FOLDER)).toEqual([TURN]);
      }
    },
  );
});
