import { LineCounter, parseAllDocuments, type Document } from "yaml";
import type { Json } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { CONTENT, type Reading } from "./formats.ts";
import { surveyYaml } from "./yaml-survey.ts";
import { yamlValue } from "./yaml-value.ts";

// The parser takes a microsecond for a character, and five for an error.
const CHARACTERS_MAX = 200_000;
const TAGS_SHOWN_MAX = 5;
const TOO_DEEP = "must be nested less deeply";

/** The data of a YAML 1.2 text (core schema); several documents become an array, none null. */
export function readYaml(content: string): Result<Reading, Problem> {
  if (content.length > CHARACTERS_MAX) {
    return unfit(`must have at most ${CHARACTERS_MAX} characters of YAML, got ${content.length}`);
  }
  try {
    return read(content);
  } catch (error) {
    if (error instanceof RangeError) return unfit(TOO_DEEP);
    throw error;
  }
}

function read(content: string): Result<Reading, Problem> {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(content, {
    schema: "core",
    intAsBigInt: true,
    lineCounter: lines,
    logLevel: "silent",
    // Both are quadratic in the library: the survey does the second in one pass.
    prettyErrors: false,
    uniqueKeys: false,
    resolveKnownTags: false,
  });
  const documents: Document.Parsed[] = Array.isArray(parsed) ? parsed : [];
  const values: Json[] = [];
  const budget = { values: 0, characters: 0 };
  let hasMergeKey = false;
  let hasTextNumbers = false;
  for (const { contents, errors } of documents) {
    const [error] = errors;
    if (error !== undefined) {
      // The parser reports its own stack overflow as an error of the text.
      if (error.message.includes("call stack")) return unfit(TOO_DEEP);
      return unfit(`must be YAML: ${error.message} (line ${lines.linePos(error.pos[0]).line})`);
    }
    const survey = surveyYaml(contents);
    if (survey.fault !== null) {
      return unfit(`${survey.fault.message} (line ${lines.linePos(survey.fault.offset).line})`);
    }
    const data = yamlValue(contents, survey.targets, budget);
    if (!data.ok) return unfit(data.failure);
    values.push(data.value.value);
    hasMergeKey ||= survey.hasMergeKey;
    hasTextNumbers ||= data.value.hasTextNumbers;
  }
  const notes = [...documentNotes(documents)];
  if (hasMergeKey) notes.push("Merge keys (<<) are YAML 1.1 and were kept as ordinary keys.");
  if (hasTextNumbers) {
    notes.push("Numbers that JSON cannot carry exactly (.inf, .nan, past 2^53) became text.");
  }
  return ok({ value: values.length > 1 ? values : (values[0] ?? null), notes });
}

function documentNotes(documents: readonly Document.Parsed[]): string[] {
  const notes: string[] = [];
  if (documents.length > 1) notes.push(`${documents.length} YAML documents became an array.`);
  const tags = new Set(documents.flatMap(({ warnings }) => warnings.map(({ message }) => message)));
  if (tags.size > 0) {
    notes.push(`Tags were left out: ${[...tags].slice(0, TAGS_SHOWN_MAX).join("; ")}.`);
  }
  return notes;
}

function unfit(message: string): { readonly ok: false; readonly failure: Problem } {
  return fail({ path: CONTENT, message });
}
