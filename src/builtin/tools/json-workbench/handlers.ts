import type { CapabilityHandler, CapabilityHandlers } from "../../../tools/connectors/contract.ts";
import { diffDocuments } from "./diff.ts";
import { type Json, type JsonObject, toJsonObject } from "../../../kernel/json.ts";
import { type Problem, preview, fail, ok, type Result } from "../../../kernel/result.ts";
import { visitMatches, type JsonPathFailure } from "../../../tools/schema/json-path.ts";
import { parseJsonDocument } from "../json-document.ts";
import { collectProblems } from "../parameters.ts";
import type { OutputUnit, SchemaDraft } from "@cfworker/json-schema";
import { prepareValidation, type ValidatorInput } from "../../../tools/schema/validator.ts";

const PATH_CHARACTERS_MAX = 1_000;
const MATCHES_MAX = 1_000;
const VALUES_CHARACTERS_MAX = 1_500_000;
// A filter is evaluated for each value and can be almost as long as the path.
const QUERY_UNITS_BY_CHARACTERS_MAX = 100_000_000;
const QUERY_UNITS_MAX = 1_000_000;
const DEPTH_MAX = 200;

/**
 * Returns `{matches: [{path, value}], count, notes}` for an RFC 9535 query, with normalized paths. `count` includes all
 * matches; `matches` lists at most 1,000 of them, with at most 1.5 million characters in all.
 */
const queryDocument: CapabilityHandler = async (parameters) => {
  const document = parseJsonDocument(String(parameters["document"]), "document");
  const found = collectMatches(String(parameters["path"]), document.ok ? document.value : null);
  return found.ok && document.ok ? found : fail(collectProblems([found, document]));
};

function collectMatches(path: string, document: Json): Result<JsonObject, Problem> {
  if (path.length > PATH_CHARACTERS_MAX) {
    const message = `must have at most ${PATH_CHARACTERS_MAX} characters, got ${path.length}`;
    return fail({ path: "path", message });
  }
  const matches: JsonObject[] = [];
  let count = 0;
  let characters = 0;
  const bounds = {
    unitsMax: Math.min(QUERY_UNITS_MAX, QUERY_UNITS_BY_CHARACTERS_MAX / Math.max(path.length, 1)),
    depthMax: DEPTH_MAX,
    patterns: "i-regexp",
  } as const;
  const walked = visitMatches(path, document, bounds, (match) => {
    count += 1;
    if (count > MATCHES_MAX || characters > VALUES_CHARACTERS_MAX) return true;
    const value = match.value();
    characters += JSON.stringify(value).length;
    if (characters <= VALUES_CHARACTERS_MAX) matches.push({ path: match.path(), value });
    return true;
  });
  if (!walked.ok) return fail({ path: "path", message: formatPathFailure(walked.failure) });
  const isCut = matches.length < count;
  const notes = isCut ? [`Only the first ${matches.length} of ${count} matches are listed.`] : [];
  return ok({ matches, count, notes });
}

function formatPathFailure(failure: JsonPathFailure): string {
  return failure.kind === "work_exceeded"
    ? "would take too long on this document; use a narrower query"
    : `must be a JSONPath query (RFC 9535): ${failure.reason}`;
}

const DRAFTS: readonly SchemaDraft[] = ["2020-12", "2019-09", "7", "4"];
const ERRORS_MAX = 100;
const VALIDATION_UNITS_MAX = 300_000;
// Collecting all errors has a lower limit, because the validator keeps them in memory until the end.
const ALL_ERRORS_UNITS_MAX = 100_000;

/**
 * Returns `{valid, draft, errors: [{path, message, keyword}], notes}` with at most 100 errors. `path` is a JSON
 * Pointer.
 */
const validateDocument: CapabilityHandler = async (parameters) => {
  const parsed = parseJsonDocument(String(parameters["document"]), "document");
  const schema = toJsonObject(parameters["schema"]);
  const named = parseDraft(parameters["draft"], schema);
  const document = parsed.ok ? parsed.value : null;
  const draft = named.ok ? named.value : "2020-12";
  const outcome = runValidation({ document, schema, draft });
  if (parsed.ok && named.ok) return outcome;
  return fail([parsed, named, outcome].flatMap((part) => (part.ok ? [] : part.failure)));
};

