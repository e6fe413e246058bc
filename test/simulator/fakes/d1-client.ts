import type { Database } from "../../../src/platform/d1/client.ts";

export * from "../../../src/platform/d1/client.ts";

/** Returns the simulated D1 itself: fakes replace the stores that would query it. */
export function getDatabase(binding: D1Database): Database {
  return binding as unknown as Database;
}
