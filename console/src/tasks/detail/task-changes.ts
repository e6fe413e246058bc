import type { Schemas } from "../../api/client.ts";
import type { Task } from "../queries.ts";
import { fromLocalInput, toLocalInput } from "./date-input.ts";

export type Changes = Schemas["UpdateTaskBody"];

/** The fields of the form, as typed. */
export interface EditFields {
  readonly title: string;
  readonly priority: Task["priority"];
  /** The current agent, or the one to which the task is given; empty if there is none. */
  readonly agentId: string;
  /** A local time, such as `2026-11-27T18:30`. */
  readonly deadline: string;
  readonly maxCost: string;
  readonly maxToolCalls: string;
  readonly maxMinutes: string;
  readonly notes: string;
}

/** Whether the task's agent can change, because the attempt has not started. */
export function canChangeAgent({ status }: Pick<Task, "status">): boolean {
  return status === "pending" || status === "assigned";
}

/** The form's fields for a task. */
export function toEditFields(task: Task): EditFields {
  const { maxCost, maxToolCalls, maxDurationSeconds } = task.budget ?? {};
  return {
    title: task.title ?? "",
    priority: task.priority,
    agentId: task.agentId ?? "",
    deadline: toLocalInput(task.deadline),
    maxCost: maxCost === undefined ? "" : String(maxCost),
    maxToolCalls: maxToolCalls === undefined ? "" : String(maxToolCalls),
    maxMinutes: maxDurationSeconds === undefined ? "" : String(maxDurationSeconds / 60),
    notes: "",
  };
}

/** The fields that the person changed, as the API expects them. The API checks the values. */
export function toChanges(seen: Task, fields: EditFields): Changes {
  const before = toEditFields(seen);
  const { priority, deadline } = fields;
  const title = fields.title.trim();
  const agentId = fields.agentId.trim();
  const notes = fields.notes.trim();
  const budget = toBudget(seen, fields);
  return {
    ...(title !== before.title && { title: title === "" ? null : title }),
    ...(priority !== before.priority && { priority }),
    ...(agentId !== before.agentId && agentId !== "" && { agentId }),
    ...(deadline !== before.deadline && deadline !== "" && { deadline: fromLocalInput(deadline) }),
    ...(budget !== null && { budget }),
    ...(notes !== "" && { notes }),
  };
}

/** The whole new budget, because a change replaces it; null if its limits have not changed. */
function toBudget(seen: Task, fields: EditFields): NonNullable<Changes["budget"]> | null {
  const before = toEditFields(seen);
  const limits = ["maxCost", "maxToolCalls", "maxMinutes"] as const;
  const changed = limits.filter((name) => fields[name].trim() !== before[name]);
  if (changed.length === 0) return null;
  const { maxCost, maxToolCalls, maxDurationSeconds, ...others } = seen.budget ?? {};
  return {
    ...others,
    ...limitField("maxCost", fields.maxCost, 1),
    ...limitField("maxToolCalls", fields.maxToolCalls, 1),
    ...(changed.includes("maxMinutes")
      ? limitField("maxDurationSeconds", fields.maxMinutes, 60)
      : maxDurationSeconds !== undefined && { maxDurationSeconds }),
  };
}

function limitField(name: string, text: string, factor: number): Record<string, number> {
  return text.trim() === "" ? {} : { [name]: Number(text) * factor };
}
