import { EMPTY_FIELDS, type NewTaskFields } from "../new-task.ts";
import type { Task } from "../queries.ts";
import { toEditFields } from "./task-changes.ts";
import type { TaskEvent } from "./task-log.ts";

/**
 * The form of a new task with the fields of this one, except the deadline and the external id. The kinds of file come
 * from the log, because a task does not contain them.
 */
export function similarFields(task: Task, log: readonly TaskEvent[]): NewTaskFields {
  const { maxCost, maxToolCalls, maxMinutes } = toEditFields(task);
  const { context = {}, labels = {} } = task;
  return {
    ...EMPTY_FIELDS,
    task: task.task,
    title: task.title ?? "",
    agentId: task.agentId ?? "",
    teamId: task.teamId ?? "",
    priority: task.priority,
    deliverables: (requestedFiles(log) ?? []).join(", "),
    labels: Object.entries(labels)
      .map(([key, value]) => `${key}:${value}`)
      .join("\n"),
    context: Object.keys(context).length === 0 ? "" : JSON.stringify(context, null, 2),
    maxCost,
    maxToolCalls,
    maxMinutes,
  };
}

/** What the form of a similar task does not contain. */
export function missingFields(log: readonly TaskEvent[]): string {
  const unknown = requestedFiles(log) === null ? "the deliverables, " : "";
  return `The form contains the fields of the earlier task, except ${unknown}the deadline and the external id.`;
}

/** The kinds of file that the task should deliver; null if the log does not contain them, or not yet. */
function requestedFiles(log: readonly TaskEvent[]): readonly string[] | null {
  let files: readonly string[] | null = null;
  for (const { type, data } of log) {
    if (type === "created") files = data.deliverables;
    if (type === "updated" && data.deliverables !== undefined) files = data.deliverables;
  }
  return files;
}
