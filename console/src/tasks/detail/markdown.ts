/** A block of a Markdown file, as the preview shows it. Inline markup is kept as text. */
export type MarkdownBlock =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  /** `start`: the first number; null if the list is not ordered. */
  | { readonly kind: "list"; readonly start: number | null; readonly items: readonly string[] }
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "code" | "quote" | "paragraph"; readonly text: string };

const HEADING = /^(#{1,6})\s+(.*)$/su;
const BULLET = /^\s*[-*+]\s+(.*)$/su;
const NUMBER = /^\s*(\d{1,9})[.)]\s+(.*)$/su;
const FENCE = /^\s*(```|~~~)/u;
const RULE = /^\s*([-*_])(?:\s*\1){2,}\s*$/u;
const TABLE_ROW = /^\s*\|.*\|\s*$/u;
const TABLE_RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/u;

/** Divides Markdown into blocks. It understands what reports use, and shows everything else as paragraphs. */
export function parseMarkdown(source: string): readonly MarkdownBlock[] {
  const lines = source.split(/\r?\n/u);
  const blocks: MarkdownBlock[] = [];
  let at = 0;

  /** Takes lines while `take` returns a text. */
  function takeWhile(take: (line: string) => string | null | undefined): string[] {
    const taken: string[] = [];
    for (; at < lines.length; at += 1) {
      const text = take(lines[at] ?? "");
      if (text === null || text === undefined) break;
      taken.push(text);
    }
    return taken;
  }

  while (at < lines.length) {
    const line = lines[at] ?? "";
    const heading = HEADING.exec(line);
    if (line.trim() === "" || RULE.test(line)) at += 1;
    else if (heading) {
      blocks.push({
        kind: "heading",
        level: heading[1]?.length ?? 1,
        text: withoutClosingMarks(heading[2] ?? ""),
      });
      at += 1;
    } else if (FENCE.test(line)) {
      at += 1;
      const code = takeWhile((one) => (FENCE.test(one) ? null : one));
      at += 1;
      blocks.push({ kind: "code", text: code.join("\n") });
    } else if (BULLET.test(line) || NUMBER.test(line)) {
      const number = NUMBER.exec(line)?.[1];
      const start = number === undefined ? null : Number(number);
      const pattern = start === null ? BULLET : NUMBER;
      blocks.push({ kind: "list", start, items: takeWhile((one) => pattern.exec(one)?.at(-1)) });
    } else if (TABLE_ROW.test(line)) {
      const rows = takeWhile((one) => (TABLE_ROW.test(one) ? one : null));
      blocks.push({
        kind: "table",
        rows: rows.filter((row) => !TABLE_RULE.test(row)).map(toCells),
      });
    } else if (line.startsWith(">")) {
      const quote = takeWhile((one) => (one.startsWith(">") ? one.replace(/^>\s?/u, "") : null));
      blocks.push({ kind: "quote", text: quote.join("\n") });
    } else blocks.push({ kind: "paragraph", text: takeWhile(paragraphLine).join("\n") });
  }
  return blocks;
}

/** A heading can end with `#` characters. The loop takes linear time, unlike a regular expression. */
function withoutClosingMarks(text: string): string {
  let end = text.trimEnd().length;
  while (text[end - 1] === "#") end -= 1;
  return text.slice(0, end).trimEnd();
}

function paragraphLine(line: string): string | null {
  const isOther = [HEADING, BULLET, NUMBER, FENCE, RULE, TABLE_ROW, /^>/u].some((one) =>
    one.test(line),
  );
  return line.trim() === "" || isOther ? null : line.trim();
}

function toCells(row: string): readonly string[] {
  return row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/u)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** A part of a line of Markdown. */
export interface InlinePart {
  readonly kind: "text" | "strong" | "code";
  readonly text: string;
}

/** Divides a line into plain, strong and code parts. Links and images stay as they are written. */
export function parseInline(text: string): readonly InlinePart[] {
  return text
    .split(/(\*\*[^*]+\*\*|`[^`]+`)/u)
    .filter((part) => part !== "")
    .map((part): InlinePart => {
      if (/^\*\*[^*]+\*\*$/u.test(part)) return { kind: "strong", text: part.slice(2, -2) };
      if (/^`[^`]+`$/u.test(part)) return { kind: "code", text: part.slice(1, -1) };
      return { kind: "text", text: part };
    });
}
