import type { Draft } from "./draft.ts";
import { titleOf } from "./sections.ts";

/** The result as plain text. */
export function summaryText(draft: Draft): string {
  const { result, limits } = draft;
  const parts = [
    titleOf(draft.task),
    result.summary,
    list("Insights", result.insights),
    list("Recommendations", result.recommendations),
    list("Limits of this work", limits),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function list(heading: string, items: readonly string[]): string {
  return items.length === 0 ? "" : [heading, ...items.map((item) => `- ${item}`)].join("\n");
}
