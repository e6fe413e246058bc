import type { Failure } from "./failure.ts";

/** The versions that a change is meant for, as opaque as `If-Match` gives them; null for any. */
export type IfMatch = readonly string[] | null;

/** `ETag` of a version, with its quotes. */
export function formatEntityTag(version: number): string {
  return `"${version}"`;
}

/** What stands in the way of a change that is not meant for this version; null when nothing does. */
export function checkPrecondition(
  ifMatch: IfMatch,
  what: "task" | "tool",
  version: number,
): Failure | null {
  if (ifMatch === null || ifMatch.includes(String(version))) return null;
  return { kind: "precondition_failed", what, etag: formatEntityTag(version) };
}
