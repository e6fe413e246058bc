import { PROBLEMS_REPORTED_MAX } from "../../../kernel/limits.ts";
import { isJsonObject, type Json, type JsonObject, toJsonObject } from "../../../kernel/json.ts";
import { preview, type Problem } from "../../../kernel/result.ts";
import type { CopyAllowance } from "./import-cost.ts";
import { findCycle, type ResolveReference } from "./references.ts";
import {
  ANNOTATION_KEYWORDS,
  createMalformedKeywordNotes,
  IN_PLACE_APPLICATORS,
  isEcmaScriptPattern,
  keywordKindOf,
} from "./supported-keywords.ts";
import { createImportNotes, createNamePicker, type ImportNotes } from "../tool-draft.ts";

/** The pointer of shared schemas in a copied document. */
export const COMPONENT_PREFIX = "#/components/schemas/";

export interface SchemaCopier {
  /** The schema with JSON Schema's keywords only; references point to `components`. */
  copy(schema: Json | undefined, where: string): Json;
  /** The copies of all referenced schemas by name. Call it last. */
  components(): JsonObject;
}

const NAME_CHARACTERS_MAX = 80;
const CYCLE_SHOWN_MAX = 10;

/** Copies schemas with everything they refer to. `before31`: siblings of a `$ref` have no effect (OpenAPI 3.0). */
export function createSchemaCopier(
  resolve: ResolveReference,
  problems: Problem[],
  before31: boolean,
  allowance: CopyAllowance,
  notes: ImportNotes = createImportNotes(),
): SchemaCopier {
  const malformed = createMalformedKeywordNotes(notes, allowance);
  const names = new Map<string, string>();
  const waiting: { name: string; value: Json; where: string }[] = [];
  /** For each component, the components that apply to the same value; a cycle among them is an error. */
  const inPlace = new Map<string, Set<string>>();
  const pickName = createNamePicker((name) => inPlace.has(name));

  function copied(schema: Json | undefined, where: string, owner: string | null): Json {
    const isPaid = allowance.spendOn(toJsonObject(schema));
    if (!isPaid || schema === undefined) return {};
    if (typeof schema === "boolean") return schema;
    if (!isJsonObject(schema)) {
      report(where, `must be a schema, got ${preview(schema)}`);
      return {};
    }
    const isReference = typeof schema["$ref"] === "string";
    const kept = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
      if (keyword === "$ref" && typeof value === "string") {
        const name = componentOf(value, where);
        if (name === null) return [];
        if (owner !== null) inPlace.get(owner)?.add(name);
        return [[keyword, COMPONENT_PREFIX + name]];
      }
      if (isReference && before31 && !ANNOTATION_KEYWORDS.has(keyword)) return [];
      return keywordEntry(schema, keyword, value, where, owner);
    });
    return Object.fromEntries(kept);
  }

  function keywordEntry(
    schema: JsonObject,
    keyword: string,
    value: Json,
    where: string,
    owner: string | null,
  ): [string, Json][] {
    const judging = IN_PLACE_APPLICATORS.has(keyword) ? owner : null;
    const leftOut = (): [string, Json][] => {
      malformed.keyword(schema, keyword, value, where);
      return [];
    };
    switch (keywordKindOf(keyword, value)) {
      case null:
        return leftOut();
      case "plain":
        // Exclusive bounds of draft 4, which only OpenAPI 3.0 has.
        if (!before31 && keyword.startsWith("exclusive") && typeof value === "boolean") {
          return leftOut();
        }
        return allowance.spendOnAll(value) ? [[keyword, value]] : [];
      case "schemas":
        return Array.isArray(value) && value.length > 0
          ? [[keyword, value.map((one) => copied(one, where, judging))]]
          : leftOut();
      case "schema":
        if (!Array.isArray(value)) return [[keyword, copied(value, where, judging)]];
        // A list of schemas in `items` comes from drafts before 2020-12.
        return keyword === "items" && value.length > 0
          ? keywordEntry(schema, "prefixItems", value, where, judging)
          : leftOut();
      case "named schemas": {
        if (!isJsonObject(value)) return leftOut();
        if (!allowance.spendOn(value)) return [];
        const named = Object.entries(value)
          .filter(([name]) => {
            if (keyword !== "patternProperties" || isEcmaScriptPattern(name)) return true;
            malformed.pattern(schema, name, where);
            return false;
          })
          .map(([name, one]): [string, Json] => [escapeKey(name), copied(one, where, judging)]);
        return [[keyword, Object.fromEntries(named)]];
      }
    }
  }

  function componentOf(reference: string, where: string): string | null {
    const target = resolve(reference);
    if (!target.ok) {
      report(where, target.failure);
      return null;
    }
    const { pointer, value } = target.value;
    const known = names.get(pointer);
    if (known !== undefined) return known;
    const name = freeName(pointer);
    names.set(pointer, name);
    inPlace.set(name, new Set());
    waiting.push({ name, value, where: `document${pointer.replaceAll("/", ".")}` });
    return name;
  }

  function freeName(pointer: string): string {
    const last = pointer.slice(pointer.lastIndexOf("/") + 1).slice(0, NAME_CHARACTERS_MAX);
    const wanted = last.replace(/[^A-Za-z0-9._-]+/g, "-") || "schema";
    return pickName(wanted, wanted === "__proto__" ? "proto" : wanted);
  }

  function report(path: string, message: string): void {
    if (problems.length < PROBLEMS_REPORTED_MAX) problems.push({ path, message });
  }

  return {
    copy: (schema, where) => copied(schema, where, null),
    components() {
      const components: [string, Json][] = [];
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        components.push([next.name, copied(next.value, next.where, next.name)]);
      }
      const cycle = findCycle(inPlace);
      if (cycle !== null) {
        const message = `must not refer to itself with nothing in between: ${cycle.slice(0, CYCLE_SHOWN_MAX).join(" → ")}`;
        report(`document.components.schemas.${cycle[0]}`, message);
      }
      return Object.fromEntries(components);
    },
  };
}

/** Escapes the name of a property, because the upgrader treats `example` as the keyword and loses `__proto__`. */
function escapeKey(name: string): string {
  return `.${name}`;
}

export function unescapeKey(key: string): string {
  return key.slice(1);
}
