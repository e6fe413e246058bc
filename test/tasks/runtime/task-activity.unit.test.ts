import { expect, it } from "vitest";
import { describeTaskChange } from "../../../src/tasks/runtime/task-activity.ts";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import type { TaskEvent } from "../../../src/tasks/model/events.ts";
import {
  AGENT_ERROR,
  applyCommand,
  COMMANDS,
  COMMANDS_TO,
  decidedEvents,
  T0,
  taskAfter,
} from "../model/fixtures.ts";

/** Returns the activity reported for the last command. */
function activityAfter(commands: readonly TaskCommand[], last: TaskCommand) {
  const before = taskAfter(...commands);
  const events = decidedEvents(before, last, T0).map((event, index) => {
    return { ...event, seq: before.seq + 1 + index, at: T0 } satisfies TaskEvent;
  });
  return describeTaskChange("t1", applyCommand(before, last, T0), events);
}

it.each<[string, TaskCommand, object]>([
  [
    "progress",
    COMMANDS.progress,
    {
      subject: "progressed",
      outcome: "in_progress 20%",
      detail: "gathering",
      code: null,
      message: null,
    },
  ],
  [
    "a question",
    COMMANDS.block,
    { subject: "blocked", outcome: "blocked 0%", code: null, message: "Which year?" },
  ],
  [
    "a failure",
    COMMANDS.fail,
    { subject: "failed", outcome: "failed 0%", code: "AGENT_ERROR", message: "It broke." },
  ],
  [
    "a failed turn that is repeated",
    { ...COMMANDS.spend, calls: [], error: AGENT_ERROR },
    { subject: "turn_failed", code: "AGENT_ERROR", message: "It broke." },
  ],
  [
    "a cancellation",
    { ...COMMANDS.cancel, reason: "No longer needed." },
    { subject: "cancelled", outcome: "cancelled 0%", message: "No longer needed." },
  ],
])("a task's activity line describes %s", (_, command, described) => {
  expect(activityAfter(COMMANDS_TO.in_progress, command)).toMatchObject({
    kind: "task",
    agentId: "ada",
    taskId: "t1",
    ...described,
  });
});
