import { describe, expect, it } from "vitest";
import type { TaskEvent } from "../../../src/tasks/model/events.ts";
import { fold, foldStored } from "../../../src/tasks/model/fold.ts";
import { STORED_BYTES_STEP } from "../../../src/tasks/limits.ts";
import { buildCreated, newEvent, SECOND, T0 } from "./fixtures.ts";

/** Builds a log that ends with a progress event with this text. */
function logOf(text: string, createdBy = "0123456789abcdef"): TaskEvent[] {
  const progress = { progress: 1, phase: "drafting", calls: [], work: { text } };
  return [newEvent("created", buildCreated({ createdBy })), newEvent("progressed", progress)].map(
    (made, index): TaskEvent => ({ ...made, seq: index + 1, at: T0 + index * SECOND }),
  );
}

describe("progress bytes that are not counted yet", () => {
  it("the bytes that the directory has not counted yet are UTF-8 bytes, not characters", () => {
    const [ascii, accented] = [fold(logOf("e".repeat(100))), fold(logOf("é".repeat(100)))];
    expect(
      (accented?.bytesSinceDirectoryVersion ?? 0) - (ascii?.bytesSinceDirectoryVersion ?? 0),
    ).toBe(100);
  });

  it("a stored event has the size that the log states", () => {
    const sized = (bytes: number) => logOf("short").map((one) => ({ event: one, bytes }));
    expect(foldStored(sized(12_345))?.bytesSinceDirectoryVersion).toBe(12_345);
    const listed = foldStored(sized(STORED_BYTES_STEP));
    expect(listed).toMatchObject({ bytesSinceDirectoryVersion: 0, directoryVersion: 2 });
  });

  it("a task created with the root key has no uncounted bytes", () => {
    const sized = logOf("short", "root").map((one) => ({ event: one, bytes: 12_345 }));
    expect(foldStored(sized)?.bytesSinceDirectoryVersion).toBe(0);
  });
});
