import { describe, expect, it } from "vitest";
import { toWireResult } from "../../src/http/envelope.ts";
import { isReplayable } from "../../src/http/idempotency.ts";
import type { Failure } from "../../src/kernel/failure.ts";
import { fail, ok } from "../../src/kernel/result.ts";

function toolFailure(retryable: boolean, mayHaveExecuted: boolean) {
  const failure: Failure = {
    kind: "tool_failed",
    toolId: "harbour-api",
    reason: "it answered 500.",
    retryable,
    retryAfterSeconds: null,
    details: null,
    mayHaveExecuted,
  };
  return fail(failure);
}

describe("replayable outcomes", () => {
  it.each([
    ["a success", ok({ data: null }), true],
    [
      "a retryable failure of the service",
      fail<Failure>({ kind: "unavailable", what: "The store" }),
      false,
    ],
    ["a rejection", toolFailure(false, false), true],
    ["a retryable failure that was certainly not executed", toolFailure(true, false), false],
    ["a failure that may have been executed", toolFailure(false, true), true],
    ["a retryable failure that may have been executed", toolFailure(true, true), true],
  ] as const)(
    "an outcome is replayed unless it is retryable and certainly not done: %s (case %#)",
    (_, outcome, expected) => {
      expect(isReplayable(outcome, toWireResult(outcome))).toBe(expected);
    },
  );
});
