import { isJsonObject, type Json } from "../../kernel/json.ts";

/** Descriptions of the formats that values are checked against. */
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

/** Whether values are checked against the format. */
export function isKnownFormat(format: string): boolean {
  return FORMATS.has(format);
}

export function describeFormat(format: string): string {
  return FORMATS.get(format) ?? `in the format ${format}`;
}

/** Where subschemas are located in a keyword's value. */
type SubschemaPosition = "schema" | "schemas" | "schema map" | "schema or schemas" | "dependencies";

/** The required form of a keyword's value. */
interface KeywordShape {
  readonly position?: SubschemaPosition;
  /** What the value must be, and a function that checks it. */
  readonly wanted: string;
  readonly fits: (value: Json) => boolean;
  readonly keywords: string;
}

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

const KEYWORD_SHAPES: readonly KeywordShape[] = [
  {
    position: "schema",
    wanted: "a schema (an object or a boolean)",
    fits: isSchema,
    keywords:
      "not if then else contains propertyNames additionalProperties additionalItems unevaluatedProperties unevaluatedItems",
  },
  {
    position: "schemas",
    wanted: "an array of schemas",
    fits: areSchemas,
    keywords: "allOf anyOf oneOf prefixItems",
  },
  {
    position: "schema map",
    wanted: "an object whose values are schemas",
    fits: (value) => isMapOf(value, isSchema),
    keywords: "properties patternProperties $defs definitions dependentSchemas",
  },
  {
    position: "schema or schemas",
    wanted: "a schema or an array of schemas",
    fits: (value) => isSchema(value) || areSchemas(value),
    keywords: "items",
  },
  {
    position: "dependencies",
    wanted: "an object whose values are schemas or arrays of property names",
    fits: (value) => isMapOf(value, (item) => isSchema(item) || areTexts(item)),
    keywords: "dependencies",
  },
  {
    wanted: "a string",
    fits: (value) => typeof value === "string",
    keywords: "$id $ref $anchor $schema pattern format",
  },
  { wanted: "an array of strings", fits: areTexts, keywords: "required" },
  {
    wanted: "an object whose values are arrays of strings",
    fits: (value) => isMapOf(value, areTexts),
    keywords: "dependentRequired",
  },
  {
    wanted: "a non-negative integer",
    fits: (value) => Number.isInteger(value) && Number(value) >= 0,
    keywords:
      "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
  },
  { wanted: "a number", fits: (value) => typeof value === "number", keywords: "minimum maximum" },
  {
    wanted: "a number above 0",
    fits: (value) => typeof value === "number" && value > 0,
    keywords: "multipleOf",
  },
  {
    wanted: "a number",
    fits: (value) => typeof value === "number" || typeof value === "boolean",
    keywords: "exclusiveMinimum exclusiveMaximum",
  },
  {
    wanted: "a boolean",
    fits: (value) => typeof value === "boolean",
    keywords: "uniqueItems $recursiveAnchor",
  },
  { wanted: "an array", fits: Array.isArray, keywords: "enum" },
  {
    wanted: `one of ${TYPES.join(", ")}, or an array of them`,
    fits: (value) =>
      (Array.isArray(value) ? value : [value]).every((word) => TYPES.some((type) => type === word)),
    keywords: "type",
  },
];

const SHAPE_BY_KEYWORD = new Map(
  KEYWORD_SHAPES.flatMap((shape) =>
    shape.keywords.split(" ").map((keyword) => [keyword, shape] as const),
  ),
);

// Keywords whose values are compared or displayed, but never applied as schemas.
const DATA_KEYWORDS = new Set(["const", "default", "enum"]);

export function isDataKeyword(keyword: string): boolean {
  return DATA_KEYWORDS.has(keyword);
}

/** Whether the required form of the keyword's value is known. */
export function isKnownKeyword(keyword: string): boolean {
  return SHAPE_BY_KEYWORD.has(keyword);
}

/** What an invalid keyword value must be, such as "a non-negative integer"; null if the value is valid. */
export function checkKeywordValue(keyword: string, value: Json): string | null {
  const shape = SHAPE_BY_KEYWORD.get(keyword);
  return shape === undefined || shape.fits(value) ? null : shape.wanted;
}

/** Where subschemas are located in a keyword's value; null if it has none. */
export function subschemaPositionOf(keyword: string): SubschemaPosition | null {
  return SHAPE_BY_KEYWORD.get(keyword)?.position ?? null;
}

/** Returns a keyword's value with `change` applied to each of its subschemas. */
export function mapSubschemas(keyword: string, value: Json, change: (schema: Json) => Json): Json {
  switch (subschemaPositionOf(keyword)) {
    case "schema":
    case "schemas":
    case "schema or schemas":
      return Array.isArray(value) ? value.map(change) : change(value);
    case "schema map":
    case "dependencies":
      if (!isJsonObject(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, change(one)]));
    case null:
      return value;
  }
}

function isSchema(value: Json): boolean {
  return isJsonObject(value) || typeof value === "boolean";
}

function areSchemas(value: Json): boolean {
  return Array.isArray(value) && value.every(isSchema);
}

function areTexts(value: Json): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isMapOf(value: Json, isItem: (item: Json) => boolean): boolean {
  return isJsonObject(value) && Object.values(value).every(isItem);
}