export const jsonWorkbenchHandlers: CapabilityHandlers = {
  validate: validateDocument,
  query: queryDocument,
  diff: diffDocuments,
};

function runValidation(question: ValidatorInput): Result<JsonObject, Problem[]> {
  const { draft } = question;
  const prepared = prepareValidation(question, VALIDATION_UNITS_MAX);
  if (!prepared.ok && prepared.failure.reason !== "work_exceeded") {
    return fail(prepared.failure.reason);
  }
  const validation = prepared.ok ? prepared.value : null;
  const isShort = validation !== null && validation.units <= ALL_ERRORS_UNITS_MAX;
  const all = isShort ? validation.run(false) : null;
  const findings = all ?? validation?.run(true) ?? null;
  if (findings === null) {
    const message = "would take too long on this document, or contains an endless reference cycle";
    return fail([{ path: "schema", message }]);
  }
  if (findings.errors.length === 0) return ok({ valid: true, draft, errors: [], notes: [] });
  const errors = toValidationErrors(findings.errors);
  const notes: string[] = [];
  if (all === null) notes.push("Only the first errors are listed; there may be more.");
  if (errors.length > ERRORS_MAX) {
    notes.push(`Only the first ${ERRORS_MAX} of ${errors.length} errors are listed.`);
  }
  return ok({ valid: false, draft, errors: errors.slice(0, ERRORS_MAX), notes });
}

function parseDraft(given: Json | undefined, schema: JsonObject): Result<SchemaDraft, Problem> {
  const named = typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  const wanted = given ?? /draft[/-]?0?(2020-12|2019-09|7|4)\b/.exec(named)?.[1] ?? DRAFTS[0];
  const draft = DRAFTS.find((known) => known === wanted);
  if (draft !== undefined) return ok(draft);
  return fail({
    path: "draft",
    message: `must be one of ${DRAFTS.join(", ")}, got ${preview(wanted)}`,
  });
}

const MESSAGE_CHARACTERS_MAX = 300;

// Keywords whose errors only mean that a subschema failed.
const DELEGATING_KEYWORDS = new Set(
  "$ref $recursiveRef additionalItems additionalProperties allOf dependencies dependentSchemas items patternProperties prefixItems properties propertyNames unevaluatedItems unevaluatedProperties".split(
    " ",
  ),
);

/** The `{path, message, keyword}` of each error. `path` is a JSON Pointer to the invalid value. */
function toValidationErrors(units: readonly OutputUnit[]): JsonObject[] {
  return units.flatMap((unit, index) => {
    const above = units[index - 1];
    const below = units[index + 1];
    if (below !== undefined && DELEGATING_KEYWORDS.has(unit.keyword) && isErrorBelow(below, unit))
      return [];
    const isForbidden = unit.keyword === "false" && above !== undefined;
    return [
      {
        path: decodeURIComponent(unit.instanceLocation.slice(1)),
        message: isForbidden ? "No value is allowed here." : formatErrorMessage(unit),
        keyword: isForbidden ? above.keyword : unit.keyword,
      },
    ];
  });
}

// The validator wrongly reports a document location as the keyword location of a boolean schema's error.
function isErrorBelow(below: OutputUnit, unit: OutputUnit): boolean {
  return below.keyword === "false" || below.keywordLocation.startsWith(`${unit.keywordLocation}/`);
}

function formatErrorMessage({ error, keyword }: OutputUnit): string {
  // The error for an enum quotes all its values.
  if (error.length > MESSAGE_CHARACTERS_MAX) return `${error.slice(0, MESSAGE_CHARACTERS_MAX)}…`;
  // For maxProperties, the validator reports the minProperties message.
  return keyword === "maxProperties" ? error.replace("not have at least", "have more than") : error;
}
