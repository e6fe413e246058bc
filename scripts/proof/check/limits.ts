import { expiresAt } from "../../../src/tasks/model/schedule.ts";
import { upMs, type Outage } from "../faults.ts";
import type { Log } from "../read-state.ts";
import type { Violation } from "./violation.ts";

const RULE = "deadlines are enforced";
/** Guarantee 8 allows this much uptime after a failover. */
const AFTER_OUTAGE_MAX_MS = 60_000;
/** Guarantee 8 allows 1 s. The rest is a margin for a machine with two cores, which the clients also use. */
const LATE_MAX_MS = 1_000 + 4_000;

/** How late tasks failed after their deadline had passed or their time budget had run out, counting only uptime. */
export interface Limits {
  readonly violations: readonly Violation[];
  readonly latenessMs: readonly number[];
  /** The number of tasks whose limit expired while the service was down or frozen. */
  readonly overdue: number;
}

/** Checks that the first event after a limit is the task's failure and that it occurs soon enough. */
export function checkLimits(logs: readonly Log[], outages: readonly Outage[]): Limits {
  const violations: Violation[] = [];
  const latenessMs: number[] = [];
  let overdue = 0;
  for (const { taskId, restored, states } of logs) {
    for (const [index, event] of restored.entries()) {
      const before = states[index - 1];
      const limit = before === undefined ? null : expiresAt(before);
      if (limit === null || event.at < limit) continue;
      const code = event.type === "failed" ? event.data.error.code : event.type;
      if (!FAILS_FOR_TIME.has(code)) {
        const message = `${event.type} (${event.seq}) occurred at ${event.at}, after the limit ${limit}`;
        violations.push({ rule: RULE, about: taskId, message });
        continue;
      }
      const lateMs = upMs(outages, limit, event.at);
      latenessMs.push(lateMs);
      if (outages.some(({ from, until }) => from <= limit && limit <= until)) overdue += 1;
      const isTouched = outages.some(({ from, until }) => from <= event.at && limit <= until);
      if (lateMs > (isTouched ? AFTER_OUTAGE_MAX_MS : LATE_MAX_MS)) {
        violations.push({
          rule: RULE,
          about: taskId,
          message: `${lateMs} ms late, not counting outages`,
        });
      }
    }
  }
  return { violations, latenessMs, overdue };
}

const FAILS_FOR_TIME: ReadonlySet<string> = new Set([
  "DEADLINE_EXCEEDED",
  "BUDGET_EXCEEDED",
  "NO_AGENT_AVAILABLE",
]);
