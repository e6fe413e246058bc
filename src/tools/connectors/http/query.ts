import type { Mapped, ParameterStyle } from "../../../domain/connector.ts";
import type { Json, JsonObject } from "../../../domain/json.ts";
import type { Problem } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { bracketed } from "./brackets.ts";
import { encoded, listTexts, propertyTexts, textOf } from "./text.ts";

// What stands between the parts of a list that is not exploded.
const DELIMITERS = { form: ",", simple: ",", spaceDelimited: "%20", pipeDelimited: "%7C" } as const;

/**
 * The query's `name=value` pieces, encoded. Styles as in OpenAPI 3.1: `form` is exploded unless told
 * otherwise, the others are not. Absent parameters, null and empty lists are left out.
 */
export async function queryPieces(
  query: Readonly<Record<string, Mapped>>,
  parameters: JsonObject,
): Promise<Result<string[], Problem[]>> {
  const pieces: string[] = [];
  const problems: Problem[] = [];
  for (const [name, mapped] of Object.entries(query)) {
    if ("value" in mapped) {
      pieces.push(piece(name, mapped.value));
      continue;
    }
    const value = Object.hasOwn(parameters, mapped.parameter)
      ? (parameters[mapped.parameter] ?? null)
      : null;
    if (value === null) continue;
    const { style = "form" } = mapped;
    if (style === "deepObject" && typeof value === "object") {
      const nested = await bracketed({ [name]: value }, "%20");
      if (nested.ok) pieces.push(nested.value);
      else problems.push({ path: mapped.parameter, message: nested.failure });
      continue;
    }
    pieces.push(written(name, value, style, mapped.explode ?? style === "form"));
  }
  if (problems.length > 0) return fail(problems);
  return ok(pieces.flatMap((one) => one.split("&")).filter((one) => one !== ""));
}

function written(
  name: string,
  value: Exclude<Json, null>,
  style: ParameterStyle,
  explode: boolean,
): string {
  if (style === "json") return piece(name, JSON.stringify(value));
  if (typeof value !== "object" || style === "deepObject") return piece(name, textOf(value));
  const delimiter = DELIMITERS[style];
  if (Array.isArray(value)) {
    const texts = listTexts(value);
    if (explode) return texts.map((text) => piece(name, text)).join("&");
    return joined(name, texts, delimiter);
  }
  const properties = propertyTexts(value);
  if (explode) return properties.map(([key, text]) => piece(key, text)).join("&");
  return joined(name, properties.flat(), delimiter);
}

function joined(name: string, texts: readonly string[], delimiter: string): string {
  return texts.length === 0 ? "" : `${encoded(name)}=${texts.map(encoded).join(delimiter)}`;
}

function piece(name: string, text: string): string {
  return `${encoded(name)}=${encoded(text)}`;
}
