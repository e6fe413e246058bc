import type { OutputUnit } from "@cfworker/json-schema";
import type { JsonObject } from "../../../../domain/json.ts";

const MESSAGE_CHARACTERS_MAX = 300;

// Keywords whose own error only says that one below them failed.
const PASSING_ON = new Set([
  "$ref",
  "$recursiveRef",
  "additionalItems",
  "additionalProperties",
  "allOf",
  "dependencies",
  "dependentSchemas",
  "items",
  "patternProperties",
  "prefixItems",
  "properties",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** `{path, message, keyword}` of each error, `path` being the JSON Pointer of the value it is about. */
export function errorsOf(units: readonly OutputUnit[]): JsonObject[] {
  return units.flatMap((unit, index) => {
    const above = units[index - 1];
    const below = units[index + 1];
    if (below !== undefined && PASSING_ON.has(unit.keyword) && isUnder(below, unit)) return [];
    const isForbidden = unit.keyword === "false" && above !== undefined;
    return [
      {
        path: pointerOf(unit.instanceLocation),
        message: isForbidden ? "Nothing is allowed here." : messageOf(unit),
        keyword: isForbidden ? above.keyword : unit.keyword,
      },
    ];
  });
}

// A boolean schema's error is located in the document, by a slip of the validator.
function isUnder(below: OutputUnit, unit: OutputUnit): boolean {
  return below.keyword === "false" || below.keywordLocation.startsWith(`${unit.keywordLocation}/`);
}

function messageOf({ error, keyword }: OutputUnit): string {
  // An enum's error quotes all of it.
  if (error.length > MESSAGE_CHARACTERS_MAX) return `${error.slice(0, MESSAGE_CHARACTERS_MAX)}…`;
  // The validator says "not at least" here, too.
  return keyword === "maxProperties" ? error.replace("not have at least", "have more than") : error;
}

function pointerOf(location: string): string {
  return decodeURIComponent(location.slice(1));
}
