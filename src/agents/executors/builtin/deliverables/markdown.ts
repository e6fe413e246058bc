import { oneLine } from "../wording.ts";

const SYNTAX = /[\\`*_[\]<>|~&#]/g;
/** What would open a list, a heading's underline or a rule at the start of a line. */
const BULLET = /^(?:[-+](?=[\s+-]|$)|=)/;
const NUMBERED = /^(\d+)(?=[.)](?:\s|$))/;
const CELL_CHARACTERS_MAX = 80;

/** Plain text as Markdown that shows exactly it, on one line. */
export function plain(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(SYNTAX, String.raw`\$&`)
    .replace(BULLET, String.raw`\$&`)
    .replace(NUMBERED, "$1\\");
}

/** Plain text of several lines as a quotation. */
export function quotation(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => `> ${plain(line)}`.trimEnd());
  return lines.join("\n>\n");
}

export function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${plain(item)}`).join("\n");
}

/** What a table shows: numbers stand to the right, null is a blank cell. */
export type Cell = string | number | boolean | null;

/** A table of plain cells; columns that hold only numbers and blanks stand to the right. */
export function table(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const rules = header.map((_, index) =>
    rows.every((row) => typeof row[index] === "number" || row[index] === null) ? "---:" : "---",
  );
  const lines = [header, rules, ...rows].map((cells, place) =>
    place === 1 ? `| ${cells.join(" | ")} |` : `| ${cells.map(cellText).join(" | ")} |`,
  );
  return lines.join("\n");
}

function cellText(cell: Cell): string {
  return cell === null ? "" : plain(oneLine(String(cell), CELL_CHARACTERS_MAX));
}
