import { isJsonObject, type Json, type JsonObject, toJsonObject } from "../../../kernel/json.ts";
import { COMPONENT_PREFIX, unescapeKey } from "./copy-schemas.ts";
import { ANNOTATION_KEYWORDS, keywordKindOf } from "./supported-keywords.ts";
import type { ImportCost } from "./import-cost.ts";

/** The components that a schema refers to, with the number of references, and its own size. */
interface SchemaReferences {
  readonly names: readonly string[];
  readonly characters: number;
}

/** Counts each schema once and caches the result. */
function createReferenceCounter(): (schema: Json) => SchemaReferences {
  const known = new WeakMap<object, SchemaReferences>();
  return (schema) => {
    if (!isJsonObject(schema)) return { names: [], characters: 5 };
    const before = known.get(schema);
    if (before !== undefined) return before;
    const names: string[] = [];
    collectReferences(schema, names);
    const uses = { names, characters: JSON.stringify(schema).length };
    known.set(schema, uses);
    return uses;
  };
}

function collectReferences(value: Json, names: string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collectReferences(item, names);
    return;
  }
  if (!isJsonObject(value)) return;
  const reference = value["$ref"];
  // A default or an enum can contain any text; only copied references begin like this.
  if (typeof reference === "string" && reference.startsWith(COMPONENT_PREFIX)) {
    names.push(reference.slice(COMPONENT_PREFIX.length));
  }
  for (const inside of Object.values(value)) collectReferences(inside, names);
}

/** Builds self-contained schemas (JSON Schema 2020-12). */
export interface SchemaBundler {
  /** A schema without external references: what is used once is inlined, the rest is in `$defs`. Null if it is too large. */
  bundle(schema: Json, charactersMax: number): JsonObject | null;
  /** The approximate size in characters; null for more than `charactersMax`. */
  sizeOf(schema: Json, charactersMax: number): number | null;
}

/** The size of a schema with all its components, and the number of references to each. */
interface SchemaMeasure {
  readonly characters: number;
  readonly uses: ReadonlyMap<string, number>;
}

/** A long chain of schemas that are used once must not become one deep schema. */
const INLINE_DEPTH_MAX = 8;

export function createSchemaBundler(components: JsonObject, work: ImportCost): SchemaBundler {
  const usesOf = createReferenceCounter();

  function component(name: string): Json {
    return Object.hasOwn(components, name) ? (components[name] ?? {}) : {};
  }

  function measure(schema: Json, charactersMax: number): SchemaMeasure | null {
    const counts = new Map<string, number>();
    const waiting: Json[] = [schema];
    let characters = 0;
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const uses = usesOf(next);
      characters += uses.characters;
      if (characters > charactersMax) return null;
      work.steps += 1 + uses.names.length;
      for (const name of uses.names) {
        const count = counts.get(name) ?? 0;
        counts.set(name, count + 1);
        if (count === 0) waiting.push(component(name));
      }
    }
    return { characters, uses: counts };
  }

  function selfContained(schema: Json, charactersMax: number): JsonObject | null {
    const measured = measure(schema, charactersMax);
    if (measured === null) return null;
    const { uses } = measured;
    const definitions = new Map<string, Json>();
    const waiting: string[] = [];

    function written(value: Json, inlined: number): Json {
      if (!isJsonObject(value)) return value;
      const { $ref: reference, ...siblings } = value;
      if (typeof reference !== "string") return keywords(value, inlined);
      const name = reference.slice(COMPONENT_PREFIX.length);
      const isPlain = Object.keys(siblings).every((keyword) => ANNOTATION_KEYWORDS.has(keyword));
      // In a cycle, one schema is used twice: from outside and from within.
      if (isPlain && uses.get(name) === 1 && inlined < INLINE_DEPTH_MAX) {
        const target = written(component(name), inlined + 1);
        return target === false ? false : { ...toJsonObject(target), ...siblings };
      }
      if (!definitions.has(name)) {
        definitions.set(name, true);
        waiting.push(name);
      }
      return { $ref: `#/$defs/${name}`, ...keywords(siblings, inlined) };
    }

    function keywords(schemaObject: JsonObject, inlined: number): JsonObject {
      const { nullable, ...rest } = schemaObject;
      const entries = Object.entries(rest).flatMap(([keyword, inside]): [string, Json][] => {
        switch (keywordKindOf(keyword, inside)) {
          case null:
            return [];
          case "schema":
            return [[keyword, written(inside, inlined)]];
          case "schemas":
            return Array.isArray(inside)
              ? [[keyword, inside.map((one) => written(one, inlined))]]
              : [];
          case "named schemas":
            return isJsonObject(inside) ? [[keyword, unguardedEntries(inside, inlined)]] : [];
          case "plain":
            // The upgrader keeps an exclusive bound without its bound.
            return keyword.startsWith("exclusive") && typeof inside === "boolean"
              ? []
              : [[keyword, inside]];
        }
      });
      const result: JsonObject = Object.fromEntries(entries);
      return nullable === true ? allowNull(result) : result;
    }

    function unguardedEntries(schemas: JsonObject, inlined: number): JsonObject {
      return Object.fromEntries(
        Object.entries(schemas).map(([key, one]) => [unescapeKey(key), written(one, inlined)]),
      );
    }

    const whole = written(schema, 0);
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      definitions.set(name, written(component(name), 0));
    }
    if (whole === false) return { not: {} };
    if (definitions.size === 0) return toJsonObject(whole);
    return { ...toJsonObject(whole), $defs: Object.fromEntries(definitions) };
  }

  return {
    bundle: selfContained,
    sizeOf: (schema, charactersMax) => measure(schema, charactersMax)?.characters ?? null,
  };
}

/** `nullable` of OpenAPI 3.0 without a `type`, which the upgrader ignores. */
function allowNull(schema: JsonObject): JsonObject {
  const { allOf, anyOf, oneOf } = schema;
  const orNull: Json = { type: "null" };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, orNull] };
  if (Array.isArray(oneOf)) return { ...schema, oneOf: [...oneOf, orNull] };
  if (!Array.isArray(allOf)) return schema;
  const { allOf: _, ...rest } = schema;
  return { ...rest, anyOf: [{ allOf }, orNull] };
}
