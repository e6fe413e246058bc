import { readTask } from "./stored-state.ts";
import type { SimulatedPlatform } from "./platform.ts";
import { feedbackOf } from "../../src/tasks/model/task.ts";

/**
 * Finds errors in the agents' mean ratings. Each rated task must count once, with its latest
 * rating.
 */
export function findRatingViolations(platform: SimulatedPlatform): string[] {
  return [...platform.tables.agents].flatMap(([agentId, { ratingSum, ratingCount }]) => {
    const given = [...platform.tasks.values()].flatMap(({ disk }) => {
      const task = readTask(disk);
      return task?.agentId === agentId ? (feedbackOf(task)?.rating ?? []) : [];
    });
    const sum = given.reduce((all, rating) => all + rating, 0);
    if (sum === ratingSum && given.length === ratingCount) return [];
    return [
      `${agentId} has a rating sum of ${ratingSum} for ${ratingCount} ratings, but its ratings are ${JSON.stringify(given)}`,
    ];
  });
}
