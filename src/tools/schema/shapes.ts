import { isJsonObject, type Json } from "../../domain/json.ts";

/** Where the subschemas of a keyword's value are. */
export type Holding = "schema" | "schemas" | "schema map" | "schema or schemas" | "dependencies";

type Shape =
  | Holding
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

const KEYWORDS: Readonly<Record<Shape, readonly string[]>> = {
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

const SHAPES = new Map<string, Shape>();
for (const shape of Object.keys(KEYWORDS)) {
  if (!isShape(shape)) continue;
  for (const keyword of KEYWORDS[shape]) SHAPES.set(keyword, shape);
}

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

// Keywords whose value is compared or shown, never applied as a schema.
const DATA = new Set(["const", "default", "enum"]);

export function isData(keyword: string): boolean {
  return DATA.has(keyword);
}

/** What a keyword's value must be ("a non-negative integer") when it is not that, else null. */
export function shapeFault(keyword: string, value: Json): string | null {
  const shape = SHAPES.get(keyword);
  if (shape === undefined) return null;
  const [isRight, wanted] = judge(shape, value);
  return isRight ? null : wanted;
}

/** Where a keyword holds subschemas; null when it holds none. */
export function holdingOf(keyword: string): Holding | null {
  const shape = SHAPES.get(keyword);
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

function judge(shape: Shape, value: Json): [boolean, string] {
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

function isShape(name: string): name is Shape {
  return Object.hasOwn(KEYWORDS, name);
}
