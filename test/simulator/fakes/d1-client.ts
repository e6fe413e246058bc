import type { Database } from "../../../src/platform/d1/client.ts";

export * from "../../../src/platform/d1/client.ts";

/** The simulated D1 goes through as it is: the stores that would put their queries to it have fakes. */
export function getDatabase(binding: D1Database): Database {
  return binding as unknown as Database;
}
