import type { EventData, NewEvent } from "./events.ts";
import type { Choice, Task } from "./task.ts";

/** The next attempt, which nobody asked for: the one before was lost. `choice` null: find somebody. */
export function startingOver(
  task: Task,
  choice: Choice | null,
  automatic: NonNullable<EventData["retried"]["automatic"]>,
): NewEvent {
  const attempt = task.attempt + 1;
  return {
    type: "retried",
    data: { attempt, reassign: false, choice, context: null, automatic },
  };
}
