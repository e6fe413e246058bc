import { TaskState } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import {
  REMOTE_STATE_MAPPINGS,
  A2A_MESSAGE_TARGETS,
} from "../../../src/executors/a2a/state-mapping.ts";

describe("the table of states", () => {
  it("gives every state of A2A 1.0 its meaning", () => {
    const kinds = Object.fromEntries(
      Object.entries(TaskState)
        .filter((entry): entry is [string, TaskState] => typeof entry[1] === "number")
        .map(([name, state]) => {
          const meaning = REMOTE_STATE_MAPPINGS[state];
          const detail = "why" in meaning ? `:${meaning.why}` : "";
          const retry = "retryable" in meaning ? (meaning.retryable ? ":retry" : ":final") : "";
          return [name.replace("TASK_STATE_", ""), `${meaning.kind}${detail}${retry}`];
        }),
    );
    expect(kinds).toEqual({
      UNSPECIFIED: "over:final",
      SUBMITTED: "going",
      WORKING: "going",
      COMPLETED: "done",
      FAILED: "over:retry",
      CANCELED: "over:retry",
      INPUT_REQUIRED: "asks:input",
      REJECTED: "over:final",
      AUTH_REQUIRED: "asks:auth",
      UNRECOGNIZED: "over:final",
    });
  });

  it("never starts a task anew that has ended, and never mixes attempts", () => {
    expect(A2A_MESSAGE_TARGETS).toEqual({
      start: { task: "new", context: "new" },
      answer: { task: "same", context: "same" },
      changes: { task: "new", context: "same" },
    });
  });
});
