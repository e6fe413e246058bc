import { isJsonObject, type Json, type JsonObject, toJsonObject } from "../../../kernel/json.ts";
import { preview } from "../../../kernel/result.ts";
import { createEqualityKeys } from "../document-facts.ts";
import type { ValidatorOutput } from "../validator.ts";
import { describeFormat } from "../schema-keywords.ts";
import { joinLocation } from "./locations.ts";
import {
  formatListWithRest,
  formatMustNotBe,
  formatShownName,
  expectedValueOf,
  formatExpectedValue,
  type Mismatch,
} from "./mismatch.ts";

const PATTERN_CHARACTERS_MAX = 100;

interface KeywordError {
  readonly findings: ValidatorOutput;
  readonly schema: JsonObject;
  readonly value: Json | undefined;
  readonly location: string;
}

/** The mismatches for an error without nested errors. */
export function toMismatches(keyword: string, spot: KeywordError): Mismatch[] {
  const { findings, schema, value, location } = spot;
  switch (keyword) {
    case "type":
    case "enum":
    case "const": {
      const wanted = expectedValueOf(findings, { [keyword]: schema[keyword] ?? null });
      return [{ kind: "choice", location, wanted, got: value }];
    }
    case "required":
      return listMissing(spot, toNames(schema["required"]), null);
    case "dependentRequired":
    case "dependencies":
      return Object.entries(toJsonObject(value)).flatMap(([name]) => {
        const dependent = schema[keyword];
        const isOwn = isJsonObject(dependent) && Object.hasOwn(dependent, name);
        return listMissing(spot, toNames(isOwn ? dependent[name] : undefined), name);
      });
    default:
      return [{ kind: "other", location, message: () => formatRule(keyword, spot) }];
  }
}

/** The rule that a value violates, phrased to follow its path. */
function formatRule(keyword: string, { findings, schema, value }: KeywordError): string {
  const limit = schema[keyword] ?? null;
  const number = isIntegral(schema["type"]) ? "an integer" : "a number";
  switch (keyword) {
    case "minimum":
      return `must be ${number} of at least ${preview(limit)}, got ${preview(value)}`;
    case "maximum":
      return `must be ${number} of at most ${preview(limit)}, got ${preview(value)}`;
    case "exclusiveMinimum":
      return `must be ${number} above ${preview(limit)}, got ${preview(value)}`;
    case "exclusiveMaximum":
      return `must be ${number} below ${preview(limit)}, got ${preview(value)}`;
    case "multipleOf":
      return `must be a multiple of ${preview(limit)}, got ${preview(value)}`;
    case "minLength":
      if (limit === 1) return "must not be empty";
      return `must be at least ${formatCount(limit, "character")} long, got ${formatSize(value)}`;
    case "maxLength":
      return `must be at most ${formatCount(limit, "character")} long, got ${formatSize(value)}`;
    case "pattern":
      return `must match the pattern ${truncatePattern(String(limit))}, got ${preview(value)}`;
    case "format":
      return `must be ${describeFormat(String(limit))}, got ${preview(value)}`;
    case "minItems":
      return `must have at least ${formatCount(limit, "item")}, got ${formatSize(value)}`;
    case "maxItems":
      return `must have at most ${formatCount(limit, "item")}, got ${formatSize(value)}`;
    case "uniqueItems":
      return `must not contain duplicate items${formatRepetition(value)}`;
    case "contains":
      return `must contain ${formatItem(findings, schema) || "an item that matches the schema in `contains`"}`;
    case "minContains":
    case "maxContains": {
      const bound = keyword === "minContains" ? "at least" : "at most";
      const form = formatItem(findings, schema) || "valid against the schema in `contains`";
      return `must contain ${bound} ${formatCount(limit, "item")} that ${limit === 1 ? "is" : "are each"} ${form}`;
    }
    case "minProperties":
      return `must have at least ${formatCount(limit, "field")}, got ${formatSize(value)}`;
    case "maxProperties":
      return `must have at most ${formatCount(limit, "field")}, got ${formatSize(value)}`;
    case "not":
      return formatExclusion(findings, limit, value);
    default:
      return `does not satisfy the keyword ${keyword} in its schema, got ${preview(value)}`;
  }
}

/** Whether a schema rejects everything. For the validator, `false` is written as `{not: {}}`. */
export function isFalseSchema(schema: JsonObject | null): boolean {
  const excluded = schema?.["not"];
  return isJsonObject(excluded) && Object.keys(excluded).length === 0;
}

function formatExclusion(
  findings: ValidatorOutput,
  excluded: Json,
  value: Json | undefined,
): string {
  if (isJsonObject(excluded)) {
    if (isFalseSchema({ not: excluded })) return "is not allowed here";
    const wanted = expectedValueOf(findings, excluded);
    const names = toNames(excluded["required"]);
    const isPlain = Object.keys(excluded).length === 1;
    if (isPlain && names.length > 0) {
      return `must not have ${formatListWithRest(names, formatShownName)}${names.length > 1 ? " together" : ""}`;
    }
    if (isPlain && formatExpectedValue(wanted) !== "") return formatMustNotBe(wanted, value);
  }
  return `must not match the schema in \`not\`, got ${preview(value)}`;
}

function listMissing(
  spot: KeywordError,
  names: readonly string[],
  requiredBy: string | null,
): Mismatch[] {
  const { findings, schema, value, location } = spot;
  const properties = schema["properties"];
  return names
    .filter((name) => isJsonObject(value) && !Object.hasOwn(value, name))
    .map((name) => {
      const isKnown = isJsonObject(properties) && Object.hasOwn(properties, name);
      const wanted = expectedValueOf(findings, isKnown ? properties[name] : undefined);
      return { kind: "missing", location: joinLocation(location, name), wanted, requiredBy };
    });
}

function formatItem(findings: ValidatorOutput, schema: JsonObject): string {
  return formatExpectedValue(expectedValueOf(findings, schema["contains"]));
}

function formatRepetition(value: Json | undefined): string {
  if (!Array.isArray(value)) return "";
  const keyOf = createEqualityKeys(value);
  const first = new Map<string, number>();
  for (const [index, item] of value.entries()) {
    const before = first.get(keyOf(item));
    if (before !== undefined) return `; [${before}] and [${index}] are equal`;
    first.set(keyOf(item), index);
  }
  return "";
}

function toNames(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

function formatSize(value: Json | undefined): string {
  if (typeof value === "string") return String(Array.from(value).length);
  if (Array.isArray(value)) return String(value.length);
  return isJsonObject(value) ? String(Object.keys(value).length) : preview(value);
}

function formatCount(count: Json, thing: string): string {
  return `${preview(count)} ${thing}${count === 1 ? "" : "s"}`;
}

function isIntegral(type: Json | undefined): boolean {
  return type === "integer" || (Array.isArray(type) && type.includes("integer"));
}

function truncatePattern(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= PATTERN_CHARACTERS_MAX) return text;
  return `${characters.slice(0, PATTERN_CHARACTERS_MAX).join("")}…`;
}
