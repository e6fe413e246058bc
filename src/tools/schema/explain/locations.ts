import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import { subschemaPositionOf } from "../schema-keywords.ts";
import type { ValidatorOutput } from "../validator.ts";

/** The decoded parts of a validator location such as `#/a~1b/0`. */
export function parseLocation(location: string): string[] {
  return location
    .split("/")
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function joinLocation(location: string, name: string): string {
  const part = name.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("%", "%25");
  return `${location}/${part}`;
}

export function lastPartOf(location: string): string {
  return parseLocation(location.slice(location.lastIndexOf("/"))).join("");
}

export function isLocationBelow(location: string, above: string): boolean {
  return location.startsWith(`${above}/`);
}

export function findValueAt(document: Json, location: string): Json | undefined {
  return parseLocation(location).reduce<Json | undefined>(findChild, document);
}

/** Formats a location as a path such as `filter.labels[2]`, which begins with the document's name. */
export function formatInstancePath(name: string, document: Json, location: string): string {
  let path = name;
  let value: Json | undefined = document;
  for (const part of parseLocation(location)) {
    path += Array.isArray(value) ? `[${part}]` : `.${part}`;
    value = findChild(value, part);
  }
  return path;
}

/** The subschema that contains the keyword at a location, after following references; null if there is none. */
export function findSchemaAt(
  findings: ValidatorOutput,
  keywordLocation: string,
): JsonObject | null {
  const parts = parseLocation(keywordLocation).slice(0, -1);
  let schema: Json | undefined = findings.schema;
  for (let index = 0; index < parts.length; index += 1) {
    const keyword = parts[index] ?? "";
    if (!isJsonObject(schema)) return null;
    if (keyword === "$ref" || keyword === "$recursiveRef") {
      schema = findReferenceTarget(findings, schema, keyword);
      continue;
    }
    const holding = subschemaPositionOf(keyword);
    schema = findChild(schema, keyword);
    if (Array.isArray(schema) || holding === "schema map" || holding === "dependencies") {
      index += 1;
      schema = findChild(schema, parts[index] ?? "");
    }
  }
  return isJsonObject(schema) ? schema : null;
}

const ABSOLUTE_REFERENCE_KEYS = {
  $ref: "__absolute_ref__",
  $recursiveRef: "__absolute_recursive_ref__",
} as const;

/** The target of a subschema's reference, found by the absolute URI that the validator stored in the subschema. */
export function findReferenceTarget(
  { schema, lookup }: ValidatorOutput,
  from: JsonObject,
  keyword: keyof typeof ABSOLUTE_REFERENCE_KEYS,
): JsonObject | undefined {
  const uri = from[ABSOLUTE_REFERENCE_KEYS[keyword]];
  const target = typeof uri === "string" ? lookup[uri] : undefined;
  if (isJsonObject(target)) return target;
  return keyword === "$recursiveRef" ? schema : undefined;
}

function findChild(value: Json | undefined, part: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(part)];
  return isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}
