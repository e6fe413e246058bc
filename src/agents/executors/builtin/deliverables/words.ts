import type { Task } from "../../../../domain/task.ts";

/** The kinds of deliverables that the agent makes each in a form of its own. */
export const KINDS = [
  "report",
  "presentation",
  "analysis",
  "chart",
  "spreadsheet",
  "summary",
] as const;
export type Kind = (typeof KINDS)[number];

const DEFAULT_WORDS = ["report"];

/** The deliverable types to make: those asked for, once each, and those that reviewers named. */
export function wordsOf({ deliverableTypes, reviewComments }: Task): string[] {
  const asked = deliverableTypes.length === 0 ? DEFAULT_WORDS : deliverableTypes;
  const kinds = new Set(asked.map(kindOf));
  const named = KINDS.filter((kind) => !kinds.has(kind) && reviewComments.some(naming(kind)));
  return [...new Set([...asked, ...named])];
}

/** The kind that a word asks for; null for a word of the user's own. */
export function kindOf(word: string): Kind | null {
  const folded = word.trim().toLowerCase();
  return KINDS.find((kind) => kind === folded) ?? null;
}

/** "Please add a chart." and "Where are the charts?" name the kind chart. */
function naming(kind: Kind): (comment: string) => boolean {
  const words = kind === "analysis" ? ["analysis", "analyses"] : [kind, `${kind}s`];
  return (comment) =>
    (comment.toLowerCase().match(/\p{L}+/gu) ?? []).some((word) => words.includes(word));
}
