import type { dereference } from "@cfworker/json-schema";
import type { RE2JS } from "re2js";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { subschemaPositionOf } from "./schema-keywords.ts";
import { computeTestUnits } from "./work-limit.ts";

/** A schema with its references resolved and its patterns compiled. */
export interface CompiledSchema {
  /** Subschemas by the absolute URI that references use. */
  readonly lookup: ReturnType<typeof dereference>;
  readonly patterns: ReadonlyMap<string, RE2JS>;
  /** The possible targets of `$recursiveRef`. */
  readonly recursiveAnchors: ReadonlySet<JsonObject>;
}

/** The work needed to apply a schema to a value; Infinity if it exceeds the limit. */
export type EstimateWork = (schema: JsonObject, value: Json) => number;

/** The validator recurses once per reference and per level. */
const DEPTH_MAX = 1_000;

/**
 * Estimates the validator's maximum work in microseconds by adding up the work of every subschema on every value that
 * it applies to. Each pair of subschema and value is evaluated only once, so the estimate is fast even where the
 * validator would take exponential time.
 */
export function createWorkEstimate(compiled: CompiledSchema, unitsMax: number): EstimateWork {
  const known = new Map<JsonObject, Map<Json, number>>();
  const fixedUnits = new Map<JsonObject, number>();
  let spent = 0;

  function estimate(schema: JsonObject, value: Json, depth: number): number {
    const byValue = known.get(schema) ?? new Map<Json, number>();
    const before = byValue.get(value);
    if (before !== undefined) return before;
    // The estimate stays infinite if the schema applies itself to the same value, because that never ends.
    known.set(schema, byValue.set(value, Infinity));
    const fixed = fixedUnits.get(schema) ?? computeFixedUnits(schema);
    fixedUnits.set(schema, fixed);
    let units = fixed + computeValueUnits(schema, value, compiled.patterns);
    spent += units;
    if (spent > unitsMax || depth > DEPTH_MAX) return Infinity;
    for (const [subschema, child] of listApplications(schema, value, compiled)) {
      units += estimate(subschema, child, depth + 1);
      if (units > unitsMax) return Infinity;
    }
    byValue.set(value, units);
    return units;
  }

  return (schema, value) => estimate(schema, value, 0);
}

const CHARACTERS_PER_UNIT = 20;
// Measured: the validator encodes the name of each property it visits, at 10 ns per character.
const NAME_CHARACTERS_PER_UNIT = 100;
const TEXT_CHARACTERS_PER_UNIT = 500;
const TEXT_KEYWORDS = ["minLength", "maxLength", "format"];
// Measured: listing the keys of a wide object takes almost a microsecond per key.
const WIDE_KEYS_MIN = 50;
const ITEM_KEYWORDS = ["items", "contains", "additionalItems", "unevaluatedItems"];
const ITEMS_PER_UNIT = 5;
const ITEM_PAIRS_PER_UNIT = 200;

/** The work of a schema's own keywords that is the same for every value. */
function computeFixedUnits(schema: JsonObject): number {
  let units = 1;
  for (const [keyword, value] of Object.entries(schema)) {
    if (typeof value !== "object" || value === null) continue;
    const names = subschemaPositionOf(keyword) === null ? null : Object.keys(value);
    units += (names?.length ?? JSON.stringify(value).length) / CHARACTERS_PER_UNIT;
    units += countCharacters(names ?? []) / NAME_CHARACTERS_PER_UNIT;
  }
  return units;
}

/** The work of a schema's own keywords that depends on the value. */
function computeValueUnits(
  schema: JsonObject,
  value: Json,
  patterns: ReadonlyMap<string, RE2JS>,
): number {
  if (typeof value === "string") {
    const readsText = TEXT_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword));
    const pattern = patterns.get(String(schema["pattern"]));
    return (
      (readsText ? value.length / TEXT_CHARACTERS_PER_UNIT : 0) +
      (pattern === undefined ? 0 : computeTestUnits(pattern, value))
    );
  }
  if (Array.isArray(value)) {
    const walks = ITEM_KEYWORDS.filter((keyword) => schema[keyword] !== undefined).length;
    const pairs = schema["uniqueItems"] === true ? value.length ** 2 : 0;
    return (walks * value.length) / ITEMS_PER_UNIT + pairs / ITEM_PAIRS_PER_UNIT;
  }
  if (!isJsonObject(value)) return 0;
  const names = Object.keys(value);
  let units = countCharacters(names) / NAME_CHARACTERS_PER_UNIT;
  if (names.length >= WIDE_KEYS_MIN) units += names.length;
  for (const source of Object.keys(schema["patternProperties"] ?? {})) {
    const pattern = patterns.get(source);
    if (pattern === undefined) continue;
    for (const name of names) units += computeTestUnits(pattern, name);
  }
  return units;
}

function countCharacters(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + name.length, 0);
}

/** The subschemas that the validator might apply, each with the value it applies to. */
function listApplications(
  schema: JsonObject,
  value: Json,
  { lookup, patterns, recursiveAnchors }: CompiledSchema,
): [JsonObject, Json][] {
  const found: [JsonObject, Json][] = [];
  function add(subschema: Json | undefined, child: Json): void {
    if (isJsonObject(subschema)) found.push([subschema, child]);
  }

  add(lookup[String(schema["__absolute_ref__"])], value);
  for (const keyword of ["not", "if", "then", "else"]) add(schema[keyword], value);
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    for (const one of toList(schema[keyword])) add(one, value);
  }
  if (Array.isArray(value)) {
    for (const [index, one] of toList(schema["prefixItems"] ?? schema["items"]).entries()) {
      const item = value[index];
      if (item !== undefined) add(one, item);
    }
    for (const keyword of ITEM_KEYWORDS) {
      if (isJsonObject(schema[keyword])) for (const item of value) add(schema[keyword], item);
    }
  } else if (isJsonObject(value)) {
    for (const keyword of ["dependentSchemas", "dependencies"]) {
      for (const [name, one] of entriesOf(schema[keyword])) {
        if (Object.hasOwn(value, name)) add(one, value);
      }
    }
    const properties = new Map(entriesOf(schema["properties"]));
    const patterned = entriesOf(schema["patternProperties"]);
    for (const [name, child] of Object.entries(value)) {
      add(properties.get(name), child);
      add(schema["propertyNames"], name);
      for (const [source, one] of patterned) {
        if (patterns.get(source)?.test(name) === true) add(one, child);
      }
      if (properties.has(name)) continue;
      add(schema["additionalProperties"], child);
      add(schema["unevaluatedProperties"], child);
    }
  }
  if (schema["$recursiveRef"] === undefined) return found;
  // The validator applies the schema itself again before it follows $recursiveRef.
  for (const anchor of recursiveAnchors) add(anchor, value);
  return [...found, ...found];
}

function toList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function entriesOf(value: Json | undefined): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
