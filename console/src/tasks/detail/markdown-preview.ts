import { parseMarkdown, type MarkdownBlock } from "./markdown.ts";

export const MARKDOWN_CHARACTERS_MAX = 100_000;
/** How many blocks, items of lists and cells of tables are shown. More would slow the browser down. */
export const MARKDOWN_PARTS_MAX = 5_000;

export interface MarkdownPreview {
  readonly blocks: readonly MarkdownBlock[];
  /** Whether the file has more than the preview. */
  readonly isCut: boolean;
}

/** The first blocks of a Markdown file. The last list or table may be shorter than in the file. */
export function previewMarkdown(source: string): MarkdownPreview {
  const blocks: MarkdownBlock[] = [];
  let left = MARKDOWN_PARTS_MAX;
  /** Takes the first ones of which all parts can be shown. */
  function take<T>(from: readonly T[], partsOf: (one: T) => number): readonly T[] {
    const end = from.findIndex((one) => {
      left -= partsOf(one);
      return left < 0;
    });
    return end === -1 ? from : from.slice(0, end);
  }

  for (const block of parseMarkdown(source.slice(0, MARKDOWN_CHARACTERS_MAX))) {
    left -= 1;
    if (left < 0) break;
    if (block.kind === "list") blocks.push({ ...block, items: take(block.items, () => 1) });
    else if (block.kind === "table")
      blocks.push({ ...block, rows: take(block.rows, (row) => row.length) });
    else blocks.push(block);
  }
  return { blocks, isCut: left < 0 || source.length > MARKDOWN_CHARACTERS_MAX };
}
