import type { Json, JsonObject } from "../../../kernel/json.ts";
import type { Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { visitMatches, type JsonPathFailure } from "../../../tools/schema/json-path.ts";
import { parseJsonDocument } from "../json-document.ts";

const PATH_CHARACTERS_MAX = 1_000;
const MATCHES_MAX = 1_000;
const VALUES_CHARACTERS_MAX = 1_500_000;
// A filter as long as the path may be evaluated for each value.
const UNITS_BY_CHARACTERS_MAX = 100_000_000;
const UNITS_MAX = 1_000_000;
const DEPTH_MAX = 200;

/**
 * `{matches: [{path, value}], count, notes}`: what an RFC 9535 query selects, with normalized paths.
 * `count` is all of them; at most 1,000 matches and 1.5 million characters are listed.
 */
export async function queryDocument(
  parameters: JsonObject,
): Promise<Result<JsonObject, Problem[]>> {
  const path = String(parameters["path"]);
  const document = parseJsonDocument(String(parameters["document"]), "document");
  if (path.length > PATH_CHARACTERS_MAX) {
    const message = `must have at most ${PATH_CHARACTERS_MAX} characters, got ${path.length}`;
    return fail([{ path: "path", message }, ...(document.ok ? [] : [document.failure])]);
  }
  const outcome = collectMatches(path, document.ok ? document.value : null);
  if (outcome.ok) return document.ok ? outcome : fail([document.failure]);
  if (outcome.failure.kind === "work_exceeded") {
    return fail([{ path: "path", message: "selects too much work for this document; narrow it" }]);
  }
  const message = `must be a JSONPath query (RFC 9535): ${outcome.failure.reason}`;
  return fail([{ path: "path", message }, ...(document.ok ? [] : [document.failure])]);
}

function collectMatches(path: string, document: Json): Result<JsonObject, JsonPathFailure> {
  const matches: JsonObject[] = [];
  let count = 0;
  let characters = 0;
  const bounds = {
    unitsMax: Math.min(UNITS_MAX, UNITS_BY_CHARACTERS_MAX / Math.max(path.length, 1)),
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
  if (!walked.ok) return walked;
  const isCut = matches.length < count;
  const notes = isCut ? [`Only the first ${matches.length} of ${count} matches are listed.`] : [];
  return ok({ matches, count, notes });
}
