import type { LifeUse } from "./results.ts";
import type { Use } from "./use.ts";

/**
 * What the platform bills for a lifecycle, from counters and from the separately measured CPU time. The platform
 * bills only the Worker's own CPU time; this is the time of the whole runtime, which is longer. Throws if a counter
 * is missing, because the cost would then be too low.
 */
export function lifeUseOf(use: Use | undefined, processorMs: number | undefined): LifeUse {
  const count = (name: string, found = use?.[name]): number => {
    if (found === undefined) throw new Error(`"${name}" was not counted for a lifecycle`);
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
