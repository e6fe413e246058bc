import type { LifeUse } from "./results.ts";
import type { Use } from "./use.ts";

/**
 * A life's use of the platform from counters, with the processor time that was measured separately: it is the
 * whole runtime's, and so more than the Worker's own, which alone is billed. Throws if a counter is missing,
 * because the cost would be too low without notice.
 */
export function lifeUseOf(use: Use | undefined, processorMs: number | undefined): LifeUse {
  const count = (name: string, found = use?.[name]): number => {
    if (found === undefined) throw new Error(`"${name}" of a life was not counted`);
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
