import type { FieldStyle, ParameterStyle } from "../../../domain/connector.ts";
import type { Json } from "../../../domain/json.ts";
import { ok, type Result } from "../../../domain/result.ts";
import { bracketed } from "./brackets.ts";
import { encoded, listTexts, propertyTexts, textOf } from "./text.ts";

// What stands between the parts of a list that is not exploded.
const DELIMITERS = { form: ",", simple: ",", spaceDelimited: "%20", pipeDelimited: "%7C" } as const;

/**
 * A value as `name=value` pieces joined by `&`, encoded for a query; empty when there is nothing to
 * say. Styles as in OpenAPI 3.1: `form` is exploded unless told otherwise, the others are not.
 */
export async function styled(
  name: string,
  value: Json,
  { style = "form", explode = style === "form" }: FieldStyle,
): Promise<Result<string, string>> {
  if (value === null) return ok("");
  if (style === "deepObject" && typeof value === "object") return bracketed({ [name]: value });
  return ok(written(name, value, style, explode));
}

/** One piece of fixed text. */
export function piece(name: string, text: string): string {
  return `${encoded(name)}=${encoded(text)}`;
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
