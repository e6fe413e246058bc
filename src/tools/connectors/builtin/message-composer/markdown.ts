import MarkdownIt from "markdown-it";

const SCHEME = /^[a-z][a-z0-9+.-]*(?=:)/i;
/** What a link may start with; markdown-it itself keeps data: to pictures. */
const SCHEMES = new Set(["http", "https", "mailto", "tel", "data"]);

/**
 * Markdown (CommonMark with tables and strikethrough) as an HTML fragment. Raw HTML is shown as
 * text, bare addresses become links, links of other schemes than web, mail and telephone stay text.
 */
export function htmlOfMarkdown(markdown: string): string {
  const markdownIt = new MarkdownIt({ html: false, linkify: true });
  const validateLink = markdownIt.validateLink.bind(markdownIt);
  markdownIt.validateLink = (url) => validateLink(url) && isKnownScheme(url);
  return markdownIt.render(markdown);
}

function isKnownScheme(url: string): boolean {
  const scheme = SCHEME.exec(url.trim());
  return scheme === null || SCHEMES.has(scheme[0].toLowerCase());
}
