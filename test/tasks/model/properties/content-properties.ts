import type { JsonObject } from "../../../../src/kernel/json.ts";
import { LIST_ITEMS_MAX } from "../../../../src/kernel/limits.ts";
import { NOTES_TOTAL_CHARACTERS_MAX } from "../../../../src/tasks/limits.ts";
import type { RunStep } from "./run-task.ts";
import { ensure, type Property } from "./property.ts";

export const CONTENT_PROPERTIES: readonly Property[] = [
  {
    claim:
      "an update changes exactly the fields that were sent: the context key by key, and the notes line by line",
    observe: () => changes,
  },
  { claim: "a task's notes and files are within their limits", observe: () => sizes },
];

function changes({ before, events, task }: RunStep): void {
  if (before === null) return;
  const context = new Map(Object.entries(before.context));
  let { notes, priority, deadline } = before;
  for (const event of events) {
    if (event.type === "retried") merge(context, event.data.context ?? {});
    if (event.type !== "updated") continue;
    merge(context, event.data.context ?? {});
    if (event.data.notes !== undefined) notes = [notes ?? [], event.data.notes].flat().join("\n");
    priority = event.data.priority ?? priority;
    deadline = event.data.deadline ?? deadline;
  }
  const isSame = task.priority === priority && task.deadline === deadline && task.notes === notes;
  ensure(isSame, () => `${task.priority}, ${task.deadline}, ${task.notes}`);
  // Use only own properties, so a key named __proto__ counts like any other.
  const entries = Object.entries(task.context);
  const isMerged =
    entries.length === context.size && entries.every(([key, value]) => context.get(key) === value);
  ensure(isMerged, () => `its context is ${JSON.stringify(task.context)}`);
}

function merge(context: Map<string, unknown>, change: JsonObject): void {
  for (const [key, value] of Object.entries(change)) {
    if (value === null) context.delete(key);
    else context.set(key, value);
  }
}

function sizes({ task: { notes, files } }: RunStep): void {
  ensure(
    (notes?.length ?? 0) <= NOTES_TOTAL_CHARACTERS_MAX,
    () => `the notes have ${notes?.length} characters`,
  );
  ensure(files.length <= LIST_ITEMS_MAX, () => `it has ${files.length} files`);
}
