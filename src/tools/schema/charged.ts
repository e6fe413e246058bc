import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { holdingOf } from "./shapes.ts";
import type { Spend } from "./work.ts";

// Measured: listing the keys of a parsed object takes a good part of a microsecond for each.
const KEYS_PER_UNIT = 1;
const WIDE_KEYS_MIN = 50;
const CHARACTERS_PER_UNIT = 20;
// Measured: each time that it comes to a property, the validator encodes the name, 10 ns a character.
const NAME_CHARACTERS_PER_UNIT = 100;
const LONG_NAMES_CHARACTERS_MIN = 1_000;
const TEXT_CHARACTERS_PER_UNIT = 500;
const TEXT_KEYWORDS = ["minLength", "maxLength", "format"];

/**
 * Charges every use of a subschema for what it takes at worst. The validator first reads the $ref of
 * whatever schema it applies, so that is where the charge is put.
 */
export function chargeUses(schema: JsonObject, longestText: number, spend: Spend): void {
  const units = unitsOf(schema, longestText);
  const reference = schema["$ref"];
  Object.defineProperty(schema, "$ref", {
    enumerable: reference !== undefined,
    get() {
      spend(units);
      return reference;
    },
  });
}

function unitsOf(schema: JsonObject, longestText: number): number {
  let units = 1;
  for (const [keyword, value] of Object.entries(schema)) {
    if (typeof value !== "object" || value === null) continue;
    const isHolding = holdingOf(keyword) !== null;
    const size = isHolding ? Object.keys(value).length : JSON.stringify(value).length;
    units += size / CHARACTERS_PER_UNIT;
    if (isHolding) units += nameCharacters(Object.keys(value)) / NAME_CHARACTERS_PER_UNIT;
  }
  const readsText = TEXT_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword));
  return readsText ? units + longestText / TEXT_CHARACTERS_PER_UNIT : units;
}

function nameCharacters(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + name.length, 0);
}

/** A copy of the document in which listing the keys is charged, where they are many or long. */
export function chargedForKeys(value: Json, spend: Spend): Json {
  if (Array.isArray(value)) return value.map((item) => chargedForKeys(item, spend));
  if (!isJsonObject(value)) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, chargedForKeys(child, spend)]),
  );
  const keys = Object.keys(copy);
  const characters = nameCharacters(keys);
  if (keys.length < WIDE_KEYS_MIN && characters < LONG_NAMES_CHARACTERS_MIN) return copy;
  const units = keys.length / KEYS_PER_UNIT + characters / NAME_CHARACTERS_PER_UNIT;
  return new Proxy(copy, {
    ownKeys() {
      spend(units);
      return keys;
    },
  });
}
