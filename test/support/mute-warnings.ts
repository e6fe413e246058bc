import { onTestFinished, vi } from "vitest";

/** Prints no warnings until the test ends: it causes failures that are logged. */
export function muteWarnings(): void {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
}
