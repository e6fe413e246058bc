import type { Parameter, ParameterType } from "../../../domain/capability.ts";
import type { Json, JsonObject } from "../../../domain/json.ts";
import { PARAMETERS_BYTES_MAX, PARAMETERS_MAX } from "../../../domain/limits.ts";
import { typeOfSchema } from "./parameter-type.ts";
import type { SchemaMaker } from "./self-contained.ts";
import { described } from "./text.ts";
import { weightOf, type Work } from "./work.ts";

/** A parameter before it has a name that no other parameter of its capability has. */
export interface Wanted {
  readonly name: string;
  /** Names to take instead, tried in order, when the name is taken. */
  readonly otherwise: string;
  readonly required: boolean;
  readonly description: string;
  readonly deprecated: boolean;
  readonly schema: Json;
  /** For a schema that does not tell its type. */
  readonly usualType: ParameterType;
}

/** The parameters of one capability as they come together. */
export interface ParameterSet {
  /** The name that the parameter has got; null when there is no room for it. */
  add(wanted: Wanted): string | null;
  has(name: string): boolean;
  /** How large a parameter for each of the schemas would be, all together; null when too large. */
  sizeOf(wanted: readonly Json[]): number | null;
  list(): readonly Parameter[];
}

export function parameterSet(
  schemas: SchemaMaker,
  before: readonly Parameter[],
  work: Work,
): ParameterSet {
  const parameters = new Map(before.map((parameter) => [parameter.name, parameter]));
  let characters = JSON.stringify(before).length;

  function freeName(name: string, otherwise: string): string {
    if (!parameters.has(name)) return name;
    let free = otherwise;
    for (let number = 2; parameters.has(free); number += 1) free = `${otherwise}-${number}`;
    return free;
  }

  return {
    add(wanted) {
      if (parameters.size >= PARAMETERS_MAX) return null;
      const whole = schemas.selfContained(wanted.schema, PARAMETERS_BYTES_MAX - characters);
      if (whole === null) return null;
      const { description: ofSchema, ...schema } = whole;
      const text = wanted.description || (typeof ofSchema === "string" ? ofSchema : "");
      const description = described(text, wanted.deprecated || schema["deprecated"] === true);
      const name = freeName(wanted.name, wanted.otherwise);
      const parameter: Parameter = {
        name,
        type: typeOfSchema(schema) ?? wanted.usualType,
        required: wanted.required,
        ...(description === "" ? {} : { description }),
        schema,
      };
      const written = JSON.stringify(parameter);
      work.bytes += weightOf(written);
      characters += written.length;
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

/** What a parameter object or a field has in common for a wanted parameter. */
export function textIn(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}
