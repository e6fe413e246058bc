import type { Failure } from "../domain/failure.ts";
import type { KeyLimitName } from "../domain/key-limits.ts";
import { shown } from "../domain/problem.ts";
import type { WireFailure } from "./refusal.ts";

/** What to do when a limit is reached; the message adds how to raise the limit. */
const REMEDIES = {
  requestsPerMinute: "Send fewer requests",
  openStreams: "Close a stream or a waiting request",
  pushConfigurations: "Delete a push notification configuration, or wait until its task ends",
  liveTasks: "Wait until a task ends, or cancel one",
  storedBytes:
    "Wait until ended tasks are deleted (each task counts as at least 32 KiB; the operator sets TASK_RETENTION_DAYS)",
} as const satisfies Readonly<Record<KeyLimitName, string>>;

/** A key has reached one of its limits. */
export function keyLimitReached({
  keyId,
  limit,
  max,
  retryAfterSeconds,
  withoutWork,
}: Extract<Failure, { kind: "key_limit_reached" }>): WireFailure {
  const wait = retryAfterSeconds === null ? "" : ` Retry in ${retryAfterSeconds} seconds.`;
  const work = withoutWork === true ? " The same report is accepted without `work`." : "";
  const message = `Key ${shown(keyId)} has reached its limit ${limit} (${max}).${wait}${work} ${REMEDIES[limit]}, or raise the limit with PATCH /agents/keys/${keyId}.`;
  return {
    status: 429,
    code: "RATE_LIMIT_EXCEEDED",
    message,
    retryable: true,
    context: { keyId, limit, max },
    ...(retryAfterSeconds === null
      ? {}
      : { headers: { "Retry-After": String(retryAfterSeconds) } }),
  };
}
