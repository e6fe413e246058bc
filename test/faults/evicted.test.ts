/// <reference types="vite/types/importMeta.d.ts" />
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { evictAfterEachRequest } from "../support/evicting.ts";
import { startFresh } from "../support/fresh.ts";

/** A copy of each file of journeys, as the file itself is run elsewhere. */
const ALL = import.meta.glob(["../{spec,tasks,workers,queues}/*.test.ts"], { query: "?evicted" });
const LEFT_OUT: readonly string[] = [
  // These throw an object out themselves, which must be there for that.
  "../tasks/eviction.test.ts",
  "../tasks/feedback.test.ts",
  "../tasks/outage.test.ts",
  "../queues/eviction.test.ts",
  "../queues/places.test.ts",
  // These need an object to stay in memory during a call or an alarm run.
  "../tasks/alarm-run.test.ts",
  "../tasks/overtaken.test.ts",
  "../tasks/stream.test.ts",
  "../tasks/turn-silent.test.ts",
  "../queues/claims.test.ts",
  "../queues/giving-up.test.ts",
  "../workers/claim.test.ts",
  // This counts what an object does in one stay in memory.
  "../queues/rows.test.ts",
  // These make no requests, after which objects would be thrown out.
  "../tasks/atomic.test.ts",
  "../tasks/turns.test.ts",
  "../workers/pour.test.ts",
];
const files = Object.entries(ALL).filter(([path]) => !LEFT_OUT.includes(path));
/** Below these, something else was run than what is meant. */
const FILES_MIN = 53;
const TESTS_MIN = 650;
const EVICTIONS_MIN = 2_500;

let evictions: ReturnType<typeof evictAfterEachRequest> | null = null;
let tests = 0;
beforeAll(() => {
  evictions = evictAfterEachRequest();
  return () => evictions?.end();
});
afterEach(() => {
  tests += 1;
});
afterAll(() => {
  console.log(
    `evicted: ${tests} tests of ${files.length} files, ${evictions?.count ?? 0} evictions`,
  );
});

for (const [path, load] of files) {
  describe(`with every object thrown out after every request, ${path}`, async () => {
    beforeAll(startFresh);
    await load();
  });
}

describe("the whole of it", () => {
  it("leaves out only files that there are, each once", () => {
    expect(LEFT_OUT.filter((path) => !(path in ALL))).toEqual([]);
    expect(new Set(LEFT_OUT).size).toBe(LEFT_OUT.length);
  });

  it("was run", () => {
    expect(files.length).toBeGreaterThanOrEqual(FILES_MIN);
    expect(tests).toBeGreaterThan(TESTS_MIN);
    expect(evictions?.count).toBeGreaterThan(EVICTIONS_MIN);
  });
});
