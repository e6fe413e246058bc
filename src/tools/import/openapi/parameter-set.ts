import type { Parameter, ParameterType } from "../../../domain/capability.ts";
import type { Json, JsonObject } from "../../../domain/json.ts";
import { PARAMETERS_BYTES_MAX, PARAMETERS_MAX } from "../../../domain/limits.ts";
import { typeOfSchema } from "./parameter-type.ts";
import type { SchemaMaker } from "./self-contained.ts";
import { cut, DESCRIPTION_CHARACTERS_MAX } from "./text.ts";

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
  list(): readonly Parameter[];
}

/** What an import has written so far, of use or not; in bytes of memory, roughly. */
export interface Work {
  bytes: number;
}

/** An object or a field with hardly a character in it takes about this much. */
const ENTRY_BYTES = 50;

export function parameterSet(
  make: SchemaMaker,
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
      const room = PARAMETERS_BYTES_MAX - characters;
      const whole = make(wanted.schema, room);
      if (whole === null) {
        // It was read that far, and the next operation can ask for the same.
        work.bytes += room;
        return null;
      }
      const { description: ofSchema, ...schema } = whole;
      const text = wanted.description || (typeof ofSchema === "string" ? ofSchema : "");
      const deprecated = wanted.deprecated || schema["deprecated"] === true ? "Deprecated. " : "";
      const description = cut(`${deprecated}${text}`.trim(), DESCRIPTION_CHARACTERS_MAX);
      const name = freeName(wanted.name, wanted.otherwise);
      const parameter: Parameter = {
        name,
        type: typeOfSchema(schema) ?? wanted.usualType,
        required: wanted.required,
        ...(description === "" ? {} : { description }),
        schema,
      };
      const written = JSON.stringify(parameter);
      work.bytes += weight(written);
      characters += written.length;
      if (characters > PARAMETERS_BYTES_MAX) return null;
      parameters.set(name, parameter);
      return name;
    },
    has: (name) => parameters.has(name),
    list: () => [...parameters.values()],
  };
}

function weight(json: string): number {
  let entries = 0;
  for (const character of json) if (character === "{" || character === ":") entries += 1;
  return json.length + ENTRY_BYTES * entries;
}

/** What a parameter object or a field has in common for a wanted parameter. */
export function textIn(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}
