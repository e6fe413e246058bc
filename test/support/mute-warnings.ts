import { onTestFinished, vi, type MockInstance } from "vitest";

/**
 * Hides warnings until the test ends, for tests that cause failures on purpose. Returns the spy
 * that receives them.
 */
export function muteWarnings(): MockInstance<typeof console.warn> {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  return warned;
}
