import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { preview, type Problem } from "../../kernel/result.ts";
import { subschemaPositionOf, isDataKeyword, checkKeywordValue } from "./schema-keywords.ts";

const PROBLEMS_MAX = 20;
// Each subschema is read several times before the document is validated.
const SUBSCHEMAS_MAX = 20_000;
// The validator stores a pointer to every subschema. Many long names would exhaust memory.
const POINTERS_CHARACTERS_MAX = 5_000_000;

/**
 * A schema's problems, its subschemas with their locations, and its patterns with the locations where they first occur.
 */
export interface SchemaInspection {
  readonly problems: Problem[];
  readonly subschemas: { readonly schema: JsonObject; readonly path: string }[];
  readonly patterns: Map<string, string>;
}

/**
 * Walks a schema as the validator does, including under unknown keywords, but checks keyword values only in subschemas
 * under known keywords.
 */
export function inspectSchema(schema: JsonObject): SchemaInspection {
  const found: SchemaInspection = { problems: [], subschemas: [], patterns: new Map() };
  let pointerCharacters = 0;

  function complain(path: string, message: string): void {
    if (found.problems.length < PROBLEMS_MAX) found.problems.push({ path, message });
  }

  function isTooLarge(): boolean {
    return found.subschemas.length > SUBSCHEMAS_MAX || pointerCharacters > POINTERS_CHARACTERS_MAX;
  }

  function visit(subschema: Json, path: string, isKnown: boolean): void {
    pointerCharacters += path.length;
    if (!isJsonObject(subschema) || isTooLarge()) return;
    found.subschemas.push({ schema: subschema, path });
    for (const [keyword, value] of Object.entries(subschema)) {
      const place = `${path}.${keyword}`;
      const wanted = isKnown ? checkKeywordValue(keyword, value) : null;
      if (wanted !== null) {
        complain(place, `must be ${wanted}, got ${preview(value)}`);
        continue;
      }
      if (keyword === "$dynamicRef") complain(place, "is not supported; use $ref");
      for (const source of listPatterns(keyword, value)) {
        if (!found.patterns.has(source)) found.patterns.set(source, place);
      }
      visitHeld(keyword, value, place, isKnown);
    }
  }

  function visitHeld(keyword: string, value: Json, path: string, isKnown: boolean): void {
    if (typeof value !== "object" || value === null || isDataKeyword(keyword)) return;
    const holding = subschemaPositionOf(keyword);
    if (Array.isArray(value)) {
      if (holding === null) return;
      for (const [index, item] of value.entries()) visit(item, `${path}[${index}]`, isKnown);
    } else if (holding === "schema map" || holding === "dependencies") {
      for (const [name, item] of Object.entries(value)) visit(item, `${path}.${name}`, isKnown);
    } else visit(value, path, isKnown && holding !== null);
  }

  visit(schema, "schema", true);
  if (isTooLarge()) complain("schema", "must have fewer subschemas, or shorter names");
  return found;
}

function listPatterns(keyword: string, value: Json): string[] {
  if (keyword === "pattern" && typeof value === "string") return [value];
  return keyword === "patternProperties" && isJsonObject(value) ? Object.keys(value) : [];
}
