import MarkdownIt from "markdown-it";

const STYLE = [
  "body{max-width:44rem;margin:2rem auto;padding:0 1rem;color:#1f2328;background:#fff;",
  "font:1rem/1.6 system-ui,sans-serif}",
  "h1,h2,h3{line-height:1.25}a{color:#0b57d0}img{max-width:100%}",
  "table{border-collapse:collapse}th,td{border:1px solid #d0d7de;padding:.35rem .7rem}",
  "code,pre{background:#f3f4f6;border-radius:4px}code{padding:.1em .3em}pre{padding:.8rem;overflow-x:auto}",
  "pre code{padding:0}blockquote{margin-left:0;padding-left:1rem;border-left:3px solid #d0d7de}",
].join("");

/** A whole HTML page around `body`, which is trusted HTML; the title is escaped. */
export function pageOf(title: string, body: string): string {
  const { escapeHtml } = new MarkdownIt().utils;
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}</body>
</html>
`;
}
