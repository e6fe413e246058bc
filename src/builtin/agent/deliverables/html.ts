import type { DrawnChart } from "../charts.ts";

/** Colours of pages; the accent is the charts' own blue. */
export const PAGE_TEXT_COLOUR = "#1f2328";
export const PAGE_MUTED_COLOUR = "#57606a";
export const PAGE_RULE_COLOUR = "#d8dee4";
export const PAGE_ACCENT_COLOUR = "#0072b2";
export const PAGE_TINT_COLOUR = "#f4f7fa";

/** Turns Markdown and plain text into HTML; raw HTML in either is shown as text. */
export interface HtmlRenderer {
  renderMarkdown(markdown: string): string;
  escape(text: string): string;
}

export async function loadHtmlRenderer(): Promise<HtmlRenderer> {
  const { default: MarkdownIt } = await import("markdown-it");
  const markdownIt = new MarkdownIt({ html: false, linkify: false });
  markdownIt.renderer.rules["table_open"] = () => '<div class="table"><table>\n';
  markdownIt.renderer.rules["table_close"] = () => "</table></div>\n";
  return {
    renderMarkdown: (markdown) => markdownIt.render(markdown),
    escape: (text) => markdownIt.utils.escapeHtml(text),
  };
}

/** A whole page without scripts or outside resources. */
export function renderHtmlPage(
  html: HtmlRenderer,
  title: string,
  style: string,
  body: string,
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html.escape(title)}</title>
<style>
:root{color-scheme:light;color:${PAGE_TEXT_COLOUR};background:#fff;font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
${style}
</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** A chart as a figure of a page; `place` makes its ids unique. */
export function renderFigure(
  html: HtmlRenderer,
  { svg, notes }: DrawnChart,
  place: number,
  caption: string,
): string {
  const svgWithUniqueIds = svg
    .replaceAll(/( (?:id|class)="|url\(#|href="#)chart-/g, `$1chart${place}-`)
    .replace(/^<svg /, '<svg preserveAspectRatio="xMidYMid meet" ');
  const small = notes.length === 0 ? "" : `<small>${html.escape(notes.join(" "))}</small>`;
  return `<figure>\n${svgWithUniqueIds}\n<figcaption>${html.escape(caption)} ${small}</figcaption>\n</figure>`;
}
