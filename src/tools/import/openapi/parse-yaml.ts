import type { Document } from "yaml";
import type { Json } from "../../../domain/json.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { surveyYaml } from "../../connectors/builtin/format-bridge/yaml-survey.ts";
import { yamlValue } from "../../connectors/builtin/format-bridge/yaml-value.ts";

// The parser takes up to a kilobyte for a mark, so that these are what a Worker's memory holds. A
// document of 1.8 MB, half of Stripe's, has 110,000.
const CHARACTERS_MAX = 3_000_000;
const MARKS_MAX = 120_000;
/** What begins a value or ends one. What stands in a row is dearer than what stands in lines. */
const CHEAP_MARKS = "-?:\n";
const DEAR_MARKS = ",[{!&*";
const TOO_DEEP = "must be nested less deeply";

/** The value of a text with one YAML 1.2 document, its aliases written out; failures read `must …`. */
export async function parseYaml(text: string): Promise<Result<Json, string>> {
  const unfit = unfitSize(text);
  if (unfit !== null) return fail(unfit);
  const { LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const at = (offset: number): string => `line ${lines.linePos(offset).line}`;
  try {
    const parsed: Document.Parsed = parseDocument(text, {
      schema: "core",
      intAsBigInt: true,
      lineCounter: lines,
      // "silent" would also pass over further documents.
      logLevel: "error",
      // Both are quadratic in the library: the survey does the second in one pass.
      prettyErrors: false,
      uniqueKeys: false,
      resolveKnownTags: false,
    });
    const [error] = parsed.errors;
    if (error !== undefined) {
      // The parser reports its own stack overflow as an error of the text.
      if (error.message.includes("call stack")) return fail(TOO_DEEP);
      return fail(`must be JSON or YAML: ${error.message} (${at(error.pos[0])})`);
    }
    const { fault, targets } = surveyYaml(parsed.contents);
    if (fault !== null) return fail(`${fault.message} (${at(fault.offset)})`);
    const value = yamlValue(parsed.contents, targets, { values: 0, characters: 0 });
    return value.ok ? ok(value.value.value) : value;
  } catch (error) {
    if (error instanceof RangeError) return fail(TOO_DEEP);
    throw error;
  }
}

function unfitSize(text: string): string | null {
  if (text.length > CHARACTERS_MAX) {
    return `must have at most ${CHARACTERS_MAX} characters as YAML, got ${text.length}; give it as JSON`;
  }
  let marks = 0;
  for (const character of text) {
    if (CHEAP_MARKS.includes(character)) marks += 1;
    else if (DEAR_MARKS.includes(character)) marks += 2;
  }
  if (marks <= MARKS_MAX) return null;
  return `must have fewer lines, lists and fields as YAML (${marks} marks, at most ${MARKS_MAX}); give it as JSON`;
}
