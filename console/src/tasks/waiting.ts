import type { ListedTask } from "./queries.ts";

/** Why the task is not progressing: its question, a sentence or its error; null if nothing holds it up. */
export function describeWaiting({
  waitingFor,
  error,
}: Pick<ListedTask, "waitingFor" | "error">): string | null {
  if (waitingFor?.kind === "question") return waitingFor.question.text;
  return waitingFor?.message ?? error?.message ?? null;
}
