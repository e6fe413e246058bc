import type { JsonObject } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { MARKDOWN_CHARACTERS_MAX, textOfSize } from "./size.ts";

const TITLE_CHARACTERS_MAX = 300;

/** `{markdown, title?}` → `{html}`: a fragment, or a whole page when there is a title. */
export async function markdownToHtml(
  parameters: JsonObject,
): Promise<Result<JsonObject, Problem[]>> {
  const markdown = textOfSize("markdown", parameters["markdown"], MARKDOWN_CHARACTERS_MAX);
  const title = textOfSize("title", parameters["title"], TITLE_CHARACTERS_MAX);
  if (!markdown.ok || !title.ok) {
    return fail([markdown, title].flatMap((part) => (part.ok ? [] : [part.failure])));
  }
  const [{ htmlOfMarkdown }, { pageOf }] = await Promise.all([
    import("./markdown.ts"),
    import("./page.ts"),
  ]);
  const html = htmlOfMarkdown(markdown.value);
  return ok({ html: parameters["title"] === undefined ? html : pageOf(title.value, html) });
}
