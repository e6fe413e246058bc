import type { Operation, Parameter, Schema } from "./operations.ts";
import type { Sent } from "./send-request.ts";

/**
 * Lists the query parameters and headers of a successful request that the document does not allow.
 */
export function findUndocumentedParameters(
  operation: Operation,
  { target, headers }: Sent,
): string[] {
  const query = new URL(`https://bosun.test${target}`).searchParams;
  return operation.parameters.flatMap((parameter) => {
    const given = valuesOf(parameter, query, headers);
    // A request with a valid key may contain any values for these, because the service ignores the
    // link's signature.
    if (["expires", "signature"].includes(parameter.name)) return [];
    // The document describes a parameter that can be repeated as an array.
    const isList = parameter.schema.type === "array";
    if (given.length > 1 && !isList) return [`accepted ${parameter.name} twice`];
    const schema = isList ? (parameter.schema.items ?? {}) : parameter.schema;
    return given
      .filter((value) => !fits(schema, value))
      .map((value) => `accepted ${JSON.stringify(value.slice(0, 100))} for ${parameter.name}`);
  });
}

function valuesOf(
  { in: place, name }: Parameter,
  query: URLSearchParams,
  headers: Sent["headers"],
): string[] {
  if (place === "query") return query.getAll(name);
  const value = place === "header" ? headers[name] : undefined;
  return value === undefined ? [] : [value.trim()];
}

function fits(schema: Schema, value: string): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => fits(one, value));
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (schema.type === "integer") {
    const number = Number(value);
    const { minimum = number, maximum = number } = schema;
    return /^(?:0|[1-9]\d*)$/.test(value) && number >= minimum && number <= maximum;
  }
  const { length } = Array.from(value);
  const { minLength = 0, maxLength = length, pattern = "", format } = schema;
  if (format?.startsWith("date") === true && Number.isNaN(Date.parse(value))) return false;
  return length >= minLength && length <= maxLength && new RegExp(pattern).test(value);
}
