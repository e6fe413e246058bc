import { isSameJson, type Json, type JsonObject } from "../../kernel/json.ts";
import { preview } from "../../kernel/problem.ts";

/** A context after a change: keys are replaced one by one, and null deletes a key. */
export function mergeContext(context: JsonObject, change: JsonObject): JsonObject {
  const kept = Object.entries(context).filter(([key]) => !Object.hasOwn(change, key));
  const set = Object.entries(change).filter(([, value]) => value !== null);
  // fromEntries makes own properties, so that a key named __proto__ stays an ordinary key.
  return Object.fromEntries([...kept, ...set]);
}

/** Whether a change adds, removes or changes a key or value of a context. */
export function changesContext(context: JsonObject, change: JsonObject): boolean {
  return Object.entries(change).some(([key, value]) => {
    if (!Object.hasOwn(context, key)) return value !== null;
    // Null deletes the key, even if its value is null.
    return value === null || !isSameJson(context[key] ?? null, value);
  });
}

/** Whether the context asks for a review of the work. */
export function requestsReview(context: JsonObject): boolean {
  return context["requireReview"] === true;
}

/** The question that the agent must ask before it starts, or null. */
export function initialQuestion(context: JsonObject): string | null {
  const question = context["askFirst"];
  return isQuestion(question) ? question : null;
}

/** The problems of context fields that agents obey: a wrong value would be ignored silently. */
export function checkContextOptions(
  context: JsonObject,
): readonly (readonly [name: string, problem: string | null])[] {
  const { requireReview = null, askFirst: question = null } = context;
  const isDecided = requireReview === null || typeof requireReview === "boolean";
  const isAskable = question === null || isQuestion(question);
  return [
    ["requireReview", isDecided ? null : `must be true or false, got ${preview(requireReview)}`],
    ["askFirst", isAskable ? null : `must be a question as a text, got ${preview(question)}`],
  ];
}

function isQuestion(value: Json | undefined): value is string {
  return typeof value === "string" && value.trim() !== "";
}
