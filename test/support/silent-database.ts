import { env } from "cloudflare:workers";
import { onTestFinished } from "vitest";
import { shortenTimeouts } from "./short-timeouts.ts";

/** Longer than any test. The runtime would detect and end a call that never settles. */
const SILENT_MS = 60_000;

/**
 * Returns a D1 database that never responds to the first query that reads from a table, but
 * responds to all other queries. Also shortens the service's timeouts until the test ends.
 * `isStruck` returns whether that first query has arrived.
 */
export function silenceTable(table: string): { DB: object; isStruck: () => boolean } {
  const { DB: real } = env;
  const silence = { hungAt: Infinity };
  const silent = async (): Promise<never> => {
    silence.hungAt = performance.now();
    await scheduler.wait(SILENT_MS);
    throw new Error("D1 did not respond");
  };
  const statement = { bind: () => statement, all: silent, raw: silent, first: silent, run: silent };
  const isStruck = (): boolean => silence.hungAt < Infinity;
  const prepare = (sql: string) =>
    isStruck() || !sql.includes(`from "${table}"`) ? real.prepare(sql) : statement;
  onTestFinished(shortenTimeouts(silence));
  return { DB: { prepare, batch: real.batch.bind(real) }, isStruck };
}
