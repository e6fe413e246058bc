import type { Parameter } from "../model/capability.ts";
import { isJsonObject, type Json, type JsonObject, toJsonObject } from "../../kernel/json.ts";
import { isKnownFormat, mapSubschemas, subschemaPositionOf } from "./schema-keywords.ts";

/** The maximum length of a function name that all model providers accept. */
export const FUNCTION_NAME_CHARACTERS_MAX = 64;
const DISALLOWED_CHARACTERS = /[^a-zA-Z0-9_-]/g;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Converts text to a function name. Each disallowed character becomes `_`. */
export function sanitizeFunctionName(text: string): string {
  return text.replaceAll(DISALLOWED_CHARACTERS, "_");
}

/** Appends a suffix, shortening the name to fit. */
export function appendNameSuffix(name: string, suffix: string): string {
  return `${name.slice(0, FUNCTION_NAME_CHARACTERS_MAX - suffix.length - 1)}_${suffix}`;
}

/** The 32-bit FNV-1a hash as 8 hex digits. It is not secure, because collisions can be constructed. */
export function hashFunctionName(text: string): string {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}

/**
 * Rewrites a schema for strict clients: required properties come first, and unknown formats move to the description.
 */
export function toPortableSchema(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => [
    keyword,
    mapSubschemas(keyword, value, toPortableValue),
  ]);
  return sortRequiredFirst(moveUnknownFormat(Object.fromEntries(entries)));
}

/** Leaves values that are not objects unchanged, because a schema can be a boolean and a dependency a list of names. */
function toPortableValue(value: Json): Json {
  return isJsonObject(value) ? toPortableSchema(value) : value;
}

/**
 * Code generators keep the order of the properties for function parameters, and a required parameter after an optional
 * one is an error.
 */
function sortRequiredFirst(schema: JsonObject): JsonObject {
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

/** Strict validators reject schemas with unknown formats. */
function moveUnknownFormat(schema: JsonObject): JsonObject {
  const { format, description, ...rest } = schema;
  if (typeof format !== "string" || isKnownFormat(format)) return schema;
  const text = typeof description === "string" && description !== "" ? `${description} ` : "";
  return { ...rest, description: `${text}(format: ${format})` };
}

/**
 * The JSON Schema for a function with these parameters. The names of each parameter's definitions are prefixed with the
 * parameter's name.
 */
export function buildFunctionSchema(parameters: readonly Parameter[]): JsonObject {
  const properties = new Map<string, Json>();
  const definitions = new Map<string, Json>();
  for (const parameter of parameters) {
    const { name, type, description } = parameter;
    const schema = parameter.schema ?? { type };
    const { $defs, $schema: _dialect, ...own } = schema;
    if (isJsonObject($defs)) {
      for (const [definition, value] of Object.entries($defs)) {
        definitions.set(`${name}.${definition}`, moveReferences(value, name));
      }
    }
    const written = toJsonObject(moveReferences(own, name));
    const described = description === undefined || description === "" ? {} : { description };
    properties.set(name, { ...toJsonObject(written), ...described });
  }
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  return toPortableSchema({
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    ...(definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) }),
  });
}

/**
 * An MCP keyword that tells clients to repeat a parameter as a header. It is removed, because this service does not
 * compare the header with the parameter.
 */
const MCP_HEADER_KEYWORD = "x-mcp-header";
const DEFINITION_REFERENCE = /^#\/\$defs\/([^/]+)(.*)$/s;

/**
 * Rewrites the references in a parameter's schema for the function's schema. Recursion is safe, because the depth of
 * stored schemas is limited.
 */
function moveReferences(schema: Json, parameter: string): Json {
  // Some providers accept only objects as schemas.
  if (schema === true) return {};
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema)
    .filter(([keyword]) => keyword !== MCP_HEADER_KEYWORD)
    .map(([keyword, value]): [string, Json] => {
      if (keyword === "$ref" && typeof value === "string")
        return [keyword, moveReference(value, parameter)];
      return [keyword, moveReferencesUnder(keyword, value, parameter)];
    });
  return addMissingItems(Object.fromEntries(entries));
}

function moveReferencesUnder(keyword: string, value: Json, parameter: string): Json {
  const position = subschemaPositionOf(keyword);
  // `false` forbids additional properties, and providers support it.
  const isClosing = position === "schema" && typeof value === "boolean";
  if (isClosing || position === "dependencies") return value;
  return mapSubschemas(keyword, value, (one) => moveReferences(one, parameter));
}

function moveReference(reference: string, parameter: string): string {
  const [, definition, rest] = DEFINITION_REFERENCE.exec(reference) ?? [];
  if (definition !== undefined)
    return `#/$defs/${encodePointerSegment(parameter)}.${definition}${rest}`;
  if (!reference.startsWith("#")) return reference;
  return `#/properties/${encodePointerSegment(parameter)}${reference.slice(1)}`;
}

/** A name within a reference, which is a JSON Pointer (RFC 6901) in a URI fragment. */
function encodePointerSegment(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** OpenAI rejects arrays without an item schema. */
function addMissingItems(schema: JsonObject): JsonObject {
  const { type, items, prefixItems } = schema;
  const isList = type === "array" || (Array.isArray(type) && type.includes("array"));
  return isList && items === undefined && prefixItems === undefined
    ? { ...schema, items: {} }
    : schema;
}
