import type { Json, JsonObject } from "../../../kernel/json.ts";
import { PROBLEM_PATH_CHARACTERS_MAX } from "../../../kernel/limits.ts";
import { preview } from "../../../kernel/problem.ts";
import type { CopyAllowance } from "./import-cost.ts";
import { type ImportNotes, trimToLength } from "../tool-draft.ts";

/** The value of a keyword of JSON Schema 2020-12 or OpenAPI 3.0. */
type KeywordKind = "schema" | "schemas" | "named schemas" | "plain";

const TYPES: ReadonlySet<Json> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
  "null",
]);

/** Keywords whose subschemas apply to the same value. */
export const IN_PLACE_APPLICATORS: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
]);

/** Annotations, which do not validate. */
export const ANNOTATION_KEYWORDS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

const SUBSCHEMA_KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map([
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

/** Keywords without subschemas, each with a check of its value; an invalid value is dropped. */
const PLAIN_KEYWORDS: ReadonlyMap<string, (value: Json) => boolean> = new Map([
  ["type", isType],
  ["title", isText],
  ["description", isText],
  ["format", isText],
  ["pattern", isEcmaScriptPattern],
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

/** The kind of a keyword; null if it is not of JSON Schema, or malformed. */
export function keywordKindOf(keyword: string, value: Json): KeywordKind | null {
  const kind = SUBSCHEMA_KEYWORDS.get(keyword);
  if (kind !== undefined) return kind;
  return PLAIN_KEYWORDS.get(keyword)?.(value) === true ? "plain" : null;
}

/**
 * Whether a dropped keyword was meant to have an effect. Generators write null for an absent value; only as a type
 * it is a mistake for "null".
 */
function isMalformedKeyword(keyword: string, value: Json): boolean {
  if (value === null) return keyword === "type";
  return keyword === "$ref" || SUBSCHEMA_KEYWORDS.has(keyword) || PLAIN_KEYWORDS.has(keyword);
}

/** A pattern that does not compile would fail every call. */
export function isEcmaScriptPattern(value: Json): boolean {
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

/** Notes keywords that have no effect because their values are malformed. */
interface MalformedKeywordNotes {
  /** A keyword that is omitted from the copy; unknown keywords are not noted. */
  keyword(schema: JsonObject, keyword: string, value: Json, where: string): void;
  /** A key of `patternProperties` that is not a regular expression. */
  pattern(schema: JsonObject, source: string, where: string): void;
}

/** Reported values are charged to `allowance`, because they can be as large as the document. */
export function createMalformedKeywordNotes(
  notes: ImportNotes,
  allowance: CopyAllowance,
): MalformedKeywordNotes {
  /** Per schema, because many operations can share one by reference. */
  const told = new WeakMap<JsonObject, Set<string>>();

  function tell(schema: JsonObject, key: string, reason: string, value: Json, where: string): void {
    const keys = told.get(schema) ?? new Set();
    if (keys.has(key) || !allowance.spendOnAll(value)) return;
    told.set(schema, keys.add(key));
    notes.add(reason, `${preview(value)} in ${trimToLength(where, PROBLEM_PATH_CHARACTERS_MAX)}`);
  }

  function pattern(schema: JsonObject, source: Json, key: string, where: string): void {
    const reason =
      "The pattern is not checked, as it is no regular expression of ECMAScript (with the flag u)";
    tell(schema, key, reason, source, where);
  }

  return {
    keyword(schema, keyword, value, where) {
      if (!isMalformedKeyword(keyword, value)) return;
      if (keyword === "pattern") {
        pattern(schema, value, keyword, where);
        return;
      }
      const reason = `Left out the keyword ${keyword}, whose value is malformed`;
      tell(schema, keyword, reason, value, where);
    },
    pattern: (schema, source, where) => pattern(schema, source, `.${source}`, where),
  };
}
