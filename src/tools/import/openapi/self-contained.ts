import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { COMPONENT, unguarded } from "./copy-schemas.ts";
import { ANNOTATIONS, keywordKind } from "./keywords.ts";
import { schemaUses } from "./schema-uses.ts";
import type { Work } from "./work.ts";

/** Makes schemas (JSON Schema 2020-12) that stand for themselves. */
export interface SchemaMaker {
  /**
   * A schema without references outside itself: what is used once is written in place, the rest
   * stands under `$defs`. Null for one that would have more than `charactersMax` as JSON.
   */
  selfContained(schema: Json, charactersMax: number): JsonObject | null;
  /** The characters that it would have, about; null for more than `charactersMax`. */
  sizeOf(schema: Json, charactersMax: number): number | null;
}

/** A schema's size with all that it needs, and how often each component is referred to in it. */
interface Measure {
  readonly characters: number;
  readonly uses: ReadonlyMap<string, number>;
}

/** A chain of ever further schemas, each used once, must not become one deep schema. */
const INLINED_DEEP_MAX = 8;

export function schemaMaker(components: JsonObject, work: Work): SchemaMaker {
  const usesOf = schemaUses();

  function component(name: string): Json {
    return Object.hasOwn(components, name) ? (components[name] ?? {}) : {};
  }

  function measure(schema: Json, charactersMax: number): Measure | null {
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
      const name = reference.slice(COMPONENT.length);
      const isPlain = Object.keys(siblings).every((keyword) => ANNOTATIONS.has(keyword));
      // Of the schemas of a circle one is used twice: from outside and from within.
      if (isPlain && uses.get(name) === 1 && inlined < INLINED_DEEP_MAX) {
        const target = written(component(name), inlined + 1);
        return target === false ? false : { ...objectOf(target), ...siblings };
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
        switch (keywordKind(keyword, inside)) {
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
            // The upgrader leaves an exclusive bound without its bound as it was.
            return isLeftOver(keyword, inside) ? [] : [[keyword, inside]];
        }
      });
      const result: JsonObject = Object.fromEntries(entries);
      return nullable === true ? takingNull(result) : result;
    }

    function unguardedEntries(schemas: JsonObject, inlined: number): JsonObject {
      return Object.fromEntries(
        Object.entries(schemas).map(([key, one]) => [unguarded(key), written(one, inlined)]),
      );
    }

    const whole = written(schema, 0);
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      definitions.set(name, written(component(name), 0));
    }
    if (whole === false) return { not: {} };
    if (definitions.size === 0) return objectOf(whole);
    return { ...objectOf(whole), $defs: Object.fromEntries(definitions) };
  }

  return {
    selfContained,
    sizeOf: (schema, charactersMax) => measure(schema, charactersMax)?.characters ?? null,
  };
}

function isLeftOver(keyword: string, value: Json): boolean {
  return keyword.startsWith("exclusive") && typeof value === "boolean";
}

/** What OpenAPI 3.0 calls nullable where no `type` stands beside it, which the upgrader passes over. */
function takingNull(schema: JsonObject): JsonObject {
  const { allOf, anyOf, oneOf } = schema;
  const orNull: Json = { type: "null" };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, orNull] };
  if (Array.isArray(oneOf)) return { ...schema, oneOf: [...oneOf, orNull] };
  if (!Array.isArray(allOf)) return schema;
  const { allOf: _, ...rest } = schema;
  return { ...rest, anyOf: [{ allOf }, orNull] };
}

/** The schema `true` judges nothing, as `{}` does. */
function objectOf(schema: Json): JsonObject {
  return isJsonObject(schema) ? schema : {};
}
