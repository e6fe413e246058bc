import { stringify } from "yaml";
import type { Json } from "../../../kernel/json.ts";
import { type Problem, ok, type Result } from "../../../kernel/result.ts";
import { failContent, type FormatReadResult, type FormatWriteResult } from "./formats.ts";
import { walkJson } from "../json-document.ts";
import { parseYamlDocuments, type YamlContent } from "../../../platform/yaml.ts";

// The parser takes a microsecond per character and five microseconds per error.
const YAML_CHARACTERS_MAX = 200_000;
const TAGS_SHOWN_MAX = 5;

/** Reads YAML 1.2 (core schema). Returns an array for several documents, and null for none. */
export function readYaml(content: string): Result<FormatReadResult, Problem> {
  if (content.length > YAML_CHARACTERS_MAX) {
    return failContent(
      `must have at most ${YAML_CHARACTERS_MAX} characters of YAML, got ${content.length}`,
    );
  }
  const parsed = parseYamlDocuments(content, "YAML");
  if (!parsed.ok) return failContent(parsed.failure);
  const { values } = parsed.value;
  const value = values.length > 1 ? [...values] : (values[0] ?? null);
  return ok({ value, notes: buildReadNotes(parsed.value) });
}

function buildReadNotes({ values, warnings, ...content }: YamlContent): string[] {
  const notes: string[] = [];
  if (values.length > 1) notes.push(`${values.length} YAML documents were combined into an array.`);
  const tags = [...new Set(warnings)].slice(0, TAGS_SHOWN_MAX);
  if (tags.length > 0) notes.push(`Tags were omitted: ${tags.join("; ")}.`);
  if (content.hasMergeKey) {
    notes.push("Merge keys (<<) belong to YAML 1.1 and were kept as ordinary keys.");
  }
  if (content.hasTextNumbers) {
    notes.push(
      "Numbers that JSON cannot represent exactly (.inf, .nan, beyond 2^53) were converted to strings.",
    );
  }
  return notes;
}

// The library takes about four microseconds per value.
const YAML_VALUES_MAX = 250_000;

/**
 * Writes YAML 1.2 that YAML 1.1 parsers read the same way. For example, "no" is quoted because YAML 1.1 reads it as a
 * boolean.
 */
export function writeYaml(value: Json): Result<FormatWriteResult, Problem> {
  const values = walkJson(value).reduce((count) => count + 1, 0);
  if (values > YAML_VALUES_MAX) {
    return failContent(
      `must contain at most ${YAML_VALUES_MAX} values to be converted to YAML, got ${values}`,
    );
  }
  const content = stringify(value, {
    schema: "core",
    compat: "yaml-1.1",
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
  return ok({ content, notes: [] });
}
