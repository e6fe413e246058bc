import type { TaskCall } from "./queries.ts";
import { callsOf, type TaskEvent } from "./task-log.ts";

/**
 * Finds the record of a tool call that was charged with an event. An event lists its calls in the order in which they
 * were made; `records` are in the opposite order. Calls of the same capability can only be told apart by that order.
 */
export function findRecord(
  records: readonly TaskCall[],
  event: TaskEvent,
  callIndex: number,
): TaskCall | null {
  const calls = callsOf(event);
  const wanted = calls[callIndex];
  if (wanted === undefined) return null;
  function isSame({ toolId, capability }: { toolId: string; capability: string }): boolean {
    return toolId === wanted?.toolId && capability === wanted.capability;
  }
  const position = calls.slice(0, callIndex).filter(isSame).length;
  const matching = records
    .filter((record) => record.eventSeq === event.seq && isSame(record))
    .toReversed();
  return matching[position] ?? null;
}
