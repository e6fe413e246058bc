import type { Failure } from "./failure.ts";

/** The versions that `If-Match` allows; null for any. */
export type IfMatch = readonly string[] | null;

/** The `ETag` of a version, including the quotes. */
export function formatEntityTag(version: number): string {
  return `"${version}"`;
}

/** The failure if `If-Match` does not allow the current version; null otherwise. */
export function checkPrecondition(
  ifMatch: IfMatch,
  what: "task" | "tool",
  version: number,
): Failure | null {
  if (ifMatch === null || ifMatch.includes(String(version))) return null;
  return { kind: "precondition_failed", what, etag: formatEntityTag(version) };
}
