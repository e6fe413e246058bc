import type { TaskEvent } from "../../domain/events.ts";
import { apply } from "../../domain/fold.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { Task } from "../../domain/task.ts";
import { noteOf } from "./states.ts";

/** Something that was said in a life. `seq` is that of the event. */
export interface Saying {
  readonly seq: number;
  readonly by: "user" | "agent";
  readonly words: readonly (string | JsonObject)[];
}

/**
 * What A2A calls a task: the events of ours from its creation, or a retry that somebody asked for, up to
 * the next. So what has ended stays ended. `task` is ours as it stood at the life's last event.
 */
export interface Life {
  readonly number: number;
  readonly task: Task;
  /** What was said last with its state, and when. */
  readonly note: { readonly seq: number; readonly at: number; readonly text: string | null };
  readonly history: readonly Saying[];
}

/** Adds to the lives that a log tells, oldest first, what its next events tell. */
export function extend(lives: Life[], events: Iterable<TaskEvent>): void {
  for (const event of events) {
    const life = lived(lives.at(-1) ?? null, event);
    lives[life.number - 1] = life;
  }
}

/** A life after one more event, or the one that begins with it. */
export function lived(before: Life | null, event: TaskEvent): Life {
  const { seq, at } = event;
  const task = apply(before?.task ?? null, event);
  const note = noteOf(event);
  const said = sayingOf(event, task);
  const goesOn = before === null || beginsLife(event) ? null : before;
  return {
    number: goesOn?.number ?? (before?.number ?? 0) + 1,
    task,
    note: note === null && goesOn !== null ? goesOn.note : { seq, at, text: note?.text ?? null },
    history: [...(goesOn?.history ?? []), ...(said === null ? [] : [{ seq, ...said }])],
  };
}

/** What begins by itself again never had ended. */
function beginsLife(event: TaskEvent): boolean {
  return event.type === "retried" && event.data.automatic === undefined;
}

function sayingOf(event: TaskEvent, task: Task): Omit<Saying, "seq"> | null {
  switch (event.type) {
    case "created":
      return { by: "user", words: [event.data.task] };
    case "retried": {
      if (!beginsLife(event)) return null;
      return { by: "user", words: [task.task, ...(task.notes === null ? [] : [task.notes])] };
    }
    case "blocked":
      return { by: "agent", words: [event.data.question] };
    case "submitted":
      return { by: "agent", words: [event.data.result.summary] };
    case "responded": {
      const { response } = event.data;
      return response === null ? null : { by: "user", words: [response] };
    }
    case "approved":
    case "changes_requested": {
      const { comment } = event.data;
      return comment === null ? null : { by: "user", words: [comment] };
    }
    case "assigned":
    case "declined":
    case "started":
    case "resumed":
    case "progressed":
    case "completed":
    case "failed":
    case "cancelled":
    case "updated":
    case "rated":
      return null;
  }
}
