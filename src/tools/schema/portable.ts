import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { isKnownFormat } from "./explain/formats.ts";
import { holdingOf } from "./shapes.ts";

/**
 * A schema that generators of types and strict validators accept: required properties come before
 * optional ones, and a format outside JSON Schema is named in the description. It accepts the same values.
 */
export function portable(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => [
    keyword,
    within(keyword, value),
  ]);
  return requiredFirst(withKnownFormat(Object.fromEntries(entries)));
}

function within(keyword: string, value: Json): Json {
  switch (holdingOf(keyword)) {
    case "schema":
    case "schemas":
    case "schema or schemas":
      return Array.isArray(value) ? value.map(portableIfObject) : portableIfObject(value);
    case "schema map":
    case "dependencies":
      if (!isJsonObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, portableIfObject(one)]),
      );
    case null:
      return value;
  }
}

/** Booleans are schemas as well, and dependencies may be lists of names. */
function portableIfObject(value: Json): Json {
  return isJsonObject(value) ? portable(value) : value;
}

/** A function's parameters are generated in this order, and an optional one before a required one is an error. */
function requiredFirst(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!isJsonObject(properties) || !Array.isArray(required)) return schema;
  const isRequired = new Set<Json>(required);
  const entries = Object.entries(properties);
  const ordered = [
    ...entries.filter(([name]) => isRequired.has(name)),
    ...entries.filter(([name]) => !isRequired.has(name)),
  ];
  return { ...schema, properties: Object.fromEntries(ordered) };
}

/** Strict validators reject a schema with a format that they do not know. */
function withKnownFormat(schema: JsonObject): JsonObject {
  const { format, description, ...rest } = schema;
  if (typeof format !== "string" || isKnownFormat(format)) return schema;
  const text = typeof description === "string" && description !== "" ? `${description} ` : "";
  return { ...rest, description: `${text}(format: ${format})` };
}
