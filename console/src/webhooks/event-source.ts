import type { Delivery } from "./queries.ts";

/** What a delivered event belongs to, as in `task 0123abcd`. Ids of tasks and approvals are shortened. */
export function describeSource(
  { taskId, approvalId, limitId }: Delivery["event"],
  charactersMax: number,
): string {
  if (taskId !== undefined) return `task ${taskId.slice(0, charactersMax)}`;
  if (limitId !== undefined) return `limit ${limitId}`;
  return `approval ${approvalId?.slice(0, charactersMax)}`;
}
