import type { Json } from "../../../kernel/json.ts";
import { PROBLEM_PATH_CHARACTERS_MAX } from "../../../kernel/limits.ts";
import { preview } from "../../../kernel/result.ts";
import {
  checkKeywordValue,
  isKnownKeyword,
  subschemaPositionOf,
} from "../../schema/schema-keywords.ts";
import { type ImportNotes, trimToLength } from "../tool-draft.ts";

/** The kind of value that a JSON Schema 2020-12 or OpenAPI 3.0 keyword takes. */
type KeywordKind = "schema" | "schemas" | "named schemas" | "plain";

/** Keywords whose subschemas apply to the same value. */
export const IN_PLACE_APPLICATORS = new Set(
  "allOf anyOf oneOf not if then else dependentSchemas".split(" "),
);

/** Annotations, which do not affect validation. */
export const ANNOTATION_KEYWORDS = new Set(
  "title description default deprecated readOnly writeOnly".split(" "),
);

/**
 * JSON Schema keywords that are not copied as they are: those for references, those from other drafts, and
 * `dependentRequired`.
 */
const OMITTED_KEYWORDS = new Set(
  "$id $ref $anchor $schema $defs $recursiveAnchor definitions dependencies dependentRequired additionalItems".split(
    " ",
  ),
);

/** The value types of the supported keywords that `checkKeywordValue` does not check; null means any type. */
const ANNOTATION_TYPES: ReadonlyMap<string, "string" | "boolean" | null> = new Map([
  ["title", "string"],
  ["description", "string"],
  ["contentEncoding", "string"],
  ["contentMediaType", "string"],
  ["nullable", "boolean"],
  ["deprecated", "boolean"],
  ["readOnly", "boolean"],
  ["writeOnly", "boolean"],
  ["const", null],
  ["default", null],
]);

/** The kind of a keyword's value; null if the keyword is unsupported or its plain value is malformed. */
export function keywordKindOf(keyword: string, value: Json): KeywordKind | null {
  if (!isSupportedKeyword(keyword)) return null;
  if (keyword === "contentSchema") return "schema";
  switch (subschemaPositionOf(keyword)) {
    case "schema":
    case "schema or schemas":
      return "schema";
    case "schemas":
      return "schemas";
    case "schema map":
      return "named schemas";
    case "dependencies":
    case null:
      return isWellFormed(keyword, value) ? "plain" : null;
  }
}

function isSupportedKeyword(keyword: string): boolean {
  if (keyword === "contentSchema" || ANNOTATION_TYPES.has(keyword)) return true;
  return isKnownKeyword(keyword) && !OMITTED_KEYWORDS.has(keyword);
}

function isWellFormed(keyword: string, value: Json): boolean {
  const type = ANNOTATION_TYPES.get(keyword);
  if (type !== undefined) return type === null || typeof value === type;
  if (checkKeywordValue(keyword, value) !== null) return false;
  if (keyword === "pattern") return isEcmaScriptPattern(value);
  // A parsed number can be infinite, and a length can be too large to be exact.
  if (typeof value === "number")
    return /^m(?:in|ax)[A-Z]/.test(keyword) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return keyword !== "type" || !Array.isArray(value) || value.length > 0;
}

/** Whether a dropped keyword was meant to have an effect. Generators write null for a missing value. */
function isMalformedKeyword(keyword: string, value: Json): boolean {
  if (value === null) return keyword === "type";
  return keyword === "$ref" || isSupportedKeyword(keyword);
}

/** Whether a pattern compiles. A pattern that does not compile would make the parameter's whole schema unusable. */
export function isEcmaScriptPattern(value: Json): boolean {
  if (typeof value !== "string") return false;
  try {
    return new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/** Adds a note about a keyword that has no effect because its value is malformed. Unknown keywords are not noted. */
export function noteMalformedKeyword(
  notes: ImportNotes,
  keyword: string,
  value: Json,
  where: string,
): void {
  if (keyword === "pattern" && value !== null) noteMalformedPattern(notes, value, where);
  else if (isMalformedKeyword(keyword, value)) {
    noteValue(notes, `Omitted the keyword ${keyword}, whose value is malformed`, value, where);
  }
}

export function noteMalformedPattern(notes: ImportNotes, source: Json, where: string): void {
  const reason =
    "The pattern is not checked, because it is not a valid ECMAScript regular expression (with the u flag)";
  noteValue(notes, reason, source, where);
}

function noteValue(notes: ImportNotes, reason: string, value: Json, where: string): void {
  notes.add(reason, `${preview(value)} in ${trimToLength(where, PROBLEM_PATH_CHARACTERS_MAX)}`);
}
