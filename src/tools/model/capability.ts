import type { Json, JsonObject } from "../../kernel/json.ts";
import { PROBLEMS_REPORTED_MAX } from "../../kernel/limits.ts";
import { preview, type Problem } from "../../kernel/result.ts";

export const PARAMETER_TYPES = ["string", "number", "boolean", "array", "object"] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];

export interface Parameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly required: boolean;
  readonly description?: string | undefined;
  /** The value's self-contained JSON Schema (2020-12), if more than its type is known. */
  readonly schema?: JsonObject | undefined;
}

/** An operation that a tool offers. */
export interface Capability {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
}

/** A capability without its operation. */
export function toPublicCapability(capability: Capability): Capability {
  const { id, name, description, parameters } = capability;
  return { id, name, description, parameters };
}

/**
 * Finds problems with parameter values. The type is not checked for a parameter with a schema, which can allow null or
 * several types.
 */
export function checkParameters(capability: Capability, values: JsonObject): Problem[] {
  const known = new Map(capability.parameters.map((parameter) => [parameter.name, parameter]));
  const missing = capability.parameters
    .filter((parameter) => parameter.required && !Object.hasOwn(values, parameter.name))
    .map((parameter) => ({
      path: parameter.name,
      message: `is required: ${withArticle(parameter.type)}`,
    }));
  const names = formatNames(capability.parameters);
  const wrong: Problem[] = [];
  for (const [name, value] of Object.entries(values)) {
    // A body can have a hundred thousand unknown parameters, so report only some of them.
    if (wrong.length >= PROBLEMS_REPORTED_MAX) break;
    const parameter = known.get(name);
    if (parameter === undefined) {
      const message = `is not a parameter of ${capability.id}; it takes ${names}`;
      wrong.push({ path: name, message });
    } else if (parameter.schema === undefined) wrong.push(...checkParameterType(parameter, value));
  }
  return [...missing, ...wrong];
}

function formatNames(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return "none";
  const names = parameters.slice(0, NAMES_SHOWN_MAX).map(({ name }) => name);
  const more = parameters.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}

const NAMES_SHOWN_MAX = 20;

/** Returns a problem if a value does not have the parameter's type. */
export function checkParameterType({ name, type }: Parameter, value: Json): Problem[] {
  if (jsonTypeOf(value) === type) return [];
  return [{ path: name, message: `must be ${withArticle(type)}, got ${preview(value)}` }];
}

function jsonTypeOf(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function withArticle(type: ParameterType): string {
  return type === "array" || type === "object" ? `an ${type}` : `a ${type}`;
}
