import type { JsonObject } from "../../../../domain/json.ts";
import { shown, type Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { MARKDOWN_CHARACTERS_MAX, textOfSize } from "./size.ts";

const WRAP_MIN = 20;
const WRAP_MAX = 200;

/** `{markdown, wrap?}` → `{text}`, its lines wrapped at `wrap` columns when given. */
export async function markdownToText(
  parameters: JsonObject,
): Promise<Result<JsonObject, Problem[]>> {
  const markdown = textOfSize("markdown", parameters["markdown"], MARKDOWN_CHARACTERS_MAX);
  const wrap = wrapOf(parameters["wrap"]);
  if (!markdown.ok || !wrap.ok) {
    return fail([markdown, wrap].flatMap((part) => (part.ok ? [] : [part.failure])));
  }
  const [{ htmlOfMarkdown }, { textOfHtml }] = await Promise.all([
    import("./markdown.ts"),
    import("./plain-text.ts"),
  ]);
  return ok({ text: textOfHtml(htmlOfMarkdown(markdown.value), wrap.value) });
}

function wrapOf(value: JsonObject[string] | undefined): Result<number | null, Problem> {
  if (value === undefined) return ok(null);
  if (
    typeof value === "number" &&
    Number.isInteger(value) &&
    value >= WRAP_MIN &&
    value <= WRAP_MAX
  ) {
    return ok(value);
  }
  const message = `must be a whole number from ${WRAP_MIN} to ${WRAP_MAX}, got ${shown(value)}`;
  return fail({ path: "wrap", message });
}
