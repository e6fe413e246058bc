import MarkdownIt from "markdown-it";

/**
 * The tables of a Markdown page, each as a list of rows, which are lists of cells. The header is
 * the first row.
 */
export function parseTables(page: string): string[][][] {
  const tables: string[][][] = [];
  let isCell = false;
  for (const token of new MarkdownIt().parse(page, {})) {
    if (token.type === "table_open") tables.push([]);
    if (token.type === "tr_open") tables.at(-1)?.push([]);
    if (/^t[hd]_(?:open|close)$/.test(token.type)) isCell = token.type.endsWith("open");
    else if (token.type === "inline" && isCell) {
      const text = (token.children ?? []).map(({ content }) => content).join("");
      tables.at(-1)?.at(-1)?.push(text);
    }
  }
  return tables;
}

/** The titles of the page's chapters, in order. */
export function parseChapters(page: string): string[] {
  return [...page.matchAll(/^## (.*)$/gm)].map(([, title = ""]) => title);
}
