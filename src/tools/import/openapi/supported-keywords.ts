import type { Json, JsonObject } from "../../../kernel/json.ts";
import { PROBLEM_PATH_CHARACTERS_MAX } from "../../../kernel/limits.ts";
import { preview } from "../../../kernel/problem.ts";
import type { CopyAllowance } from "./import-cost.ts";
import { type ImportNotes, trimToLength } from "../tool-draft.ts";

/** What stands behind a keyword of JSON Schema 2020-12, or of OpenAPI 3.0 before it is upgraded. */
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

/** Keywords whose schemas judge the same value as the schema that they stand in. */
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

/** Keywords that describe without judging. */
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

/** Keywords without schemas inside, each with what its value must be; a value that is not is dropped. */
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

/** The kind of a keyword; null for what only OpenAPI knows, vendors add, or is malformed. */
export function keywordKindOf(keyword: string, value: Json): KeywordKind | null {
  const kind = SUBSCHEMA_KEYWORDS.get(keyword);
  if (kind !== undefined) return kind;
  return PLAIN_KEYWORDS.get(keyword)?.(value) === true ? "plain" : null;
}

/**
 * Whether a keyword that cannot be kept as it stands was meant to have force. Generators write null
 * for what is absent; only as a type it is a slip, for "null".
 */
function isMalformedKeyword(keyword: string, value: Json): boolean {
  if (value === null) return keyword === "type";
  return keyword === "$ref" || SUBSCHEMA_KEYWORDS.has(keyword) || PLAIN_KEYWORDS.has(keyword);
}

/** A pattern that no validator can compile would break every call instead of guarding it. */
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

/** Notes that keywords of schemas have no effect since their values are malformed. */
interface MalformedKeywordNotes {
  /** A keyword that is left out of the copy; nothing is said of those that JSON Schema does not know. */
  keyword(schema: JsonObject, keyword: string, value: Json, where: string): void;
  /** A key of `patternProperties` that is no regular expression. */
  pattern(schema: JsonObject, source: string, where: string): void;
}

/** What is shown is paid for out of `allowance`, as values can be as large as the document. */
export function createMalformedKeywordNotes(
  notes: ImportNotes,
  allowance: CopyAllowance,
): MalformedKeywordNotes {
  /** By schema, as many operations can share one by reference. */
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
