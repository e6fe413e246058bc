import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { isDataKeyword, mapSubschemas, subschemaPositionOf } from "./schema-keywords.ts";
import type { SpendUnits } from "./work-limit.ts";

// Measured: copying, inspecting and indexing a subschema before the validator runs.
const UNITS_PER_SUBSCHEMA = 8;
// Keywords of OpenAPI and draft 4. The validator would treat the `id` of an example as that of the schema.
const OPENAPI_KEYWORDS = new Set("discriminator example examples externalDocs id xml".split(" "));
const EXCLUSIVE_BOUNDS = new Set(["exclusiveMinimum", "exclusiveMaximum"]);

/** Copies a schema as draft 2020-12. `false` becomes `{not: {}}`, because the validator reports no boolean's location. */
export function prepareSchema(schema: JsonObject, spend: SpendUnits): JsonObject {
  function objectOf(subschema: JsonObject): JsonObject {
    spend(UNITS_PER_SUBSCHEMA);
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

// Measured: listing the keys of a parsed object takes almost a microsecond per key.
const KEYS_PER_UNIT = 1;
const WIDE_KEYS_MIN = 50;
const CHARACTERS_PER_UNIT = 20;
// Measured: the validator encodes the name of each property it visits, 10 ns per character.
const NAME_CHARACTERS_PER_UNIT = 100;
const LONG_NAMES_CHARACTERS_MIN = 1_000;
const TEXT_CHARACTERS_PER_UNIT = 500;
const TEXT_KEYWORDS = ["minLength", "maxLength", "format"];

/** Charges the worst case for each use of a subschema, when the validator reads its $ref, which it does first. */
export function chargeSchemaUses(schema: JsonObject, longestText: number, spend: SpendUnits): void {
  const units = computeUseCost(schema, longestText);
  const reference = schema["$ref"];
  Object.defineProperty(schema, "$ref", {
    enumerable: reference !== undefined,
    get() {
      spend(units);
      return reference;
    },
  });
}

function computeUseCost(schema: JsonObject, longestText: number): number {
  let units = 1;
  for (const [keyword, value] of Object.entries(schema)) {
    if (typeof value !== "object" || value === null) continue;
    const isHolding = subschemaPositionOf(keyword) !== null;
    const size = isHolding ? Object.keys(value).length : JSON.stringify(value).length;
    units += size / CHARACTERS_PER_UNIT;
    if (isHolding) units += countNameCharacters(Object.keys(value)) / NAME_CHARACTERS_PER_UNIT;
  }
  const readsText = TEXT_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword));
  return readsText ? units + longestText / TEXT_CHARACTERS_PER_UNIT : units;
}

function countNameCharacters(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + name.length, 0);
}

/** A copy of the document that charges for listing keys, if they are many or long. */
export function chargeKeyListing(value: Json, spend: SpendUnits): Json {
  if (Array.isArray(value)) return value.map((item) => chargeKeyListing(item, spend));
  if (!isJsonObject(value)) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, chargeKeyListing(child, spend)]),
  );
  const keys = Object.keys(copy);
  const characters = countNameCharacters(keys);
  if (keys.length < WIDE_KEYS_MIN && characters < LONG_NAMES_CHARACTERS_MIN) return copy;
  const units = keys.length / KEYS_PER_UNIT + characters / NAME_CHARACTERS_PER_UNIT;
  return new Proxy(copy, {
    ownKeys() {
      spend(units);
      return keys;
    },
  });
}
