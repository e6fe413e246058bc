import { PROBLEMS_REPORTED_MAX } from "../../../kernel/limits.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import { preview, type Problem } from "../../../kernel/result.ts";
import { createNamePicker, type ImportNotes } from "../tool-draft.ts";
import { findCycle, type ResolveReference } from "./references.ts";
import {
  ANNOTATION_KEYWORDS,
  IN_PLACE_APPLICATORS,
  isEcmaScriptPattern,
  keywordKindOf,
  noteMalformedKeyword,
  noteMalformedPattern,
} from "./supported-keywords.ts";

/** The beginning of every reference in the schemas that the reader returns. */
export const DEFINITION_PREFIX = "#/$defs/";

/** Schemas, by the name used in references. */
export type SchemaDefinitions = ReadonlyMap<string, Json>;

export interface SchemaReader {
  /** Converts a schema to JSON Schema 2020-12. Only supported keywords are kept, plus `nullable`. */
  read(schema: Json | undefined, where: string): Json;
  /** Returns all referenced schemas. Call it last. */
  definitions(): SchemaDefinitions;
  /** Whether there were too many schemas, so some were not read. */
  isFull(): boolean;
}

/** The limit per import, because references can multiply schemas. Published documents have up to 18,000. */
const SCHEMAS_MAX = 100_000;
const NAME_CHARACTERS_MAX = 80;
const CYCLE_SHOWN_MAX = 10;

/** Reads OpenAPI schemas, including everything they refer to. `isBefore31` means OpenAPI 3.0. */
export function createSchemaReader(
  resolve: ResolveReference,
  problems: Problem[],
  isBefore31: boolean,
  notes: ImportNotes,
): SchemaReader {
  const names = new Map<string, string>();
  const waiting: { name: string; value: Json; where: string }[] = [];
  /** For each definition, the definitions that apply to the same value. A cycle among them is an error. */
  const inPlace = new Map<string, Set<string>>();
  const pickName = createNamePicker((name) => inPlace.has(name));
  let count = 0;

  function readSchema(schema: Json | undefined, where: string, owner: string | null): Json {
    count += 1;
    if (schema === undefined || count > SCHEMAS_MAX) return {};
    if (typeof schema === "boolean") return schema;
    if (!isJsonObject(schema)) {
      report(where, `must be a schema, got ${preview(schema)}`);
      return {};
    }
    // In OpenAPI 3.0, siblings of a reference are ignored.
    const isAlone = isBefore31 && typeof schema["$ref"] === "string";
    const kept = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
      if (keyword === "$ref" && typeof value === "string") {
        const name = nameOf(value, where);
        if (name === null) return [];
        if (owner !== null) inPlace.get(owner)?.add(name);
        return [[keyword, DEFINITION_PREFIX + name]];
      }
      if (isAlone && !ANNOTATION_KEYWORDS.has(keyword)) return [];
      return readKeyword(keyword, value, where, owner);
    });
    const read = Object.fromEntries(kept);
    return isBefore31 ? upgradeSchema(read) : read;
  }

  function readKeyword(
    keyword: string,
    value: Json,
    where: string,
    owner: string | null,
  ): [string, Json][] {
    const inner = IN_PLACE_APPLICATORS.has(keyword) ? owner : null;
    const isList = Array.isArray(value) && value.length > 0;
    const kind = keywordKindOf(keyword, value);
    // Drafts before 2020-12 allow a list of schemas in `items`.
    if (keyword === "items" && isList) return readKeyword("prefixItems", value, where, owner);
    if (kind === "schemas" && isList) {
      return [[keyword, value.map((one) => readSchema(one, where, inner))]];
    }
    if (kind === "schema" && !Array.isArray(value)) {
      return [[keyword, readSchema(value, where, inner)]];
    }
    if (kind === "named schemas" && isJsonObject(value)) {
      const named = Object.entries(value)
        .filter(([name]) => keyword !== "patternProperties" || isPattern(name, where))
        .map(([name, one]): [string, Json] => [name, readSchema(one, where, inner)]);
      return [[keyword, Object.fromEntries(named)]];
    }
    // OpenAPI 3.0 uses the boolean bounds of JSON Schema draft 4.
    const isOldBound = keyword.startsWith("exclusive") && typeof value === "boolean";
    if (kind === "plain" && (isBefore31 || !isOldBound)) return [[keyword, value]];
    noteMalformedKeyword(notes, keyword, value, where);
    return [];
  }

  function isPattern(source: string, where: string): boolean {
    const isUsable = isEcmaScriptPattern(source);
    if (!isUsable) noteMalformedPattern(notes, source, where);
    return isUsable;
  }

  function nameOf(reference: string, where: string): string | null {
    const target = resolve(reference);
    if (!target.ok) {
      report(where, target.failure);
      return null;
    }
    const { pointer, value } = target.value;
    const known = names.get(pointer);
    if (known !== undefined) return known;
    const name = pickFreeName(pointer);
    names.set(pointer, name);
    inPlace.set(name, new Set());
    waiting.push({ name, value, where: `document${pointer.replaceAll("/", ".")}` });
    return name;
  }

  function pickFreeName(pointer: string): string {
    const last = pointer.slice(pointer.lastIndexOf("/") + 1).slice(0, NAME_CHARACTERS_MAX);
    const wanted = last.replace(/[^A-Za-z0-9._-]+/g, "-") || "schema";
    return pickName(wanted, wanted === "__proto__" ? "proto" : wanted);
  }

  function report(path: string, message: string): void {
    if (problems.length < PROBLEMS_REPORTED_MAX) problems.push({ path, message });
  }

  return {
    read: (schema, where) => readSchema(schema, where, null),
    definitions() {
      const definitions = new Map<string, Json>();
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        definitions.set(next.name, readSchema(next.value, next.where, next.name));
      }
      const cycle = findCycle(inPlace);
      if (cycle !== null) {
        const message = `must not refer to itself without a property or item in between: ${cycle.slice(0, CYCLE_SHOWN_MAX).join(" → ")}`;
        report(`document.components.schemas.${cycle[0]}`, message);
      }
      return definitions;
    },
    isFull: () => count > SCHEMAS_MAX,
  };
}

const FILE_FORMATS: Readonly<Record<string, JsonObject>> = {
  binary: { contentMediaType: "application/octet-stream" },
  base64: { contentEncoding: "base64" },
  byte: { contentEncoding: "base64" },
};

/** Converts an OpenAPI 3.0 schema to JSON Schema. Keeps `nullable` if there is no `type`. */
function upgradeSchema(schema: JsonObject): JsonObject {
  const { type, nullable, format } = schema;
  const content = type === "string" && nullable !== true ? FILE_FORMATS[String(format)] : undefined;
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
    switch (keyword) {
      case "type":
        return [[keyword, nullable === true ? [value, "null"].flat() : value]];
      case "nullable":
        return type === undefined ? [[keyword, value]] : [];
      case "format":
        return content === undefined ? [[keyword, value]] : [];
      case "minimum":
      case "maximum":
        return schema[exclusiveOf(keyword)] === true ? [] : [[keyword, value]];
      case "exclusiveMinimum":
      case "exclusiveMaximum": {
        if (typeof value !== "boolean") return [[keyword, value]];
        const bound = schema[keyword === "exclusiveMinimum" ? "minimum" : "maximum"];
        return value && bound !== undefined ? [[keyword, bound]] : [];
      }
      default:
        return [[keyword, value]];
    }
  });
  return { ...Object.fromEntries(entries), ...content };
}

function exclusiveOf(bound: "minimum" | "maximum"): string {
  return bound === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
}
