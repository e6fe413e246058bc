import type { Schemas } from "../api/client.ts";
import { count } from "../tools/words.ts";

/** The measured amounts and the limit that was reached, as a sentence. */
export function describeEvidence({ measure, limit, counts }: Schemas["PauseEvidence"]): string {
  switch (measure) {
    case "failedAttempts":
      return `Measured: ${count(counts.failedAttempts ?? 0, "failed attempt")} in a row (limit ${limit}).`;
    case "calls":
      return `Measured: ${count(counts.calls ?? 0, "tool call")} without progress (limit ${limit}).`;
    case "cost":
      return `Measured: $${(counts.cost ?? 0).toFixed(2)} spent without progress (limit $${limit}).`;
  }
}
