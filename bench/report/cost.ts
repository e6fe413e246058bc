import type { LifeUse } from "../results.ts";
import { CLOUDFLARE, forAMillion, type Price } from "./prices.ts";

/** The cost of one billed item for a million lifecycles. */
export interface CostLine {
  /** How many units of `price` a lifecycle uses. */
  readonly count: number;
  readonly price: Price;
  readonly dollars: number;
  /** What the count includes or how it is derived. */
  readonly note: string | null;
}

/** Objects are billed for 128 MB regardless of their actual memory. */
const OBJECT_GB = 0.128;
const SECOND_MS = 1_000;
/** One write, one read and one delete; messages over 64 KB would count more than once. */
const OPERATIONS_A_MESSAGE = 3;

/** The cost of a million lifecycles at list prices, without storage and before deducting included usage. */
export function costOfLives(use: LifeUse): CostLine[] {
  const gbSeconds = (use.objectMs / SECOND_MS) * OBJECT_GB;
  return [
    line(use.requests, CLOUDFLARE.requests),
    line(use.processorMs, CLOUDFLARE.processorMs),
    line(use.objectRequests, CLOUDFLARE.objectRequests, "calls and alarms"),
    line(gbSeconds, CLOUDFLARE.objectGbSeconds, "wall time over loopback × 0.128 GB"),
    line(use.objectRowsWritten, CLOUDFLARE.objectRowsWritten, "setting an alarm also writes a row"),
    line(use.objectRowsRead, CLOUDFLARE.objectRowsRead),
    line(use.d1RowsWritten, CLOUDFLARE.d1RowsWritten, "each updated index counts as a row"),
    line(use.d1RowsRead, CLOUDFLARE.d1RowsRead),
    line(use.r2Writes, CLOUDFLARE.r2ClassA),
    line(use.r2Reads, CLOUDFLARE.r2ClassB),
    line(use.queueMessages * OPERATIONS_A_MESSAGE, CLOUDFLARE.queueOperations, "3 per message"),
  ];
}

function line(count: number, price: Price, note: string | null = null): CostLine {
  return { count, price, dollars: forAMillion(count, price), note };
}

export function sumOf(lines: readonly { readonly dollars: number }[]): number {
  return lines.reduce((sum, { dollars }) => sum + dollars, 0);
}
