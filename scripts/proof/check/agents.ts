import type { Agents } from "../stored-state.ts";
import type { Log } from "../read-state.ts";
import type { Violation } from "./violation.ts";
import { feedbackOf } from "../../../src/tasks/model/task.ts";

const CLOSE_ENOUGH = 1e-9;

/**
 * Checks that every agent's queue is empty when no task is active, and that each agent's mean rating counts every
 * rating in the logs once.
 */
export function checkAgents(agents: Agents, logs: readonly Log[]): Violation[] {
  const tasks = logs.flatMap(({ states }) => states.slice(-1));
  const violations: Violation[] = [];
  for (const [id, { rating, queue }] of agents) {
    const own = tasks.filter((task) => task.agentId === id);
    const ratings = own.flatMap((task) => feedbackOf(task)?.rating ?? []);
    const count = rating?.count ?? 0;
    const sum = ratings.reduce((total, one) => total + one, 0);
    if (count !== ratings.length || Math.abs((rating?.mean ?? 0) * count - sum) > CLOSE_ENOUGH) {
      const shownRating = JSON.stringify(rating);
      const message = `${id} has ${ratings.length} ratings with a sum of ${sum} in the logs, but shows ${shownRating}`;
      violations.push({ rule: "each rating counts once", about: null, message });
    }
    if (queue !== undefined && queue.waiting + queue.running > 0) {
      const message = `${id} has ${queue.running} running and ${queue.waiting} waiting tasks`;
      violations.push({ rule: "queues contain no ended tasks", about: null, message });
    }
  }
  return violations;
}
