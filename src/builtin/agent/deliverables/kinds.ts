import type { Task } from "../../../tasks/model/task.ts";

const DELIVERABLE_KINDS = [
  "report",
  "presentation",
  "analysis",
  "chart",
  "spreadsheet",
  "summary",
] as const;
export type DeliverableKind = (typeof DELIVERABLE_KINDS)[number];

const DEFAULT_TYPES = ["report"];

/** The requested deliverable types, plus those that review comments mention. */
export function resolveDeliverableTypes({ deliverableTypes, reviewComments }: Task): string[] {
  const asked = deliverableTypes.length === 0 ? DEFAULT_TYPES : deliverableTypes;
  const kinds = new Set(asked.map(parseDeliverableKind));
  const named = DELIVERABLE_KINDS.filter(
    (kind) => !kinds.has(kind) && reviewComments.some((comment) => mentions(comment, kind)),
  );
  return [...new Set([...asked, ...named])];
}

/** The kind that a deliverable type names; null if it names none. */
export function parseDeliverableKind(text: string): DeliverableKind | null {
  const folded = text.trim().toLowerCase();
  return DELIVERABLE_KINDS.find((kind) => kind === folded) ?? null;
}

/** For example, "Please add a chart." and "Where are the charts?" mention the kind "chart". */
function mentions(comment: string, kind: DeliverableKind): boolean {
  const words = new Set(comment.toLowerCase().match(/\p{L}+/gu));
  return words.has(kind) || words.has(kind === "analysis" ? "analyses" : `${kind}s`);
}
