import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { isDataKeyword, mapSubschemas, subschemaPositionOf } from "./schema-keywords.ts";

// Keywords of OpenAPI and draft 4. The validator would treat the `id` of an example as the `id` of the schema.
const OPENAPI_KEYWORDS = new Set("discriminator example examples externalDocs id xml".split(" "));
const EXCLUSIVE_BOUNDS = new Set(["exclusiveMinimum", "exclusiveMaximum"]);

/** Copies a schema as draft 2020-12. `false` becomes `{not: {}}`: the validator does not locate boolean schemas. */
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
    // References can point into unknown keywords, such as `components`.
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
