import { describe, expect, it } from "vitest";
import {
  declineCauseOf,
  progressCauseOf,
  retryCauseOf,
  type NewTaskEvent,
  type TaskEvent,
} from "../../../src/tasks/model/events.ts";
import { eventView } from "../../../src/tasks/api/view.ts";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import type { Task } from "../../../src/tasks/model/task.ts";
import {
  taskAfter,
  AGENT_ERROR,
  COMMANDS,
  decidedEvents,
  QUEUED_COMMANDS_TO,
  SECOND,
  T0,
  COMMANDS_TO,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";

const WORKED = taskAfter(...WORKER_COMMANDS_TO.in_progress);
const ANYONE = { agentId: null, teamId: null };
const NOW = T0 + 10 * SECOND;

const CAUSES: readonly [cause: string, task: Task, command: TaskCommand, now?: number][] = [
  ["declined", taskAfter(...COMMANDS_TO.assigned), COMMANDS.decline],
  ["taken_back", taskAfter(...QUEUED_COMMANDS_TO.assigned), COMMANDS.release],
  ["returned", WORKED, COMMANDS.reportReleased],
  ["step", taskAfter(...COMMANDS_TO.in_progress), COMMANDS.progress],
  ["step", WORKED, COMMANDS.reportProgress],
  ["file", WORKED, COMMANDS.reportFile],
  ["usage", taskAfter(...COMMANDS_TO.in_progress), COMMANDS.spend],
  ["failed_try", taskAfter(...COMMANDS_TO.in_progress), { ...COMMANDS.spend, error: AGENT_ERROR }],
  ["requested", taskAfter(...COMMANDS_TO.failed), COMMANDS.retry],
  ["lease_expired", WORKED, COMMANDS.expire, T0 + 3_600 * SECOND],
  ["key_ended", WORKED, COMMANDS.endLease],
  ["agent_changed", taskAfter(...QUEUED_COMMANDS_TO.blocked, COMMANDS.respond), COMMANDS.release],
];

function causeOf(event: NewTaskEvent): string {
  switch (event.type) {
    case "declined":
      return declineCauseOf(event.data);
    case "progressed":
      return progressCauseOf(event.data);
    case "retried":
      return retryCauseOf(event.data);
    default:
      throw new Error(`${event.type} has no cause`);
  }
}

function eventOf(task: Task, command: TaskCommand, now = NOW): NewTaskEvent {
  const [event, ...more] = decidedEvents(task, command, now);
  if (event === undefined || more.length > 0) throw new Error("The command must make one event");
  return event;
}

/** Returns an event as an earlier release stored it. */
function withoutCause(event: NewTaskEvent): NewTaskEvent {
  const { cause, ...data } = { cause: null, ...event.data };
  return JSON.parse(JSON.stringify({ type: event.type, data }));
}

describe("the cause of an event", () => {
  it.each(CAUSES)("a new event states the cause %s", (cause, ...given) => {
    expect(eventOf(...given).data).toMatchObject({ cause });
  });

  it.each(CAUSES)(
    "the cause %s is derived for an event that does not state it",
    (cause, ...given) => {
      expect(causeOf(withoutCause(eventOf(...given)))).toBe(cause);
    },
  );

  it.each(CAUSES)("clients do not see the cause %s", (_, ...given) => {
    const event = eventOf(...given);
    const stored = (one: NewTaskEvent): TaskEvent => ({ ...one, seq: 1, at: T0 });
    const view = eventView(stored(event), ANYONE);
    expect(view).not.toHaveProperty("data.cause");
    expect(view).toEqual(eventView(stored(withoutCause(event)), ANYONE));
  });
});
