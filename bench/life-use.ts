import type { LifeUse } from "./results.ts";
import type { Use } from "./use.ts";

/**
 * A life's use from what was counted, and the processor time that was measured apart from that: the
 * runtime's is more than the Worker's own, which alone is billed. Throws on a counter that is missing: a
 * cost without it would be too low, and nobody would see it.
 */
export function lifeUseOf(use: Use | undefined, processorMs: number | undefined): LifeUse {
  const count = (name: string, found = use?.[name]): number => {
    if (found === undefined) throw new Error(`Nobody has counted "${name}" of a life`);
    return found;
  };
  return {
    requests: count("requests"),
    objectRequests: count("objectRequests"),
    alarms: count("alarms"),
    d1Queries: count("d1Queries"),
    d1RowsRead: count("d1RowsRead"),
    d1RowsWritten: count("d1RowsWritten"),
    objectRowsRead: count("objectRowsRead"),
    objectRowsWritten: count("objectRowsWritten"),
    r2Writes: count("r2Writes"),
    r2Reads: count("r2Reads"),
    queueMessages: count("queueMessages"),
    processorMs: count("processorMs", processorMs),
    objectMs: count("objectMs"),
  };
}
