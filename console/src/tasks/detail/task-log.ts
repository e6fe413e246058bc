import type { Schemas } from "../../api/client.ts";

export type TaskEvent = Schemas["TaskEvent"];
export type ToolCall = Schemas["ToolCall"];

/** Adds events to a log, which is in the order of `seq`. Events that the log already contains are ignored. */
export function appendEvents(
  log: readonly TaskEvent[],
  added: readonly TaskEvent[],
): readonly TaskEvent[] {
  let last = lastSeqOf(log);
  const fresh: TaskEvent[] = [];
  for (const event of added) {
    if (event.seq <= last) continue;
    fresh.push(event);
    last = event.seq;
  }
  return fresh.length === 0 ? log : [...log, ...fresh];
}

export function lastSeqOf(log: readonly TaskEvent[]): number {
  return log.at(-1)?.seq ?? 0;
}

/** Whether the task has ended according to its log. A failed task can be retried. */
export function isEndedBy(log: readonly TaskEvent[]): boolean {
  const last = log.findLast(({ type }) => type !== "updated" && type !== "rated");
  return last !== undefined && ["completed", "failed", "cancelled"].includes(last.type);
}

/** The tool calls that were charged with an event. */
export function callsOf(event: TaskEvent): readonly ToolCall[] {
  return "calls" in event.data ? event.data.calls : [];
}

/** The names of the agents that the log contains, by their ids. */
export function agentNamesIn(log: readonly TaskEvent[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const event of log) {
    const choice = choiceIn(event);
    if (choice) names.set(choice.agentId, choice.agentName);
  }
  return names;
}

function choiceIn(event: TaskEvent): { agentId: string; agentName: string } | null | undefined {
  switch (event.type) {
    case "assigned":
      return event.data;
    case "created":
    case "retried":
    case "updated":
      return event.data.choice;
    default:
      return null;
  }
}
