import type { OutputUnit, SchemaDraft } from "@cfworker/json-schema";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import { preview, type Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { runValidator, type ValidatorInput } from "../../../tools/schema/validator.ts";
import { measureDocument } from "../../../tools/schema/document-facts.ts";
import { runMetered } from "../../../tools/schema/work-limit.ts";
import { parseJsonDocument } from "../json-document.ts";

const DRAFTS: readonly SchemaDraft[] = ["2020-12", "2019-09", "7", "4"];
const ERRORS_MAX = 100;
const UNITS_MAX = 300_000;
// The validator stores all errors until the end, so the search for all of them has a lower limit.
const ALL_ERRORS_UNITS_MAX = 100_000;

/**
 * `{valid, draft, errors: [{path, message, keyword}], notes}`: at most 100 errors, `path` being a JSON
 * Pointer into the document.
 */
export async function validateDocument(
  parameters: JsonObject,
): Promise<Result<JsonObject, Problem[]>> {
  const parsed = parseJsonDocument(String(parameters["document"]), "document");
  const given = parameters["schema"];
  const schema = isJsonObject(given) ? given : {};
  const named = parseDraft(parameters["draft"], schema);
  const document = parsed.ok ? parsed.value : null;
  const draft = named.ok ? named.value : "2020-12";
  const outcome = runValidation({ document, facts: measureDocument(document), schema, draft });
  if (parsed.ok && named.ok) return outcome;
  return fail([parsed, named, outcome].flatMap((part) => (part.ok ? [] : part.failure)));
}

function runValidation(question: ValidatorInput): Result<JsonObject, Problem[]> {
  const { draft } = question;
  const firstErrors = runMetered(UNITS_MAX, (spend) => runValidator(question, true, spend));
  if (!firstErrors.ok) {
    const message = "asks for too much work on this document, or refers to itself without end";
    return fail([{ path: "schema", message }]);
  }
  if (!firstErrors.value.ok) return firstErrors.value;
  if (firstErrors.value.value.errors.length === 0)
    return ok({ valid: true, draft, errors: [], notes: [] });
  const allErrors = runMetered(ALL_ERRORS_UNITS_MAX, (spend) =>
    runValidator(question, false, spend),
  );
  const isAll = allErrors.ok && allErrors.value.ok;
  const errors = toValidationErrors(
    (isAll ? allErrors.value.value : firstErrors.value.value).errors,
  );
  const notes: string[] = [];
  if (!isAll) notes.push("Only the first errors are listed; there may be more.");
  if (errors.length > ERRORS_MAX) {
    notes.push(`Only the first ${ERRORS_MAX} of ${errors.length} errors are listed.`);
  }
  return ok({ valid: false, draft, errors: errors.slice(0, ERRORS_MAX), notes });
}

function parseDraft(given: Json | undefined, schema: JsonObject): Result<SchemaDraft, Problem> {
  const named = typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  const word = given ?? /draft[/-]?0?(2020-12|2019-09|7|4)\b/.exec(named)?.[1] ?? DRAFTS[0];
  const draft = DRAFTS.find((known) => known === word);
  if (draft !== undefined) return ok(draft);
  return fail({
    path: "draft",
    message: `must be one of ${DRAFTS.join(", ")}, got ${preview(word)}`,
  });
}

const MESSAGE_CHARACTERS_MAX = 300;

// Keywords whose error only says that a subschema failed.
const DELEGATING_KEYWORDS = new Set([
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
function toValidationErrors(units: readonly OutputUnit[]): JsonObject[] {
  return units.flatMap((unit, index) => {
    const above = units[index - 1];
    const below = units[index + 1];
    if (below !== undefined && DELEGATING_KEYWORDS.has(unit.keyword) && isErrorBelow(below, unit))
      return [];
    const isForbidden = unit.keyword === "false" && above !== undefined;
    return [
      {
        path: toJsonPointer(unit.instanceLocation),
        message: isForbidden ? "Nothing is allowed here." : formatErrorMessage(unit),
        keyword: isForbidden ? above.keyword : unit.keyword,
      },
    ];
  });
}

// The validator locates the error of a boolean schema in the document by mistake.
function isErrorBelow(below: OutputUnit, unit: OutputUnit): boolean {
  return below.keyword === "false" || below.keywordLocation.startsWith(`${unit.keywordLocation}/`);
}

function formatErrorMessage({ error, keyword }: OutputUnit): string {
  // The error of an enum quotes all its values.
  if (error.length > MESSAGE_CHARACTERS_MAX) return `${error.slice(0, MESSAGE_CHARACTERS_MAX)}…`;
  // The validator has the text of minProperties here.
  return keyword === "maxProperties" ? error.replace("not have at least", "have more than") : error;
}

function toJsonPointer(location: string): string {
  return decodeURIComponent(location.slice(1));
}
