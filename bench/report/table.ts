import { markdownTable } from "markdown-table";

/** A column's heading and alignment. */
export interface Column {
  readonly head: string;
  readonly side: "left" | "right";
}

export function words(head: string): Column {
  return { head, side: "left" };
}

export function figures(head: string): Column {
  return { head, side: "right" };
}

/** Formats a table in GitHub's Markdown. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const heads = columns.map(({ head }) => head);
  const align = columns.map(({ side }) => (side === "right" ? "r" : "l"));
  return markdownTable(
    [heads, ...rows].map((row) => row.map(cell)),
    { align },
  );
}

/** Puts a cell's text on one line and escapes pipes. */
function cell(text: string): string {
  return oneLine(text).replaceAll("\\", "\\\\").replaceAll("|", "\\|");
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
