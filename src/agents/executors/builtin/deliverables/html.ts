import type { Chart } from "../charts.ts";
import { INK } from "./palette.ts";

/** Turns Markdown and plain text into HTML; raw HTML in either is shown as text. */
export interface Html {
  render(markdown: string): string;
  escape(text: string): string;
}

/** The renderer; loaded when first needed, which keeps the Worker's start short. */
export async function loadHtml(): Promise<Html> {
  const { default: MarkdownIt } = await import("markdown-it");
  const markdownIt = new MarkdownIt({ html: false, linkify: false });
  markdownIt.renderer.rules["table_open"] = () => '<div class="table"><table>\n';
  markdownIt.renderer.rules["table_close"] = () => "</table></div>\n";
  return {
    render: (markdown) => markdownIt.render(markdown),
    escape: (text) => markdownIt.utils.escapeHtml(text),
  };
}

/** A whole page without scripts or outside resources. */
export function pageOf(html: Html, title: string, style: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html.escape(title)}</title>
<style>
:root{color-scheme:light;color:${INK};background:#fff;font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
${style}
</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** The chart inside a page, where ids of several charts must not meet; `place` tells them apart. */
export function figureOf(
  html: Html,
  { svg, notes }: Chart,
  place: number,
  caption: string,
): string {
  const own = svg
    .replaceAll(/( (?:id|class)="|url\(#|href="#)chart-/g, `$1chart${place}-`)
    .replace(/^<svg /, '<svg preserveAspectRatio="xMidYMid meet" ');
  const small = notes.length === 0 ? "" : `<small>${html.escape(notes.join(" "))}</small>`;
  return `<figure>\n${own}\n<figcaption>${html.escape(caption)} ${small}</figcaption>\n</figure>`;
}
