import { fail, ok, type Result } from "../../../kernel/result.ts";
import { preview, type Problem } from "../../../kernel/problem.ts";
import { isJsonObject, type JsonObject } from "../../../kernel/json.ts";
import type { CapabilityHandlers } from "../../../tools/connectors/contract.ts";
import { parseWholeNumber } from "../parameters.ts";
import { convertHtmlToText, renderMarkdown, wrapInHtmlPage } from "./markdown.ts";
import {
  LIQUID_TEMPLATE_CHARACTERS_MAX,
  renderLiquid,
  toLiquidProblem,
} from "../../../platform/liquid/engine.ts";

export const messageComposerHandlers: CapabilityHandlers = {
  "render-template": renderMessage,
  "markdown-to-html": convertMarkdownToHtml,
  "markdown-to-text": convertMarkdownToText,
};

/** `{template, values, format?}` → `{text, missing, format}`; a template's error is a Problem. */
async function renderMessage(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const { template: source, values: given, format = "text" } = parameters;
  const template = parseBoundedText("template", source, LIQUID_TEMPLATE_CHARACTERS_MAX);
  const values = isJsonObject(given) ? given : {};
  const known = format === "text" || format === "html";
  if (!template.ok || !known) {
    const unknown = { path: "format", message: `must be "text" or "html", got ${preview(format)}` };
    return fail([...(template.ok ? [] : [template.failure]), ...(known ? [] : [unknown])]);
  }
  try {
    const { text, missing } = renderLiquid(template.value, values, format);
    return ok({ text, missing: [...missing], format });
  } catch (error) {
    const problem = toLiquidProblem(error);
    if (problem === null) throw error;
    return fail([problem]);
  }
}

const TITLE_CHARACTERS_MAX = 300;

/** `{markdown, title?}` → `{html}`: a fragment, or a whole page when there is a title. */
async function convertMarkdownToHtml(
  parameters: JsonObject,
): Promise<Result<JsonObject, Problem[]>> {
  const markdown = parseBoundedText("markdown", parameters["markdown"], MARKDOWN_CHARACTERS_MAX);
  const title = parseBoundedText("title", parameters["title"], TITLE_CHARACTERS_MAX);
  if (!markdown.ok || !title.ok) {
    return fail([markdown, title].flatMap((part) => (part.ok ? [] : [part.failure])));
  }
  const html = renderMarkdown(markdown.value);
  return ok({ html: parameters["title"] === undefined ? html : wrapInHtmlPage(title.value, html) });
}

const WRAP_LIMITS = { min: 20, max: 200, fallback: null };

/** `{markdown, wrap?}` → `{text}`, its lines wrapped at `wrap` columns when given. */
async function convertMarkdownToText(
  parameters: JsonObject,
): Promise<Result<JsonObject, Problem[]>> {
  const markdown = parseBoundedText("markdown", parameters["markdown"], MARKDOWN_CHARACTERS_MAX);
  const wrap = parseWholeNumber("wrap", parameters["wrap"], WRAP_LIMITS);
  if (!markdown.ok || !wrap.ok) {
    return fail([markdown, wrap].flatMap((part) => (part.ok ? [] : [part.failure])));
  }
  return ok({ text: convertHtmlToText(renderMarkdown(markdown.value), wrap.value) });
}

const MARKDOWN_CHARACTERS_MAX = 100_000;

/** `value` as a text of at most `charactersMax` UTF-16 code units, or a Problem at `path`. */
function parseBoundedText(
  path: string,
  value: unknown,
  charactersMax: number,
): Result<string, Problem> {
  const text = typeof value === "string" ? value : "";
  if (text.length <= charactersMax) return ok(text);
  const most = charactersMax.toLocaleString("en-US");
  const given = text.length.toLocaleString("en-US");
  return fail({ path, message: `must have at most ${most} characters, got ${given}` });
}
