import { expect, it, vi } from "vitest";
import { create, read } from "../support/tasks.ts";

const CSV = "city,people,area\nBergen,291940,465\nOslo,717710,454\nTromso,78745,2521\n";
const WHOLE_TASK_MS = 1_000;

/**
 * Runs a task with the runtime's own alarms and clock, and returns the time from creation to
 * completion.
 */
async function lifeMs(): Promise<number> {
  const startedAt = performance.now();
  const id = await create({ context: { csv: CSV }, deliverables: ["analysis", "summary"] });
  await vi.waitFor(async () => expect((await read(id)).status).toBe("completed"), {
    interval: 5,
    timeout: 15_000,
  });
  return performance.now() - startedAt;
}

it("a task at pace 0 goes from created to completed in under a second, by its own alarms", async () => {
  // Not measured, because the first task also loads libraries, which tests load module by module.
  await lifeMs();
  const tookMs = await lifeMs();
  console.log(`create to completed: ${Math.round(tookMs)} ms`);
  expect(tookMs).toBeLessThan(WHOLE_TASK_MS);
});
