import { toIsoTime } from "../../kernel/text.ts";
import type { Failure } from "../../kernel/failure.ts";
import {
  checkJsonSize,
  type JsonObject,
  jsonSizeOf,
  isSameJson,
  type Json,
} from "../../kernel/json.ts";
import { preview } from "../../kernel/result.ts";
import { CONTEXT_BYTES_MAX, DEADLINE_YEARS_MAX, NOTES_TOTAL_CHARACTERS_MAX } from "../limits.ts";
import type { TaskEventData } from "./events.ts";
import type { Task, TaskBase, TaskLabels } from "./task.ts";

/** The result of checking one field: its path and the problem (null if there is none). */
export type FieldCheck = readonly [path: string, message: string | null];

/** Merges a change into a context key by key. Null deletes a key. */
export function mergeContext(context: JsonObject, change: JsonObject): JsonObject {
  const kept = Object.entries(context).filter(([key]) => !Object.hasOwn(change, key));
  const set = Object.entries(change).filter(([, value]) => value !== null);
  // fromEntries creates own properties, so a key named __proto__ remains an ordinary key.
  return Object.fromEntries([...kept, ...set]);
}

/** Whether merging a change would alter the context. */
export function changesContext(context: JsonObject, change: JsonObject): boolean {
  return Object.entries(change).some(([key, value]) => {
    if (!Object.hasOwn(context, key)) return value !== null;
    // Null deletes the key, even if the stored value is null.
    return value === null || !isSameJson(context[key] ?? null, value);
  });
}

/** Whether the context requests a review of the work. */
export function requestsReview(context: JsonObject): boolean {
  return context["requireReview"] === true;
}

/** The question that the agent must ask before it starts, or null. */
export function initialQuestion(context: JsonObject): string | null {
  const question = context["askFirst"];
  return isQuestion(question) ? question : null;
}

/** Checks the context fields that control agents, because agents would silently ignore invalid values. */
export function checkContextOptions(
  context: JsonObject,
): readonly (readonly [name: string, problem: string | null])[] {
  const { requireReview = null, askFirst: question = null } = context;
  const isDecided = requireReview === null || typeof requireReview === "boolean";
  const isAskable = question === null || isQuestion(question);
  return [
    ["requireReview", isDecided ? null : `must be true or false, got ${preview(requireReview)}`],
    ["askFirst", isAskable ? null : `must be a non-blank string, got ${preview(question)}`],
  ];
}

function isQuestion(value: Json | undefined): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** A validation failure that lists the problems of all failed checks; null if none failed. */
export function toFailure(checks: readonly FieldCheck[]): Failure | null {
  const problems = checks.flatMap(([path, message]) =>
    message === null ? [] : [{ path, message }],
  );
  return problems.length === 0 ? null : { kind: "validation", problems };
}

export function optionChecks(context: JsonObject): readonly FieldCheck[] {
  return checkContextOptions(context).map(([name, message]) => [`context.${name}`, message]);
}

export function contextChecks(task: Task, change: JsonObject | null): readonly FieldCheck[] {
  if (change === null) return [];
  return [
    ["context", checkJsonSize(mergeContext(task.context, change), CONTEXT_BYTES_MAX)],
    ...optionChecks(change),
  ];
}

export function checkNotes(task: Task, notes: string | undefined): string | null {
  if (notes === undefined) return null;
  const length = appendNotes(task, notes).length;
  if (length <= NOTES_TOTAL_CHARACTERS_MAX) return null;
  return `must be at most ${NOTES_TOTAL_CHARACTERS_MAX} characters in total, got ${length} including earlier notes`;
}

/** All answers together are limited to the maximum size of a context, because an agent can receive them all at once. */
export function checkAnswers(
  { answers }: Task,
  response: string | JsonObject | null,
): string | null {
  const all = [...answers.map((answer) => answer.response), response];
  const bytes = all.reduce<number>((sum, one) => sum + jsonSizeOf(one), 0);
  if (bytes <= CONTEXT_BYTES_MAX) return null;
  return `must be at most ${CONTEXT_BYTES_MAX} bytes as JSON in total, got ${bytes} including earlier answers`;
}

/** Returns what is wrong with a deadline, or null. Both times are in milliseconds since 1970. */
export function checkDeadline(deadline: number, now: number): string | null {
  if (deadline <= now) {
    return `must be in the future, got ${toIsoTime(deadline)}; the current time is ${toIsoTime(now)}`;
  }
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + DEADLINE_YEARS_MAX);
  if (deadline <= latest.getTime()) return null;
  return `must be at most ${DEADLINE_YEARS_MAX} years from now, got ${toIsoTime(deadline)}`;
}

/** The fields that an update replaces as a whole. */
type ReplacedFields = Pick<
  TaskBase,
  "priority" | "deadline" | "title" | "labels" | "externalId" | "deliverableTypes" | "budget"
>;

/** The values of the replaceable fields after an update. A field that is not in `change` keeps its value. */
export function replacedFields(
  task: ReplacedFields,
  change: TaskEventData["updated"],
): ReplacedFields {
  const {
    priority = task.priority,
    deadline = task.deadline,
    title = task.title,
    externalId = task.externalId,
    deliverables: deliverableTypes = task.deliverableTypes,
    budget = task.budget,
  } = change;
  const labels = change.labels === undefined ? task.labels : toLabels(change.labels);
  return { priority, deadline, title, labels, externalId, deliverableTypes, budget };
}

/** Whether an update would change any of the replaceable fields. */
export function changesFields(task: ReplacedFields, change: TaskEventData["updated"]): boolean {
  const after = replacedFields(task, change);
  return (
    after.priority !== task.priority ||
    after.deadline !== task.deadline ||
    after.title !== task.title ||
    after.externalId !== task.externalId ||
    !isSameJson(after.labels, task.labels) ||
    !isSameJson(after.deliverableTypes, task.deliverableTypes) ||
    !isSameJson(after.budget, task.budget)
  );
}

/** Labels as a task stores them: null if there are none. */
export function toLabels(labels: TaskLabels | undefined): TaskLabels | null {
  return labels === undefined || Object.keys(labels).length === 0 ? null : labels;
}

export function appendNotes({ notes }: Pick<Task, "notes">, line: string): string {
  return notes === null ? line : `${notes}\n${line}`;
}
