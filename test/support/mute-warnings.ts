import { onTestFinished, vi } from "vitest";

/** Hides warnings until the test ends, for tests that cause failures. */
export function muteWarnings(): void {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
}
