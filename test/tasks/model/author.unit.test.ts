import { describe, expect, it } from "vitest";
import { taskEventSchema } from "../../../src/tasks/api/event-schemas.ts";
import { eventView } from "../../../src/tasks/api/view.ts";
import { authorOf, type EventAuthor } from "../../../src/tasks/model/author.ts";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import type { TaskEventType } from "../../../src/tasks/model/events.ts";
import { feedbackOf } from "../../../src/tasks/model/task.ts";
import {
  buildCreated,
  COMMANDS,
  COMMANDS_TO,
  decidedEvents,
  numberEvents,
  SECOND,
  T0,
  taskAfter,
} from "./fixtures.ts";

const NOW = T0 + 60 * SECOND;
const BY: EventAuthor = authorOf({ id: "0123456789abcdef", name: "Grace" }, "00ff");
const UNBOUND = { agentId: null, teamId: null };

function eventsOf(before: readonly TaskCommand[], command: TaskCommand) {
  const task = taskAfter(...before);
  return numberEvents(decidedEvents(task, command, NOW), task.seq, () => NOW);
}

const retry = { ...COMMANDS.retry, notes: "Use the new file." };

describe("the author of an event", () => {
  it.each<[TaskEventType, readonly TaskCommand[], TaskCommand]>([
    ["responded", COMMANDS_TO.blocked, { ...COMMANDS.respond, by: BY }],
    ["approved", COMMANDS_TO.review, { ...COMMANDS.approve, by: BY }],
    ["changes_requested", COMMANDS_TO.review, { ...COMMANDS.requestChanges, by: BY }],
    ["failed", COMMANDS_TO.review, { ...COMMANDS.reject, by: BY }],
    ["cancelled", COMMANDS_TO.in_progress, { ...COMMANDS.cancel, by: BY }],
    ["updated", COMMANDS_TO.in_progress, { ...COMMANDS.update, by: BY }],
    ["updated", COMMANDS_TO.failed, { ...retry, by: BY }],
    ["retried", COMMANDS_TO.failed, { ...COMMANDS.retry, by: BY }],
    ["rated", COMMANDS_TO.completed, { ...COMMANDS.rate, by: BY }],
  ])("`%s` states who caused it, except to bound keys", (type, before, command) => {
    const event = eventsOf(before, command).find((one) => one.type === type);
    if (event === undefined) throw new Error(`The command does not cause ${type}`);
    const shown = eventView(event, UNBOUND);
    expect(shown.data).toMatchObject({
      by: { keyId: "0123456789abcdef", keyName: "Grace", sessionId: "00ff" },
    });
    expect(taskEventSchema.safeParse(shown).error).toBeUndefined();
    for (const viewer of [
      { agentId: "ada", teamId: null },
      { agentId: null, teamId: "insights" },
    ])
      expect(eventView(event, viewer).data).not.toHaveProperty("by");
  });

  it("`created` states who created the task", () => {
    const data = buildCreated({ by: authorOf({ id: "root", name: "root" }) });
    const created = numberEvents([{ type: "created", data }], 0, () => T0);
    const [shown] = created.map((event) => eventView(event, UNBOUND));
    expect(shown?.data["by"]).toEqual({ keyId: "root", keyName: "root" });
    expect(taskEventSchema.safeParse(shown).error).toBeUndefined();
  });

  it("events without an author, as earlier releases wrote them, have no `by`", () => {
    for (const event of eventsOf(COMMANDS_TO.blocked, COMMANDS.respond))
      expect(eventView(event, UNBOUND).data).not.toHaveProperty("by");
  });

  it("the author is not part of the feedback", () => {
    const task = taskAfter(...COMMANDS_TO.completed, { ...COMMANDS.rate, by: BY });
    expect(feedbackOf(task)).toEqual({ rating: 4 });
  });
});
