import type { Exchange } from "../history.ts";
import type { Violation } from "./violation.ts";

/** Without faults, every request gets a response, and none is an internal error. */
export function checkAnswers(exchanges: readonly Exchange[], from: number): Violation[] {
  return exchanges
    .filter(({ startedAt }) => startedAt >= from)
    .filter(({ status, isBrokenOff }) => (status === null ? !isBrokenOff : status >= 500))
    .map(({ method, path, status, reason, taskId, mark }) => ({
      rule: "the service answers, and without a failure of its own",
      about: mark ?? taskId,
      words: `${method} ${path}: ${status ?? "no answer"} ${reason}`,
    }));
}
