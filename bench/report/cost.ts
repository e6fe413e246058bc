import type { LifeUse } from "../results.ts";
import { CLOUDFLARE, forAMillion, type Price } from "./prices.ts";

/** What one thing that is billed costs a million lives. */
export interface CostLine {
  /** Units of the price, for each life. */
  readonly count: number;
  readonly price: Price;
  readonly dollars: number;
  /** How the count comes about, where it is not what was counted. */
  readonly note: string | null;
}

/** Objects are billed for 128 MB, whatever they hold. */
const OBJECT_GB = 0.128;
const SECOND_MS = 1_000;
/** Written, read and deleted; each message is smaller than one unit of 64 KB. */
const OPERATIONS_A_MESSAGE = 3;

/** A million lives at Cloudflare's list prices, beyond what the plan includes and without storage. */
export function costOfLives(use: LifeUse): CostLine[] {
  const gbSeconds = (use.objectMs / SECOND_MS) * OBJECT_GB;
  return [
    line(use.requests, CLOUDFLARE.requests),
    line(use.processorMs, CLOUDFLARE.processorMs),
    line(use.objectRequests, CLOUDFLARE.objectRequests, "calls and alarms"),
    line(gbSeconds, CLOUDFLARE.objectGbSeconds, "wall time over loopback × 0.128 GB"),
    line(use.objectRowsWritten, CLOUDFLARE.objectRowsWritten, "alarms that are set are rows, too"),
    line(use.objectRowsRead, CLOUDFLARE.objectRowsRead),
    line(use.d1RowsWritten, CLOUDFLARE.d1RowsWritten, "each index that is touched is a row"),
    line(use.d1RowsRead, CLOUDFLARE.d1RowsRead),
    line(use.r2Writes, CLOUDFLARE.r2ClassA),
    line(use.r2Reads, CLOUDFLARE.r2ClassB),
    line(use.queueMessages * OPERATIONS_A_MESSAGE, CLOUDFLARE.queueOperations, "3 a message"),
  ];
}

function line(count: number, price: Price, note: string | null = null): CostLine {
  return { count, price, dollars: forAMillion(count, price), note };
}

export function sumOf(lines: readonly { readonly dollars: number }[]): number {
  return lines.reduce((sum, { dollars }) => sum + dollars, 0);
}
