import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { isDataKeyword, mapSubschemas, subschemaPositionOf } from "./schema-keywords.ts";

// OpenAPI and draft 4 keywords. The validator would treat an `id` in an example as the schema's `id`.
const OPENAPI_KEYWORDS = new Set("discriminator example examples externalDocs id xml".split(" "));
const EXCLUSIVE_BOUNDS = new Set(["exclusiveMinimum", "exclusiveMaximum"]);

/**
 * Converts a copy of a schema to draft 2020-12. `false` becomes `{not: {}}`, because the validator does not report the
 * locations of boolean schemas.
 */
export function prepareSchema(schema: JsonObject): JsonObject {
  function objectOf(subschema: JsonObject): JsonObject {
    const entries = Object.entries(subschema).flatMap(([name, value]): [string, Json][] => {
      const changed = valueOf(value, name);
      return changed === undefined ? [] : [[name, changed]];
    });
    return Object.fromEntries(entries);
  }

  function valueOf(value: Json, keyword: string): Json | undefined {
    if (isOpenApiKeyword(keyword, value)) return undefined;
    if (isDataKeyword(keyword)) return value;
    if (subschemaPositionOf(keyword) !== null) return mapSubschemas(keyword, value, schemaOf);
    // References can point into unknown keywords such as `components`.
    return isJsonObject(value) ? objectOf(value) : value;
  }

  function schemaOf(value: Json): Json {
    if (value === false) return { not: {} };
    return isJsonObject(value) ? objectOf(value) : value;
  }

  return objectOf(schema);
}

function isOpenApiKeyword(keyword: string, value: Json): boolean {
  if (EXCLUSIVE_BOUNDS.has(keyword)) return typeof value === "boolean";
  return keyword.startsWith("x-") || OPENAPI_KEYWORDS.has(keyword);
}
