import type { Agents } from "../stored-state.ts";
import type { Log } from "../read-state.ts";
import type { Violation } from "./violation.ts";
import { feedbackOf } from "../../../src/tasks/model/task.ts";

const CLOSE_ENOUGH = 1e-9;

/**
 * When no task is active, the queue of every agent is empty. Each agent's mean is that of the ratings in the
 * logs, each counted once.
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
      const message = `${id} has ${ratings.length} ratings with the sum ${sum}, but shows ${shownRating}`;
      violations.push({ rule: "each rating counts once", about: null, message });
    }
    if (queue !== undefined && queue.waiting + queue.running > 0) {
      const message = `${id} has ${queue.running} running and ${queue.waiting} waiting`;
      violations.push({ rule: "a queue contains no ended task", about: null, message });
    }
  }
  return violations;
}
