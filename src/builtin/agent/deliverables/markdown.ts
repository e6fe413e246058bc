import type { JsonScalar } from "../../../kernel/json.ts";
import { formatFigure } from "../figures.ts";
import { toSingleLine } from "../../../kernel/text.ts";

const SYNTAX_CHARACTERS = /[\\`*_[\]<>|~&#]/g;
/** Text that Markdown would read as a list item, a heading underline or a horizontal rule. */
const BULLET_START = /^(?:[-+](?=[\s+-]|$)|=)/;
const NUMBERED_START = /^(\d+)(?=[.)](?:\s|$))/;
const CELL_CHARACTERS_MAX = 80;

/** Escapes plain text as one line of Markdown. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(SYNTAX_CHARACTERS, String.raw`\$&`)
    .replace(BULLET_START, String.raw`\$&`)
    .replace(NUMBERED_START, "$1\\");
}

export function formatQuotation(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => `> ${escapeMarkdown(line)}`.trimEnd());
  return lines.join("\n>\n");
}

export function formatBulletList(items: readonly string[]): string {
  return items.map((item) => `- ${escapeMarkdown(item)}`).join("\n");
}

/** Formats a table. Null is a blank cell, and columns that contain only numbers and blanks are right-aligned. */
export function formatMarkdownTable(
  header: readonly string[],
  rows: readonly (readonly JsonScalar[])[],
): string {
  const rules = header.map((_, index) =>
    rows.every((row) => typeof row[index] === "number" || row[index] === null) ? "---:" : "---",
  );
  const lines = [header, rules, ...rows].map((cells, index) =>
    index === 1 ? `| ${cells.join(" | ")} |` : `| ${cells.map(formatCell).join(" | ")} |`,
  );
  return lines.join("\n");
}

function formatCell(cell: JsonScalar): string {
  if (cell === null) return "";
  if (typeof cell === "number") return escapeMarkdown(formatFigure(cell));
  return escapeMarkdown(toSingleLine(String(cell), CELL_CHARACTERS_MAX));
}
