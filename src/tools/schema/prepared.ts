import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { holdingOf, isData } from "./shapes.ts";
import type { Spend } from "./work.ts";

// Measured: copying, inspecting and indexing a subschema before the validator runs.
const UNITS_PER_SUBSCHEMA = 8;
// What OpenAPI and draft 4 add. The validator would take an example's `id` for the schema's own.
const FOREIGN = new Set(["discriminator", "example", "examples", "externalDocs", "id", "xml"]);
const EXCLUSIVE_BOUNDS = new Set(["exclusiveMinimum", "exclusiveMaximum"]);

/**
 * A copy of a schema as descriptions of APIs hold it, ready for the validator as draft 2020-12. `false`
 * becomes `{not: {}}`, since the validator does not tell where in the schema a boolean stood.
 */
export function prepared(schema: JsonObject, spend: Spend): JsonObject {
  function objectOf(subschema: JsonObject): JsonObject {
    spend(UNITS_PER_SUBSCHEMA);
    return mapped(subschema, valueOf);
  }

  function valueOf(value: Json, keyword: string): Json | undefined {
    if (isForeign(keyword, value)) return undefined;
    if (isData(keyword)) return value;
    switch (holdingOf(keyword)) {
      case "schema":
      case "schemas":
      case "schema or schemas":
        return Array.isArray(value) ? value.map(schemaOf) : schemaOf(value);
      case "schema map":
      case "dependencies":
        return isJsonObject(value) ? mapped(value, schemaOf) : value;
      case null:
        // References may lead into keywords that nobody knows, such as `components`.
        return isJsonObject(value) ? objectOf(value) : value;
    }
  }

  function schemaOf(value: Json): Json {
    if (value === false) return { not: {} };
    return isJsonObject(value) ? objectOf(value) : value;
  }

  return objectOf(schema);
}

function isForeign(keyword: string, value: Json): boolean {
  if (EXCLUSIVE_BOUNDS.has(keyword)) return typeof value === "boolean";
  return keyword.startsWith("x-") || FOREIGN.has(keyword);
}

function mapped(
  object: JsonObject,
  change: (value: Json, name: string) => Json | undefined,
): JsonObject {
  const entries = Object.entries(object).flatMap(([name, value]): [string, Json][] => {
    const changed = change(value, name);
    return changed === undefined ? [] : [[name, changed]];
  });
  return Object.fromEntries(entries);
}
