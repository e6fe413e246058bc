import { env } from "cloudflare:workers";
import { onTestFinished } from "vitest";
import { shortenTimeouts } from "./short-timeouts.ts";

/** Longer than any test: for ever would be noticed, and ended, by the runtime. */
const SILENT_MS = 60_000;

/**
 * D1 that leaves the next question about a table without an answer, while all patience with it ends soon,
 * until the test ends; and whether it was asked.
 */
export function silenceTable(table: string): { DB: object; isStruck: () => boolean } {
  const { DB: real } = env;
  const silence = { hungAt: Infinity };
  const silent = async (): Promise<never> => {
    silence.hungAt = performance.now();
    await scheduler.wait(SILENT_MS);
    throw new Error("D1 was silent");
  };
  const statement = { bind: () => statement, all: silent, raw: silent, first: silent, run: silent };
  const isStruck = (): boolean => silence.hungAt < Infinity;
  const prepare = (sql: string) =>
    isStruck() || !sql.includes(`from "${table}"`) ? real.prepare(sql) : statement;
  onTestFinished(shortenTimeouts(silence));
  return { DB: { prepare, batch: real.batch.bind(real) }, isStruck };
}
