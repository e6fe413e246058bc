import { convert } from "html-to-text";
import MarkdownIt from "markdown-it";

const URL_SCHEME = /^[a-z][a-z0-9+.-]*(?=:)/i;
/** Allowed link schemes; markdown-it allows data: for images only. */
const ALLOWED_SCHEMES = new Set(["http", "https", "mailto", "tel", "data"]);

/**
 * Markdown (CommonMark with tables and strikethrough) as an HTML fragment. Raw HTML is shown as text, URLs
 * become links, and links with other schemes stay text.
 */
export function renderMarkdown(markdown: string): string {
  const markdownIt = new MarkdownIt({ html: false, linkify: true });
  const validateLink = markdownIt.validateLink.bind(markdownIt);
  markdownIt.validateLink = (url) => validateLink(url) && isAllowedScheme(url);
  return markdownIt.render(markdown);
}

function isAllowedScheme(url: string): boolean {
  const scheme = URL_SCHEME.exec(url.trim());
  return scheme === null || ALLOWED_SCHEMES.has(scheme[0].toLowerCase());
}

const PAGE_STYLE = [
  "body{max-width:44rem;margin:2rem auto;padding:0 1rem;color:#1f2328;background:#fff;",
  "font:1rem/1.6 system-ui,sans-serif}",
  "h1,h2,h3{line-height:1.25}a{color:#0b57d0}img{max-width:100%}",
  "table{border-collapse:collapse}th,td{border:1px solid #d0d7de;padding:.35rem .7rem}",
  "code,pre{background:#f3f4f6;border-radius:4px}code{padding:.1em .3em}pre{padding:.8rem;overflow-x:auto}",
  "pre code{padding:0}blockquote{margin-left:0;padding-left:1rem;border-left:3px solid #d0d7de}",
].join("");

/** An HTML page with `body`, which is trusted HTML; the title is escaped. */
export function wrapInHtmlPage(title: string, body: string): string {
  const { escapeHtml } = new MarkdownIt().utils;
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
${body}</body>
</html>
`;
}

/** HTML as plain text; lines are wrapped after `wrap` columns, null: never. */
export function convertHtmlToText(html: string, wrap: number | null): string {
  return convert(html, {
    wordwrap: wrap ?? false,
    selectors: [
      { selector: "table", format: "dataTable" },
      { selector: "a", options: { hideLinkHrefIfSameAsText: true } },
    ],
  });
}
