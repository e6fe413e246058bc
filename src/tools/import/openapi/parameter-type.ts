import type { ParameterType } from "../../../domain/capability.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";

const TYPES: Readonly<Record<string, ParameterType>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  array: "array",
  object: "object",
};

/** Keywords that judge only values of one type, in the order in which they are asked. */
const TELLING: readonly (readonly [string, ParameterType])[] = [
  ["properties", "object"],
  ["additionalProperties", "object"],
  ["patternProperties", "object"],
  ["items", "array"],
  ["prefixItems", "array"],
  ["pattern", "string"],
  ["format", "string"],
  ["minLength", "string"],
  ["maxLength", "string"],
  ["minimum", "number"],
  ["maximum", "number"],
];

const ALTERNATIVES = ["allOf", "anyOf", "oneOf"] as const;
const DEPTH_MAX = 20;

/**
 * The type that a self-contained schema asks for; of several the first that is not null. Null when
 * it does not tell.
 */
export function typeOfSchema(schema: JsonObject): ParameterType | null {
  const definitions = isJsonObject(schema["$defs"]) ? schema["$defs"] : {};
  return typeOf(schema, definitions, new Set(), 0);
}

/** `seen`: each definition is asked once, as those that refer to each other make ever more ways. */
function typeOf(
  schema: Json,
  definitions: JsonObject,
  seen: Set<string>,
  depth: number,
): ParameterType | null {
  if (!isJsonObject(schema) || depth > DEPTH_MAX) return null;
  const { type, $ref: reference } = schema;
  for (const one of Array.isArray(type) ? type : [type]) {
    const known = typeof one === "string" ? TYPES[one] : undefined;
    if (known !== undefined) return known;
  }
  if (typeof reference === "string") {
    const name = reference.slice("#/$defs/".length);
    const target = seen.has(name) ? null : (definitions[name] ?? null);
    seen.add(name);
    const found = typeOf(target, definitions, seen, depth + 1);
    if (found !== null) return found;
  }
  for (const keyword of ALTERNATIVES) {
    const members = schema[keyword];
    if (!Array.isArray(members)) continue;
    for (const member of members) {
      const found = typeOf(member, definitions, seen, depth + 1);
      if (found !== null) return found;
    }
  }
  const told = TELLING.find(([keyword]) => schema[keyword] !== undefined);
  return told?.[1] ?? typeOfExample(schema);
}

function typeOfExample({
  enum: values,
  const: constant,
  default: usual,
}: JsonObject): ParameterType | null {
  const examples = [...(Array.isArray(values) ? values : []), constant, usual];
  const example = examples.find((one) => one !== undefined && one !== null);
  if (example === undefined) return null;
  if (Array.isArray(example)) return "array";
  return TYPES[typeof example] ?? null;
}
