import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { isKnownFormat } from "./explain/formats.ts";
import { holdingOf } from "./shapes.ts";

/**
 * An equivalent schema that type generators and strict validators accept: required properties come before
 * optional ones, and formats that JSON Schema does not define are moved to the description.
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

/** Leaves other values unchanged: a schema can be a boolean, and a dependency can be a list of names. */
function portableIfObject(value: Json): Json {
  return isJsonObject(value) ? portable(value) : value;
}

/** Generated functions have their parameters in this order; a required one after an optional one is an error. */
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
