import type { SchemaDraft } from "@cfworker/json-schema";
import { isJsonObject, type Json, type JsonObject } from "../../../../domain/json.ts";
import { shown, type Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { runValidator, type Question } from "../../../schema/validator.ts";
import { factsOf } from "../../../schema/facts.ts";
import { metered } from "../../../schema/work.ts";
import { parseDocument } from "./document.ts";
import { errorsOf } from "./errors.ts";

const DRAFTS: readonly SchemaDraft[] = ["2020-12", "2019-09", "7", "4"];
const ERRORS_MAX = 100;
const UNITS_MAX = 300_000;
// The validator keeps every error it finds until the end, so the search for all of them is shorter.
const ALL_ERRORS_UNITS_MAX = 100_000;

/**
 * `{valid, draft, errors: [{path, message, keyword}], notes}`: at most 100 errors, `path` being a JSON
 * Pointer into the document.
 */
export async function validate(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const parsed = parseDocument(String(parameters["document"]), "document");
  const given = parameters["schema"];
  const schema = isJsonObject(given) ? given : {};
  const named = draftOf(parameters["draft"], schema);
  const document = parsed.ok ? parsed.value : null;
  const draft = named.ok ? named.value : "2020-12";
  const verdict = judge({ document, facts: factsOf(document), schema, draft });
  if (parsed.ok && named.ok) return verdict;
  return fail([parsed, named, verdict].flatMap((part) => (part.ok ? [] : part.failure)));
}

function judge(question: Question): Result<JsonObject, Problem[]> {
  const { draft } = question;
  const brief = metered(UNITS_MAX, (spend) => runValidator(question, true, spend));
  if (!brief.ok) {
    const message = "asks for too much work on this document, or refers to itself without end";
    return fail([{ path: "schema", message }]);
  }
  if (!brief.value.ok) return brief.value;
  if (brief.value.value.errors.length === 0)
    return ok({ valid: true, draft, errors: [], notes: [] });
  const all = metered(ALL_ERRORS_UNITS_MAX, (spend) => runValidator(question, false, spend));
  const isAll = all.ok && all.value.ok;
  const errors = errorsOf((isAll ? all.value.value : brief.value.value).errors);
  const notes: string[] = [];
  if (!isAll) notes.push("Only the first errors are listed; there may be more.");
  if (errors.length > ERRORS_MAX) {
    notes.push(`Only the first ${ERRORS_MAX} of ${errors.length} errors are listed.`);
  }
  return ok({ valid: false, draft, errors: errors.slice(0, ERRORS_MAX), notes });
}

function draftOf(given: Json | undefined, schema: JsonObject): Result<SchemaDraft, Problem> {
  const named = typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  const word = given ?? /draft[/-]?0?(2020-12|2019-09|7|4)\b/.exec(named)?.[1] ?? DRAFTS[0];
  const draft = DRAFTS.find((known) => known === word);
  if (draft !== undefined) return ok(draft);
  return fail({
    path: "draft",
    message: `must be one of ${DRAFTS.join(", ")}, got ${shown(word)}`,
  });
}
