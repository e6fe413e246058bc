import type { Json, JsonObject } from "../../../kernel/json.ts";
import { PROBLEM_PATH_CHARACTERS_MAX } from "../../../kernel/limits.ts";
import { preview } from "../../../kernel/result.ts";
import {
  checkKeywordValue,
  isKnownKeyword,
  subschemaPositionOf,
} from "../../schema/schema-keywords.ts";
import type { CopyAllowance } from "./import-cost.ts";
import { type ImportNotes, trimToLength } from "../tool-draft.ts";

/** The value of a keyword of JSON Schema 2020-12 or OpenAPI 3.0. */
type KeywordKind = "schema" | "schemas" | "named schemas" | "plain";

/** Keywords whose subschemas apply to the same value. */
export const IN_PLACE_APPLICATORS = new Set(
  "allOf anyOf oneOf not if then else dependentSchemas".split(" "),
);

/** Annotations, which do not validate. */
export const ANNOTATION_KEYWORDS = new Set(
  "title description default deprecated readOnly writeOnly".split(" "),
);

/** Keywords of JSON Schema that are not copied: those of references, and of other drafts. */
const OMITTED_KEYWORDS = new Set(
  "$id $ref $anchor $schema $defs $recursiveAnchor definitions dependencies dependentRequired additionalItems".split(
    " ",
  ),
);

/** Annotations, and keywords of OpenAPI 3.0, with the type of their values; null: any value. */
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

/** The kind of a keyword; null if it is not supported, or malformed. */
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
  // YAML and JSON can have numbers that are infinite here, and lengths that are not exact.
  if (typeof value === "number")
    return /^m(?:in|ax)[A-Z]/.test(keyword) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return keyword !== "type" || !Array.isArray(value) || value.length > 0;
}

/** Whether a dropped keyword was meant to have an effect. Generators write null for an absent value. */
function isMalformedKeyword(keyword: string, value: Json): boolean {
  if (value === null) return keyword === "type";
  return keyword === "$ref" || isSupportedKeyword(keyword);
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
  const noted = new WeakMap<JsonObject, Set<string>>();

  function note(schema: JsonObject, key: string, reason: string, value: Json, where: string): void {
    const keys = noted.get(schema) ?? new Set();
    if (keys.has(key) || !allowance.spendOnAll(value)) return;
    noted.set(schema, keys.add(key));
    notes.add(reason, `${preview(value)} in ${trimToLength(where, PROBLEM_PATH_CHARACTERS_MAX)}`);
  }

  function pattern(schema: JsonObject, source: Json, key: string, where: string): void {
    const reason =
      "The pattern is not checked, as it is no regular expression of ECMAScript (with the flag u)";
    note(schema, key, reason, source, where);
  }

  return {
    keyword(schema, keyword, value, where) {
      if (!isMalformedKeyword(keyword, value)) return;
      if (keyword === "pattern") {
        pattern(schema, value, keyword, where);
        return;
      }
      const reason = `Left out the keyword ${keyword}, whose value is malformed`;
      note(schema, keyword, reason, value, where);
    },
    pattern: (schema, source, where) => pattern(schema, source, `.${source}`, where),
  };
}
