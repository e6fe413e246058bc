import { isJsonObject, type Json, type JsonObject, toJsonObject } from "../../../kernel/json.ts";
import { mapSubschemas } from "../../schema/schema-keywords.ts";
import { DEFINITION_PREFIX, type SchemaDefinitions } from "./read-schemas.ts";
import { ANNOTATION_KEYWORDS } from "./supported-keywords.ts";

/** The definitions that a schema refers to, listed once per reference, and the schema's own size. */
interface SchemaReferences {
  readonly names: readonly string[];
  readonly characters: number;
}

/** Returns a function that counts a schema's references and caches the result. */
function createReferenceCounter(): (schema: Json) => SchemaReferences {
  const known = new WeakMap<object, SchemaReferences>();
  return (schema) => {
    if (!isJsonObject(schema)) return { names: [], characters: 5 };
    const before = known.get(schema);
    if (before !== undefined) return before;
    const names: string[] = [];
    const text = JSON.stringify(schema, (key, value: Json) => {
      // References written by the schema reader begin with this prefix. A `$ref` in a default or an enum is not a
      // reference.
      if (key === "$ref" && typeof value === "string" && value.startsWith(DEFINITION_PREFIX)) {
        names.push(value.slice(DEFINITION_PREFIX.length));
      }
      return value;
    });
    const uses = { names, characters: text.length };
    known.set(schema, uses);
    return uses;
  };
}

/** Builds self-contained schemas (JSON Schema 2020-12). */
export interface SchemaBundler {
  /**
   * Returns a self-contained schema; null if it is too large. Definitions used only once are inlined where possible;
   * others are in `$defs`.
   */
  bundle(schema: Json, charactersMax: number): JsonObject | null;
  /** The approximate size in characters; null if it exceeds `charactersMax`. */
  sizeOf(schema: Json, charactersMax: number): number | null;
  /** Whether the schemas so far exceed the number of characters that one import may read. */
  isFull(): boolean;
}

/** The size of a schema including all its definitions, and the number of references to each definition. */
interface SchemaMeasure {
  readonly characters: number;
  readonly uses: ReadonlyMap<string, number>;
}

/** Keeps a long chain of schemas that are each used once from becoming one deeply nested schema. */
const INLINE_DEPTH_MAX = 8;
/** About three seconds of work. The largest of 2,639 published documents needs 26 million. */
const CHARACTERS_MAX = 40_000_000;

export function createSchemaBundler(definitions: SchemaDefinitions): SchemaBundler {
  const usesOf = createReferenceCounter();
  let charactersRead = 0;

  function measure(schema: Json, charactersMax: number): SchemaMeasure | null {
    const counts = new Map<string, number>();
    const waiting: Json[] = [schema];
    let characters = 0;
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const uses = usesOf(next);
      characters += uses.characters;
      if (characters > charactersMax) break;
      for (const name of uses.names) {
        const count = counts.get(name) ?? 0;
        counts.set(name, count + 1);
        if (count === 0) waiting.push(definitions.get(name) ?? {});
      }
    }
    charactersRead += Math.min(characters, charactersMax);
    return characters > charactersMax ? null : { characters, uses: counts };
  }

  function bundle(schema: Json, charactersMax: number): JsonObject | null {
    const measured = measure(schema, charactersMax);
    if (measured === null) return null;
    const bundled = new Map<string, Json>();
    const waiting: string[] = [];

    function inlined(value: Json, depth: number): Json {
      if (!isJsonObject(value)) return value;
      const entries = Object.entries(value).map(([keyword, inside]): [string, Json] => [
        keyword,
        keyword === "contentSchema"
          ? inlined(inside, depth)
          : mapSubschemas(keyword, inside, (one) => inlined(one, depth)),
      ]);
      const { $ref: reference, ...siblings }: JsonObject = Object.fromEntries(entries);
      if (typeof reference !== "string") return allowNull(siblings);
      const name = reference.slice(DEFINITION_PREFIX.length);
      const isPlain = Object.keys(siblings).every((keyword) => ANNOTATION_KEYWORDS.has(keyword));
      // In a cycle, at least one schema is used twice: from outside the cycle and from within it.
      if (isPlain && measured?.uses.get(name) === 1 && depth < INLINE_DEPTH_MAX) {
        const target = inlined(definitions.get(name) ?? {}, depth + 1);
        return target === false ? false : { ...toJsonObject(target), ...siblings };
      }
      if (!bundled.has(name)) {
        bundled.set(name, true);
        waiting.push(name);
      }
      return { $ref: reference, ...allowNull(siblings) };
    }

    const whole = inlined(schema, 0);
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      bundled.set(name, inlined(definitions.get(name) ?? {}, 0));
    }
    if (whole === false) return { not: {} };
    if (bundled.size === 0) return toJsonObject(whole);
    return { ...toJsonObject(whole), $defs: Object.fromEntries(bundled) };
  }

  return {
    bundle,
    sizeOf: (schema, charactersMax) => measure(schema, charactersMax)?.characters ?? null,
    isFull: () => charactersRead > CHARACTERS_MAX,
  };
}

/** Replaces OpenAPI 3.0's `nullable` in schemas without a `type`. */
function allowNull({ nullable, ...schema }: JsonObject): JsonObject {
  if (nullable !== true) return schema;
  const { allOf, anyOf, oneOf } = schema;
  const orNull: Json = { type: "null" };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, orNull] };
  if (Array.isArray(oneOf)) return { ...schema, oneOf: [...oneOf, orNull] };
  if (!Array.isArray(allOf)) return schema;
  const { allOf: _, ...rest } = schema;
  return { ...rest, anyOf: [{ allOf }, orNull] };
}
