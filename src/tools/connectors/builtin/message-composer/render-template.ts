import { isJsonObject, type JsonObject } from "../../../../domain/json.ts";
import { shown, type Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { TEMPLATE_CHARACTERS_MAX, textOfSize } from "./size.ts";

/** `{template, values, format?}` → `{text, missing, format}`; a template's error is a Problem. */
export async function renderTemplate(
  parameters: JsonObject,
): Promise<Result<JsonObject, Problem[]>> {
  const template = textOfSize("template", parameters["template"], TEMPLATE_CHARACTERS_MAX);
  const values = isJsonObject(parameters["values"]) ? parameters["values"] : {};
  const { format = "text" } = parameters;
  const known = format === "text" || format === "html";
  if (!template.ok || !known) {
    const unknown = { path: "format", message: `must be "text" or "html", got ${shown(format)}` };
    return fail([...(template.ok ? [] : [template.failure]), ...(known ? [] : [unknown])]);
  }
  const { renderLiquid } = await import("./liquid-engine.ts");
  try {
    const { text, missing } = renderLiquid(template.value, values, format);
    return ok({ text, missing: [...missing], format });
  } catch (error) {
    const { templateProblem } = await import("./template-problem.ts");
    const problem = templateProblem(error);
    if (problem === null) throw error;
    return fail([problem]);
  }
}
