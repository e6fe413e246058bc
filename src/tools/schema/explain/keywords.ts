import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { shown } from "../../../domain/problem.ts";
import { keysOf } from "../equality.ts";
import type { Findings } from "../validator.ts";
import type { Finding } from "./finding.ts";
import { formatText } from "./formats.ts";
import { memberOf } from "./locations.ts";
import { listed, mustNotBe, nameText, wantedOf, wantedText } from "./wanted.ts";

const PATTERN_CHARACTERS_MAX = 100;

/** A value that a keyword of `schema` finds at fault. */
export interface Spot {
  readonly findings: Findings;
  readonly schema: JsonObject;
  readonly value: Json | undefined;
  readonly location: string;
}

/** What to mend about a keyword that judges a value by itself. */
export function findingsOf(keyword: string, spot: Spot): Finding[] {
  const { findings, schema, value, location } = spot;
  switch (keyword) {
    case "type":
    case "enum":
    case "const": {
      const wanted = wantedOf(findings, { [keyword]: schema[keyword] ?? null });
      return [{ kind: "choice", location, wanted, got: value }];
    }
    case "required":
      return missing(spot, namesOf(schema["required"]), null);
    case "dependentRequired":
    case "dependencies":
      return Object.entries(isJsonObject(value) ? value : {}).flatMap(([name]) => {
        const dependent = schema[keyword];
        const isOwn = isJsonObject(dependent) && Object.hasOwn(dependent, name);
        return missing(spot, namesOf(isOwn ? dependent[name] : undefined), name);
      });
    default:
      return [{ kind: "other", location, message: () => ruleText(keyword, spot) }];
  }
}

/** How a value breaks the rule of a keyword, as the continuation of its path. */
function ruleText(keyword: string, { findings, schema, value }: Spot): string {
  const limit = schema[keyword] ?? null;
  const number = isIntegral(schema["type"]) ? "an integer" : "a number";
  switch (keyword) {
    case "minimum":
      return `must be ${number} of at least ${shown(limit)}, got ${shown(value)}`;
    case "maximum":
      return `must be ${number} of at most ${shown(limit)}, got ${shown(value)}`;
    case "exclusiveMinimum":
      return `must be ${number} above ${shown(limit)}, got ${shown(value)}`;
    case "exclusiveMaximum":
      return `must be ${number} below ${shown(limit)}, got ${shown(value)}`;
    case "multipleOf":
      return `must be a multiple of ${shown(limit)}, got ${shown(value)}`;
    case "minLength":
      if (limit === 1) return "must not be empty";
      return `must be at least ${counted(limit, "character")} long, got ${sizeOf(value)}`;
    case "maxLength":
      return `must be at most ${counted(limit, "character")} long, got ${sizeOf(value)}`;
    case "pattern":
      return `must match the pattern ${cut(String(limit))}, got ${shown(value)}`;
    case "format":
      return `must be ${formatText(String(limit))}, got ${shown(value)}`;
    case "minItems":
      return `must have at least ${counted(limit, "item")}, got ${sizeOf(value)}`;
    case "maxItems":
      return `must have at most ${counted(limit, "item")}, got ${sizeOf(value)}`;
    case "uniqueItems":
      return `must not repeat an item${repetition(value)}`;
    case "contains":
      return `must contain ${itemText(findings, schema) || "an item of a certain form, and has none"}`;
    case "minContains":
    case "maxContains": {
      const bound = keyword === "minContains" ? "at least" : "at most";
      const form = itemText(findings, schema) || "of a certain form";
      return `must contain ${bound} ${counted(limit, "item")} that ${limit === 1 ? "is" : "are each"} ${form}`;
    }
    case "minProperties":
      return `must have at least ${counted(limit, "field")}, got ${sizeOf(value)}`;
    case "maxProperties":
      return `must have at most ${counted(limit, "field")}, got ${sizeOf(value)}`;
    case "not":
      return exclusionText(findings, limit, value);
    default:
      return `does not fit what its schema asks for with ${keyword}, got ${shown(value)}`;
  }
}

/** Whether a schema takes nothing at all, which is how `false` is written for the validator. */
export function takesNothing(schema: JsonObject | null): boolean {
  const excluded = schema?.["not"];
  return isJsonObject(excluded) && Object.keys(excluded).length === 0;
}

function exclusionText(findings: Findings, excluded: Json, value: Json | undefined): string {
  if (isJsonObject(excluded)) {
    if (takesNothing({ not: excluded })) return "is not allowed here";
    const wanted = wantedOf(findings, excluded);
    const names = namesOf(excluded["required"]);
    const isPlain = Object.keys(excluded).length === 1;
    if (isPlain && names.length > 0) {
      return `must not have ${listed(names, nameText)}${names.length > 1 ? " together" : ""}`;
    }
    if (isPlain && wantedText(wanted) !== "") return mustNotBe(wanted, value);
  }
  return `must not be of the form that its schema excludes, got ${shown(value)}`;
}

function missing(spot: Spot, names: readonly string[], beside: string | null): Finding[] {
  const { findings, schema, value, location } = spot;
  const properties = schema["properties"];
  return names
    .filter((name) => isJsonObject(value) && !Object.hasOwn(value, name))
    .map((name) => {
      const isKnown = isJsonObject(properties) && Object.hasOwn(properties, name);
      const wanted = wantedOf(findings, isKnown ? properties[name] : undefined);
      return { kind: "missing", location: memberOf(location, name), wanted, beside };
    });
}

function itemText(findings: Findings, schema: JsonObject): string {
  return wantedText(wantedOf(findings, schema["contains"]));
}

function repetition(value: Json | undefined): string {
  if (!Array.isArray(value)) return "";
  const keyOf = keysOf(value);
  const first = new Map<string, number>();
  for (const [index, item] of value.entries()) {
    const before = first.get(keyOf(item));
    if (before !== undefined) return `; [${before}] and [${index}] are the same`;
    first.set(keyOf(item), index);
  }
  return "";
}

function namesOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

function sizeOf(value: Json | undefined): string {
  if (typeof value === "string") return String(Array.from(value).length);
  if (Array.isArray(value)) return String(value.length);
  return isJsonObject(value) ? String(Object.keys(value).length) : shown(value);
}

function counted(count: Json, thing: string): string {
  return `${shown(count)} ${thing}${count === 1 ? "" : "s"}`;
}

function isIntegral(type: Json | undefined): boolean {
  return type === "integer" || (Array.isArray(type) && type.includes("integer"));
}

function cut(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= PATTERN_CHARACTERS_MAX) return text;
  return `${characters.slice(0, PATTERN_CHARACTERS_MAX).join("")}…`;
}
