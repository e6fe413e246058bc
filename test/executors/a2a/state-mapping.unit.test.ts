import { TaskState } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { REMOTE_STATE_MAPPINGS } from "../../../src/executors/a2a/remote-task-state.ts";

describe("state mappings", () => {
  it("every state of A2A 1.0 has a mapping", () => {
    const kinds = Object.fromEntries(
      Object.entries(TaskState)
        .filter((entry): entry is [string, TaskState] => typeof entry[1] === "number")
        .map(([name, state]) => {
          const meaning = REMOTE_STATE_MAPPINGS[state];
          const detail = "blockKind" in meaning ? `:${meaning.blockKind}` : "";
          const retry = "retryable" in meaning ? (meaning.retryable ? ":retry" : ":final") : "";
          return [name.replace("TASK_STATE_", ""), `${meaning.kind}${detail}${retry}`];
        }),
    );
    expect(kinds).toEqual({
      UNSPECIFIED: "failed:final",
      SUBMITTED: "working",
      WORKING: "working",
      COMPLETED: "completed",
      FAILED: "failed:retry",
      CANCELED: "failed:retry",
      INPUT_REQUIRED: "input_required:input",
      REJECTED: "failed:final",
      AUTH_REQUIRED: "input_required:auth",
      UNRECOGNIZED: "failed:final",
    });
  });
});
