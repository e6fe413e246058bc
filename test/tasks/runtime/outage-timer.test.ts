import { env } from "cloudflare:workers";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { divert } from "../../support/divert.ts";
import { LARGE_OUTPUT, passTime, read, stopClock, taskIn, wake } from "../../support/tasks.ts";
import { alarmAt } from "../../support/task-state.ts";

const MINUTE_MS = 60_000;
const DEADLINE_MS = 10 * MINUTE_MS;

beforeAll(stopClock);

/**
 * Returns whether there was an alarm, or the error that it threw. An error would use up one of the
 * platform's retries.
 */
function woken(id: string): Promise<unknown> {
  return wake(id).catch((thrown: unknown) => thrown);
}

it("an unavailable file store is retried at increasing intervals until the deadline", async () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => error.mockRestore());
  const deadline = Date.now() + DEADLINE_MS;
  const id = await taskIn("in_progress", {
    ...LARGE_OUTPUT,
    deadline: new Date(deadline).toISOString(),
  });
  let refused = 0;
  divert(Reflect.getPrototypeOf(env.FILES) ?? {}, "put", () => {
    refused += 1;
    return Promise.reject(new Error("Network connection lost."));
  });
  let longestMs = 0;
  for (let wakes = 0; wakes < 40 && Date.now() < deadline; wakes += 1) {
    expect(await woken(id)).toBe(true);
    const pauseMs = ((await alarmAt(id)) ?? Infinity) - Date.now();
    expect(pauseMs).toBeLessThanOrEqual(Math.min(MINUTE_MS, deadline - Date.now()));
    longestMs = Math.max(longestMs, pauseMs);
    passTime(pauseMs);
  }
  expect(refused).toBeGreaterThan(5);
  expect(longestMs).toBeGreaterThan(MINUTE_MS / 4);
  expect(Date.now()).toBe(deadline);
  expect(await woken(id)).toBe(true);
  expect(await read(id)).toMatchObject({ status: "failed", error: { code: "DEADLINE_EXCEEDED" } });
});
