import type { Exchange } from "../history.ts";
import type { Violation } from "./violation.ts";

/** Checks that, without faults, every request receives a response and no response is a server error. */
export function checkResponses(exchanges: readonly Exchange[], from: number): Violation[] {
  return exchanges
    .filter(({ startedAt }) => startedAt >= from)
    .filter(({ status, isBrokenOff }) => (status === null ? !isBrokenOff : status >= 500))
    .map(({ method, path, status, reason, taskId, mark }) => ({
      rule: "every request receives a response other than a server error",
      about: mark ?? taskId,
      message: `${method} ${path}: ${status ?? "no response"} ${reason}`,
    }));
}
