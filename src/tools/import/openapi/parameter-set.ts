import type { Parameter, ParameterType } from "../../model/capability.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import { PARAMETERS_BYTES_MAX, PARAMETERS_MAX } from "../../limits.ts";
import type { SchemaBundler } from "./bundle-schema.ts";
import { createNamePicker, formatDescription } from "../tool-draft.ts";

const PARAMETER_TYPE_BY_SCHEMA_TYPE: Readonly<Record<string, ParameterType>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  array: "array",
  object: "object",
};

/** Keywords that apply to only one type, in order of precedence. */
const TYPE_REVEALING_KEYWORDS: readonly (readonly [string, ParameterType])[] = [
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

/** The first type other than null that a self-contained schema allows; null if the type is unknown. */
export function inferParameterType(schema: JsonObject): ParameterType | null {
  const definitions = isJsonObject(schema["$defs"]) ? schema["$defs"] : {};
  return inferType(schema, definitions, new Set(), 0);
}

/** Reads each definition only once (`seen`), because following cycles would multiply the work. */
function inferType(
  schema: Json,
  definitions: JsonObject,
  seen: Set<string>,
  depth: number,
): ParameterType | null {
  if (!isJsonObject(schema) || depth > DEPTH_MAX) return null;
  const { type, $ref: reference } = schema;
  for (const one of Array.isArray(type) ? type : [type]) {
    const known = typeof one === "string" ? PARAMETER_TYPE_BY_SCHEMA_TYPE[one] : undefined;
    if (known !== undefined) return known;
  }
  if (typeof reference === "string") {
    const name = reference.slice("#/$defs/".length);
    const target = seen.has(name) ? null : (definitions[name] ?? null);
    seen.add(name);
    const found = inferType(target, definitions, seen, depth + 1);
    if (found !== null) return found;
  }
  for (const keyword of ALTERNATIVES) {
    const members = schema[keyword];
    if (!Array.isArray(members)) continue;
    for (const member of members) {
      const found = inferType(member, definitions, seen, depth + 1);
      if (found !== null) return found;
    }
  }
  const revealing = TYPE_REVEALING_KEYWORDS.find(([keyword]) => schema[keyword] !== undefined);
  return revealing?.[1] ?? inferTypeOfExample(schema);
}

function inferTypeOfExample({
  enum: values,
  const: constant,
  default: usual,
}: JsonObject): ParameterType | null {
  const examples = [...(Array.isArray(values) ? values : []), constant, usual];
  const example = examples.find((one) => one !== undefined && one !== null);
  if (example === undefined) return null;
  if (Array.isArray(example)) return "array";
  return PARAMETER_TYPE_BY_SCHEMA_TYPE[typeof example] ?? null;
}

/** A parameter without its final, unique name. */
interface ParameterCandidate {
  readonly name: string;
  /** The name to use if `name` is taken. If it is also taken, a number is appended. */
  readonly otherwise: string;
  readonly required: boolean;
  readonly description: string;
  readonly deprecated: boolean;
  readonly schema: Json;
  /** The type to use if the schema does not state one. */
  readonly usualType: ParameterType;
}

export interface ParameterSet {
  /** Adds a parameter and returns its final name; null if the set is full or the parameter is too large. */
  add(wanted: ParameterCandidate): string | null;
  has(name: string): boolean;
  /** The total size that parameters with these schemas would have; null if they would not fit. */
  sizeOf(wanted: readonly Json[]): number | null;
  list(): readonly Parameter[];
}

export function createParameterSet(
  schemas: SchemaBundler,
  before: readonly Parameter[],
): ParameterSet {
  const parameters = new Map(before.map((parameter) => [parameter.name, parameter]));
  let characters = JSON.stringify(before).length;
  const pickName = createNamePicker((name) => parameters.has(name));

  return {
    add(wanted) {
      if (parameters.size >= PARAMETERS_MAX) return null;
      const whole = schemas.bundle(wanted.schema, PARAMETERS_BYTES_MAX - characters);
      if (whole === null) return null;
      const { description: ofSchema, ...schema } = whole;
      const text = wanted.description || (typeof ofSchema === "string" ? ofSchema : "");
      const description = formatDescription(
        text,
        wanted.deprecated || schema["deprecated"] === true,
      );
      const name = parameters.has(wanted.name) ? pickName(wanted.otherwise) : wanted.name;
      const parameter: Parameter = {
        name,
        type: inferParameterType(schema) ?? wanted.usualType,
        required: wanted.required,
        ...(description === "" ? {} : { description }),
        schema,
      };
      characters += JSON.stringify(parameter).length;
      if (characters > PARAMETERS_BYTES_MAX) return null;
      parameters.set(name, parameter);
      return name;
    },
    has: (name) => parameters.has(name),
    sizeOf(wanted) {
      if (parameters.size + wanted.length > PARAMETERS_MAX) return null;
      let size = 0;
      for (const schema of wanted) {
        const more = schemas.sizeOf(schema, PARAMETERS_BYTES_MAX - characters - size);
        if (more === null) return null;
        size += more;
      }
      return size;
    },
    list: () => [...parameters.values()],
  };
}

export function readTextField(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}
