/// <reference types="vite/types/importMeta.d.ts" />
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { evictAfterEachRequest } from "../support/evict-objects.ts";
import { resetService } from "../support/reset.ts";

/** Imports a separate copy of each test file, because the files also run on their own. */
const ALL = import.meta.glob(
  [
    "../spec/*.test.ts",
    "../tasks/{api,directory,runtime,workers}/*.test.ts",
    "../agents/queue/*.test.ts",
    "../agents/agent-cache.test.ts",
    "!../**/*.unit.test.ts",
  ],
  { query: "?evicted" },
);
const LEFT_OUT: readonly string[] = [
  // These files evict an object themselves and otherwise need it in memory.
  "../tasks/runtime/eviction.test.ts",
  "../tasks/api/feedback.test.ts",
  "../tasks/directory/outage.test.ts",
  "../agents/queue/slots.test.ts",
  // These files need an object to stay in memory during a call or an alarm run.
  "../tasks/runtime/alarm-run.test.ts",
  "../tasks/runtime/overtaken.test.ts",
  "../tasks/api/stream.test.ts",
  "../tasks/api/calls.test.ts",
  "../tasks/api/change-agent.test.ts",
  "../tasks/runtime/silent-turn.test.ts",
  "../agents/queue/claims.test.ts",
  "../agents/queue/abandoned-claims.test.ts",
  "../tasks/workers/claim.test.ts",
  // This file counts the writes of an object that is not evicted.
  "../agents/queue/rows-written.test.ts",
  // These files test how D1 filters and sorts lists, which no object takes part in.
  "../tasks/api/list-filters.test.ts",
  "../tasks/api/list-search.test.ts",
  // These files send no requests, so nothing triggers an eviction.
  "../tasks/runtime/task-store.test.ts",
  "../tasks/runtime/turn-dispatcher.test.ts",
  "../tasks/workers/multipart-upload.test.ts",
];
const files = Object.entries(ALL).filter(([path]) => !LEFT_OUT.includes(path));
/** A lower number means that the glob no longer matches all files. */
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
  describe(`${path} with every object evicted after each request`, async () => {
    beforeAll(resetService);
    await load();
  });
}

describe("the run with evictions", () => {
  it("the exclusion list names only existing files, each once", () => {
    expect(LEFT_OUT.filter((path) => !(path in ALL))).toEqual([]);
    expect(new Set(LEFT_OUT).size).toBe(LEFT_OUT.length);
  });

  it("the run includes enough files, tests and evictions", () => {
    expect(files.length).toBeGreaterThanOrEqual(FILES_MIN);
    expect(tests).toBeGreaterThan(TESTS_MIN);
    expect(evictions?.count).toBeGreaterThan(EVICTIONS_MIN);
  });
});
