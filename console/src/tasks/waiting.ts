import type { ListedTask } from "./queries.ts";

/** Why the task is not progressing, in one sentence; null if it is, or if it has ended without an error. */
export function describeWaiting({
  waitingFor,
  error,
}: Pick<ListedTask, "waitingFor" | "error">): string | null {
  return waitingFor?.message ?? error?.message ?? null;
}
