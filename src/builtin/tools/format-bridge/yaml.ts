import { type Document, LineCounter, parseAllDocuments, stringify } from "yaml";
import type { Json } from "../../../kernel/json.ts";
import type { Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { CONTENT_PARAMETER, type FormatReadResult, type FormatWriteResult } from "./formats.ts";
import { inspectYaml, toJsonValue } from "../../../platform/yaml.ts";

// The parser takes a microsecond for a character, and five for an error.
const YAML_CHARACTERS_MAX = 200_000;
const TAGS_SHOWN_MAX = 5;
const TOO_DEEP_MESSAGE = "must be nested less deeply";

/** The data of a YAML 1.2 text (core schema); several documents become an array, none null. */
export function readYaml(content: string): Result<FormatReadResult, Problem> {
  if (content.length > YAML_CHARACTERS_MAX) {
    return failWith(
      `must have at most ${YAML_CHARACTERS_MAX} characters of YAML, got ${content.length}`,
    );
  }
  try {
    return parseYamlDocuments(content);
  } catch (error) {
    if (error instanceof RangeError) return failWith(TOO_DEEP_MESSAGE);
    throw error;
  }
}

function parseYamlDocuments(content: string): Result<FormatReadResult, Problem> {
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
      if (error.message.includes("call stack")) return failWith(TOO_DEEP_MESSAGE);
      return failWith(`must be YAML: ${error.message} (line ${lines.linePos(error.pos[0]).line})`);
    }
    const inspection = inspectYaml(contents);
    if (inspection.failure !== null) {
      return failWith(
        `${inspection.failure.message} (line ${lines.linePos(inspection.failure.offset).line})`,
      );
    }
    const data = toJsonValue(contents, inspection.targets, budget);
    if (!data.ok) return failWith(data.failure);
    values.push(data.value.value);
    hasMergeKey ||= inspection.hasMergeKey;
    hasTextNumbers ||= data.value.hasTextNumbers;
  }
  const notes = [...buildDocumentNotes(documents)];
  if (hasMergeKey) notes.push("Merge keys (<<) are YAML 1.1 and were kept as ordinary keys.");
  if (hasTextNumbers) {
    notes.push("Numbers that JSON cannot carry exactly (.inf, .nan, past 2^53) became text.");
  }
  return ok({ value: values.length > 1 ? values : (values[0] ?? null), notes });
}

function buildDocumentNotes(documents: readonly Document.Parsed[]): string[] {
  const notes: string[] = [];
  if (documents.length > 1) notes.push(`${documents.length} YAML documents became an array.`);
  const tags = new Set(documents.flatMap(({ warnings }) => warnings.map(({ message }) => message)));
  if (tags.size > 0) {
    notes.push(`Tags were left out: ${[...tags].slice(0, TAGS_SHOWN_MAX).join("; ")}.`);
  }
  return notes;
}

function failWith(message: string): { readonly ok: false; readonly failure: Problem } {
  return fail({ path: CONTENT_PARAMETER, message });
}

// The library takes about four microseconds for a value.
const YAML_VALUES_MAX = 250_000;

/** YAML 1.2 that readers of YAML 1.1 take the same way: "no" is quoted, being a boolean there. */
export function writeYaml(value: Json): Result<FormatWriteResult, Problem> {
  const values = countValues(value);
  if (values > YAML_VALUES_MAX) {
    const message = `must hold at most ${YAML_VALUES_MAX} values to become YAML, got ${values}`;
    return fail({ path: CONTENT_PARAMETER, message });
  }
  const content = stringify(value, {
    schema: "core",
    compat: "yaml-1.1",
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
  return ok({ content, notes: [] });
}

function countValues(value: Json): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, child) => sum + countValues(child), 1);
}
