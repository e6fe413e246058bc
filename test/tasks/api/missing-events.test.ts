import { describe, expect, it } from "vitest";
import { toViewUpdates } from "../../../src/interfaces/a2a/task-stream.ts";
import { foldEventsIntoViews, type A2aTaskView } from "../../../src/interfaces/a2a/task-run.ts";
import { fold } from "../../../src/tasks/model/fold.ts";
import type { NewTaskEvent, TaskEvent } from "../../../src/tasks/model/events.ts";
import { ok } from "../../../src/kernel/result.ts";
import type { Task } from "../../../src/tasks/model/task.ts";
import { untilStatusChange } from "../../../src/tasks/api/await-status-change.ts";
import { choice, buildCreated, newEvent, T0, UNQUEUED } from "../model/fixtures.ts";

const assigned = (agentId: string) => newEvent("assigned", { ...choice(agentId), terms: UNQUEUED });
const error = { code: "AGENT_ERROR", message: "It failed.", retryable: true } as const;
const NEW: readonly NewTaskEvent[] = [
  newEvent("created", buildCreated()),
  assigned("ada"),
  newEvent("declined", { agentId: "ada", reason: "disabled" }),
  assigned("bob"),
  newEvent("failed", { error, calls: [] }),
  newEvent("retried", { attempt: 2, reassign: true, choice: choice("ada"), context: null }),
  assigned("ada"),
  newEvent("cancelled", { reason: null }),
];
const LOG = NEW.map((one, index): TaskEvent => ({ ...one, seq: index + 1, at: T0 + index }));
/** The events after event 2 that one of ada's keys can see. Event 6 reassigns the task to ada. */
const SEEN = LOG.slice(5);

function taskAt(seq: number): Task {
  const task = fold(LOG.slice(0, seq));
  if (task === null) throw new Error("The log must begin with created");
  return task;
}

async function* given(events: readonly TaskEvent[]) {
  yield* events;
}

describe("a wait that cannot see another agent's events", () => {
  it("a wait that misses events reads the task again and continues from its current state", async () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      return ok(taskAt(7));
    };
    const ended = untilStatusChange(taskAt(2), given(SEEN), read);
    await expect(ended).resolves.toMatchObject({ ok: true, value: { status: "cancelled" } });
    expect(reads).toBe(1);
  });

  it("a wait does not read the task again when no event is missing", async () => {
    const read = () => Promise.reject(new Error("no event is missing"));
    const ended = await untilStatusChange(taskAt(7), given(LOG.slice(7)), read);
    expect(ended.ok && ended.value.status).toBe("cancelled");
  });
});

describe("an A2A stream that cannot see another agent's events", () => {
  const livesAt = (seq: number): A2aTaskView[] => {
    const lives: A2aTaskView[] = [];
    foldEventsIntoViews("a".repeat(64), lives, LOG.slice(0, seq));
    return lives;
  };
  const lifeAt = (number: number, seq: number) => livesAt(seq)[number - 1] ?? null;

  async function seqsOf(readAt: (seq: number) => Promise<A2aTaskView | null>) {
    const found = lifeAt(1, 2);
    if (found === null) throw new Error("The log must begin a task");
    const seen: [number, string][] = [];
    for await (const step of toViewUpdates(found, given(SEEN), readAt)) {
      if (step !== null) seen.push([step.event.seq, step.view.task.status]);
    }
    return seen;
  }

  it("an A2A stream that misses events continues with the run that it finds at the next visible event", async () => {
    const seen = seqsOf(async (seq) => lifeAt(2, seq));
    await expect(seen).resolves.toEqual([
      [6, "pending"],
      [7, "assigned"],
      [8, "cancelled"],
    ]);
  });

  it("an A2A stream that misses events ends if its run is over at the next visible event", async () => {
    expect(await seqsOf(async () => null)).toEqual([]);
  });
});
