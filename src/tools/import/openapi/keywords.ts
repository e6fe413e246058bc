import type { Json } from "../../../domain/json.ts";

/** What stands behind a keyword of JSON Schema 2020-12, or of OpenAPI 3.0 before it is upgraded. */
export type KeywordKind = "schema" | "schemas" | "named schemas" | "plain";

const TYPES: ReadonlySet<Json> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
  "null",
]);

/** Keywords whose schemas judge the same value as the schema that they stand in. */
export const IN_PLACE: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
]);

/** Keywords that describe without judging. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

const SUBSCHEMAS: ReadonlyMap<string, KeywordKind> = new Map([
  ["items", "schema"],
  ["additionalProperties", "schema"],
  ["not", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
  ["contains", "schema"],
  ["propertyNames", "schema"],
  ["unevaluatedItems", "schema"],
  ["unevaluatedProperties", "schema"],
  ["contentSchema", "schema"],
  ["allOf", "schemas"],
  ["anyOf", "schemas"],
  ["oneOf", "schemas"],
  ["prefixItems", "schemas"],
  ["properties", "named schemas"],
  ["patternProperties", "named schemas"],
  ["dependentSchemas", "named schemas"],
]);

/** Keywords without schemas inside, each with what its value must be; a value that is not is dropped. */
const PLAIN: ReadonlyMap<string, (value: Json) => boolean> = new Map([
  ["type", isType],
  ["title", isText],
  ["description", isText],
  ["format", isText],
  ["pattern", isPattern],
  ["contentEncoding", isText],
  ["contentMediaType", isText],
  ["multipleOf", isPositive],
  ["minimum", isNumber],
  ["maximum", isNumber],
  ["exclusiveMinimum", isNumberOrBoolean],
  ["exclusiveMaximum", isNumberOrBoolean],
  ["minLength", isCount],
  ["maxLength", isCount],
  ["minItems", isCount],
  ["maxItems", isCount],
  ["minContains", isCount],
  ["maxContains", isCount],
  ["minProperties", isCount],
  ["maxProperties", isCount],
  ["uniqueItems", isBoolean],
  ["nullable", isBoolean],
  ["deprecated", isBoolean],
  ["readOnly", isBoolean],
  ["writeOnly", isBoolean],
  ["required", isNames],
  ["enum", Array.isArray],
  ["const", isAnything],
  ["default", isAnything],
]);

/** The kind of a keyword; null for what only OpenAPI knows, vendors add, or is malformed. */
export function keywordKind(keyword: string, value: Json): KeywordKind | null {
  const kind = SUBSCHEMAS.get(keyword);
  if (kind !== undefined) return kind;
  return PLAIN.get(keyword)?.(value) === true ? "plain" : null;
}

/**
 * Whether a keyword that cannot be kept as it stands was meant to have force. Generators write null
 * for what is absent; only as a type it is a slip, for "null".
 */
export function isMalformed(keyword: string, value: Json): boolean {
  if (value === null) return keyword === "type";
  return keyword === "$ref" || SUBSCHEMAS.has(keyword) || PLAIN.has(keyword);
}

/** A pattern that no validator can compile would break every call instead of guarding it. */
export function isPattern(value: Json): boolean {
  if (typeof value !== "string") return false;
  try {
    return new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function isType(value: Json): boolean {
  if (!Array.isArray(value)) return TYPES.has(value);
  return value.length > 0 && value.every((one) => TYPES.has(one));
}

function isText(value: Json): boolean {
  return typeof value === "string";
}

function isNumber(value: Json): boolean {
  return typeof value === "number" && Number.isFinite(value);
}

function isPositive(value: Json): boolean {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

function isNumberOrBoolean(value: Json): boolean {
  return isBoolean(value) || isNumber(value);
}

function isCount(value: Json): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isBoolean(value: Json): boolean {
  return typeof value === "boolean";
}

function isNames(value: Json): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isAnything(): boolean {
  return true;
}
