import type { Database } from "../../../src/platform/d1/client.ts";

export * from "../../../src/platform/d1/client.ts";

/** Returns the simulated D1 itself. The stores that would query it are replaced with fakes. */
export function getDatabase(binding: D1Database): Database {
  return binding as unknown as Database;
}
