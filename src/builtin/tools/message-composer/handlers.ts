import MarkdownIt from "markdown-it";
import { fail, ok, type Result, preview, type Problem } from "../../../kernel/result.ts";
import { type JsonObject, toJsonObject } from "../../../kernel/json.ts";
import type { CapabilityHandler, CapabilityHandlers } from "../../../tools/connectors/contract.ts";
import { collectProblems, parseWholeNumber } from "../parameters.ts";
import {
  LIQUID_TEMPLATE_CHARACTERS_MAX,
  renderLiquid,
  toLiquidProblem,
} from "../../../platform/liquid/engine.ts";
import { convert } from "html-to-text";

/** `{template, values, format?}` → `{text, missing, format}`. Template errors are returned as Problems. */
const renderMessage: CapabilityHandler = async (parameters) => {
  const template = parseBoundedText("template", parameters, LIQUID_TEMPLATE_CHARACTERS_MAX);
  const format = parseFormat(parameters);
  if (!template.ok || !format.ok) return fail(collectProblems([template, format]));
  try {
    const values = toJsonObject(parameters["values"]);
    const { text, missing } = renderLiquid(template.value, values, format.value);
    return ok({ text, missing: [...missing], format: format.value });
  } catch (error) {
    const problem = toLiquidProblem(error);
    if (problem === null) throw error;
    return fail([problem]);
  }
};

function parseFormat({ format = "text" }: JsonObject): Result<"text" | "html", Problem> {
  if (format === "text" || format === "html") return ok(format);
  return fail({ path: "format", message: `must be "text" or "html", got ${preview(format)}` });
}

const TITLE_CHARACTERS_MAX = 300;

/** `{markdown, title?}` → `{html}`: a fragment, or a complete page if there is a title. */
const convertMarkdownToHtml: CapabilityHandler = async (parameters) => {
  const markdown = parseBoundedText("markdown", parameters, MARKDOWN_CHARACTERS_MAX);
  const title = parseBoundedText("title", parameters, TITLE_CHARACTERS_MAX);
  if (!markdown.ok || !title.ok) return fail(collectProblems([markdown, title]));
  const html = renderMarkdown(markdown.value);
  return ok({ html: parameters["title"] === undefined ? html : wrapInHtmlPage(title.value, html) });
};

const WRAP_LIMITS = [20, 200] as const;

/** `{markdown, wrap?}` → `{text}`. Lines are wrapped at `wrap` characters if it is set. */
const convertMarkdownToText: CapabilityHandler = async (parameters) => {
  const markdown = parseBoundedText("markdown", parameters, MARKDOWN_CHARACTERS_MAX);
  const wrap = parseWholeNumber("wrap", parameters, WRAP_LIMITS, null);
  if (!markdown.ok || !wrap.ok) return fail(collectProblems([markdown, wrap]));
  const text = convert(renderMarkdown(markdown.value), {
    wordwrap: wrap.value ?? false,
    selectors: [
      { selector: "table", format: "dataTable" },
      { selector: "a", options: { hideLinkHrefIfSameAsText: true } },
    ],
  });
  return ok({ text });
};

export const messageComposerHandlers: CapabilityHandlers = {
  "render-template": renderMessage,
  "markdown-to-html": convertMarkdownToHtml,
  "markdown-to-text": convertMarkdownToText,
};

const MARKDOWN_CHARACTERS_MAX = 100_000;

/** Reads the parameter `path` as a string of at most `charactersMax` UTF-16 code units. */
function parseBoundedText(
  path: string,
  { [path]: value }: JsonObject,
  charactersMax: number,
): Result<string, Problem> {
  const text = typeof value === "string" ? value : "";
  if (text.length <= charactersMax) return ok(text);
  const most = charactersMax.toLocaleString("en-US");
  const given = text.length.toLocaleString("en-US");
  return fail({ path, message: `must have at most ${most} characters, got ${given}` });
}

const URL_SCHEME = /^[a-z][a-z0-9+.-]*(?=:)/i;
/** Allowed link schemes; markdown-it allows data: for images only. */
const ALLOWED_SCHEMES = new Set(["http", "https", "mailto", "tel", "data"]);

/** Renders Markdown as an HTML fragment. Raw HTML is shown as text; URLs with unsafe schemes do not become links. */
function renderMarkdown(markdown: string): string {
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

/** An HTML page with the title escaped. `body` must be trusted HTML. */
function wrapInHtmlPage(title: string, body: string): string {
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
