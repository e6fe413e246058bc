import {
  leaseExpiresAt,
  nextAlarmAt,
  timeBudgetEndsAt,
} from "../../../../src/tasks/model/schedule.ts";
import type { Task } from "../../../../src/tasks/model/task.ts";
import type { Rng } from "../../../support/rng.ts";
import { SECOND } from "../fixtures.ts";

const DAY = 24 * 3_600 * SECOND;
const YEAR = 365 * DAY;
const PACE = { stepIntervalMs: 500, retentionMs: DAY };

/**
 * How a run's clock advances. An unsteady clock is sometimes set back slightly, as real clocks are.
 */
export interface Clock {
  readonly isSteady: boolean;
  /**
   * A slow clock advances by at most 2 ms per command, while others can advance by minutes, days or
   * years. Used for long runs.
   */
  readonly isSlow: boolean;
}

/**
 * Returns the time of the command that follows one at `now`. The clock may stand still, advance,
 * leap, or reach a limit.
 */
export function nextInstant(rng: Rng, clock: Clock, task: Task, now: number): number {
  if (!clock.isSteady && rng.oneIn(16)) return now - rng.below(500);
  const kind = rng.below(1_000);
  if (kind < 300 || clock.isSlow) return now + (clock.isSlow ? rng.below(3) : 0);
  if (kind < 550) return now + rng.between(1, 20);
  if (kind < 850) return now + rng.below(20 * SECOND);
  if (kind < 870) return now + rng.below(3_600 * SECOND);
  if (kind < 876) return now + rng.below(40 * DAY);
  if (kind < 880) return now + rng.below(3 * YEAR);
  const dueTime = dueTimeOf(rng, task, now);
  return dueTime === null ? now : Math.max(now, dueTime + rng.between(-1, 1));
}

/** Draws a time at which something is due. */
function dueTimeOf(rng: Rng, task: Task, now: number): number | null {
  const dueTimes = [
    leaseExpiresAt(task),
    leaseExpiresAt(task),
    task.notBefore,
    timeBudgetEndsAt(task),
    nextAlarmAt(task, null, PACE, now),
    // Include the deadline only sometimes, because little can happen after it.
    rng.oneIn(4) ? task.deadline : null,
  ].filter((dueTime) => dueTime !== null);
  return dueTimes[rng.below(dueTimes.length)] ?? null;
}
