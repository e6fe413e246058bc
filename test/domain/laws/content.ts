import type { JsonObject } from "../../../src/kernel/json.ts";
import { LIST_ITEMS_MAX } from "../../../src/kernel/limits.ts";
import { NOTES_TOTAL_CHARACTERS_MAX } from "../../../src/tasks/limits.ts";
import type { Step } from "../living.ts";
import { must, type Law } from "./law.ts";

export const CONTENT_LAWS: readonly Law[] = [
  {
    says: "what people change is changed and nothing else: context key by key, notes line by line",
    watch: () => changes,
  },
  { says: "it holds no more notes and files than it may", watch: () => sizes },
];

function changes({ before, events, task }: Step): void {
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
  must(isSame, () => `${task.priority}, ${task.deadline}, ${task.notes}`);
  // Own properties alone, so that a key named __proto__ counts as any other.
  const told = Object.entries(task.context);
  const isMerged =
    told.length === context.size && told.every(([key, value]) => context.get(key) === value);
  must(isMerged, () => `its context is ${JSON.stringify(task.context)}`);
}

function merge(context: Map<string, unknown>, change: JsonObject): void {
  for (const [key, value] of Object.entries(change)) {
    if (value === null) context.delete(key);
    else context.set(key, value);
  }
}

function sizes({ task: { notes, files } }: Step): void {
  must((notes?.length ?? 0) <= NOTES_TOTAL_CHARACTERS_MAX, () => `${notes?.length} of notes`);
  must(files.length <= LIST_ITEMS_MAX, () => `${files.length} files`);
}
