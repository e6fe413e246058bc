import { formatDuration } from "../ui/relative-time.ts";
import type { Schemas } from "../api/client.ts";

type Attempt = Schemas["DeliveryAttempt"];

/** The result of an attempt in a few words: "200 in 35 ms", "no response in 15 s". */
export function describeAttempt({ status, durationMs }: Attempt): string {
  return `${status ?? "no response"} in ${formatDuration(durationMs)}`;
}

/** A delivery's attempts in one line: "3 attempts, last: 500 in 120 ms". */
export function describeAttempts(attempts: readonly Attempt[]): string {
  const last = attempts.at(-1);
  if (last === undefined) return "No attempts yet";
  const count = attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`;
  return `${count}, last: ${describeAttempt(last)}`;
}
