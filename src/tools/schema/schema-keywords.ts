import { isJsonObject, type Json } from "../../kernel/json.ts";

/** Descriptions of the formats of JSON Schema. */
const FORMATS = new Map([
  ["date", "a date such as 2026-01-31"],
  ["date-time", "a date and time such as 2026-01-31T12:00:00Z"],
  ["duration", "a duration such as PT1H30M"],
  ["email", "an e-mail address"],
  ["hostname", "a host name"],
  ["ipv4", "an IPv4 address"],
  ["ipv6", "an IPv6 address"],
  ["json-pointer", "a JSON Pointer such as /a/0"],
  ["regex", "a regular expression"],
  ["relative-json-pointer", "a relative JSON Pointer such as 1/a"],
  ["time", "a time such as 12:00:00Z"],
  ["uri", "a URI such as https://example.com/"],
  ["uri-reference", "a URI or a reference such as /a?b=c"],
  ["uri-template", "a URI template such as /a/{b}"],
  ["uuid", "a UUID"],
]);

/** Whether JSON Schema defines the format. */
export function isKnownFormat(format: string): boolean {
  return FORMATS.has(format);
}

export function describeFormat(format: string): string {
  return FORMATS.get(format) ?? `of the format ${format}`;
}

/** Where the subschemas of a keyword's value are. */
type SubschemaPosition = "schema" | "schemas" | "schema map" | "schema or schemas" | "dependencies";

type KeywordShape =
  | SubschemaPosition
  | "text"
  | "texts"
  | "texts map"
  | "count"
  | "number"
  | "positive number"
  | "number or boolean"
  | "boolean"
  | "array"
  | "type";

const KEYWORDS_BY_SHAPE: Readonly<Record<KeywordShape, readonly string[]>> = {
  schema: [
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "additionalProperties",
    "additionalItems",
    "unevaluatedProperties",
    "unevaluatedItems",
  ],
  schemas: ["allOf", "anyOf", "oneOf", "prefixItems"],
  "schema map": ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
  "schema or schemas": ["items"],
  dependencies: ["dependencies"],
  text: ["$id", "$ref", "$anchor", "$schema", "pattern", "format"],
  texts: ["required"],
  "texts map": ["dependentRequired"],
  count: [
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minContains",
    "maxContains",
  ],
  number: ["minimum", "maximum"],
  "positive number": ["multipleOf"],
  "number or boolean": ["exclusiveMinimum", "exclusiveMaximum"],
  boolean: ["uniqueItems", "$recursiveAnchor"],
  array: ["enum"],
  type: ["type"],
};

const SHAPE_BY_KEYWORD = new Map<string, KeywordShape>();
for (const shape of Object.keys(KEYWORDS_BY_SHAPE)) {
  if (!isShape(shape)) continue;
  for (const keyword of KEYWORDS_BY_SHAPE[shape]) SHAPE_BY_KEYWORD.set(keyword, shape);
}

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

// Keywords whose value is compared or shown, never applied as a schema.
const DATA_KEYWORDS = new Set(["const", "default", "enum"]);

export function isDataKeyword(keyword: string): boolean {
  return DATA_KEYWORDS.has(keyword);
}

/** What the value of a keyword must be ("an integer from 0") if it is not; otherwise null. */
export function checkKeywordValue(keyword: string, value: Json): string | null {
  const shape = SHAPE_BY_KEYWORD.get(keyword);
  if (shape === undefined) return null;
  const [isRight, wanted] = checkShape(shape, value);
  return isRight ? null : wanted;
}

/** Where a keyword has subschemas; null if it has none. */
export function subschemaPositionOf(keyword: string): SubschemaPosition | null {
  const shape = SHAPE_BY_KEYWORD.get(keyword);
  switch (shape) {
    case "schema":
    case "schemas":
    case "schema map":
    case "schema or schemas":
    case "dependencies":
      return shape;
    default:
      return null;
  }
}

function checkShape(shape: KeywordShape, value: Json): [boolean, string] {
  switch (shape) {
    case "schema":
      return [isSchema(value), "a schema (an object or a boolean)"];
    case "schemas":
      return [Array.isArray(value) && value.every(isSchema), "an array of schemas"];
    case "schema map":
      return [isMapOf(value, isSchema), "an object of schemas"];
    case "schema or schemas":
      return [
        isSchema(value) || (Array.isArray(value) && value.every(isSchema)),
        "a schema or an array of schemas",
      ];
    case "dependencies":
      return [
        isMapOf(value, (item) => isSchema(item) || areTexts(item)),
        "an object of schemas or arrays of property names",
      ];
    case "text":
      return [typeof value === "string", "a string"];
    case "texts":
      return [areTexts(value), "an array of strings"];
    case "texts map":
      return [isMapOf(value, areTexts), "an object of arrays of strings"];
    case "count":
      return [
        typeof value === "number" && Number.isInteger(value) && value >= 0,
        "an integer from 0",
      ];
    case "number":
      return [typeof value === "number", "a number"];
    case "positive number":
      return [typeof value === "number" && value > 0, "a number above 0"];
    case "number or boolean":
      return [typeof value === "number" || typeof value === "boolean", "a number"];
    case "boolean":
      return [typeof value === "boolean", "a boolean"];
    case "array":
      return [Array.isArray(value), "an array"];
    case "type":
      return [
        (Array.isArray(value) ? value : [value]).every((word) =>
          TYPES.some((type) => type === word),
        ),
        `one or an array of ${TYPES.join(", ")}`,
      ];
  }
}

function isSchema(value: Json): boolean {
  return isJsonObject(value) || typeof value === "boolean";
}

function areTexts(value: Json): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isMapOf(value: Json, isItem: (item: Json) => boolean): boolean {
  return isJsonObject(value) && Object.values(value).every(isItem);
}

function isShape(name: string): name is KeywordShape {
  return Object.hasOwn(KEYWORDS_BY_SHAPE, name);
}
