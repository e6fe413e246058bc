import {
  asJson,
  isJsonObject,
  isWithinDepth,
  type Json,
  type JsonObject,
} from "../../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";

/** The problem with the document's version; null for OpenAPI 3.0, 3.1 and 3.2. */
export function checkOpenApiVersion(document: JsonObject): Problem | null {
  const { openapi, swagger } = document;
  if (typeof openapi === "string" && /^3\.[012](?:\.|-|$)/.test(openapi)) return null;
  if (openapi === undefined && swagger !== undefined) {
    const message = `is Swagger ${preview(swagger)}; convert the document to OpenAPI 3 first`;
    return { path: "document.swagger", message };
  }
  const message = `must be OpenAPI version 3.0, 3.1 or 3.2, got ${preview(openapi)}`;
  return { path: "document.openapi", message };
}

/** Whether schemas use the OpenAPI 3.0 dialect instead of JSON Schema 2020-12. */
export function isBefore31(document: JsonObject): boolean {
  return typeof document["openapi"] === "string" && document["openapi"].startsWith("3.0");
}

// A few megabytes can describe more objects than fit into a Worker's memory. GitHub's document has 21 levels, 99,000
// brackets and 175,000 commas, including those in text.
const DEPTH_MAX = 100;
const BRACKETS_MAX = 200_000;
const COMMAS_MAX = 800_000;

function parseJson(text: string): Result<Json, string> {
  if (isMoreThan(text, "[{", BRACKETS_MAX) || isMoreThan(text, ",", COMMAS_MAX)) {
    return fail(
      `must have at most ${BRACKETS_MAX} objects and lists, and at most ${COMMAS_MAX} commas`,
    );
  }
  try {
    const value = asJson(JSON.parse(text));
    if (isWithinDepth(value, DEPTH_MAX)) return ok(value);
    return fail(`must be nested at most ${DEPTH_MAX} levels deep`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it cannot be parsed";
    return fail(`must be valid JSON: ${reason}`);
  }
}

const YAML_CHARACTERS_MAX = 3_000_000;
// The parser needs up to a kilobyte per mark, so parsing more marks than this would exceed a Worker's memory. A
// document of 1.8 MB, half the size of Stripe's, has 110,000 marks.
const MARKS_MAX = 120_000;
const YAML_MARKS = "-?:\n,[{!&*";
/** Flow style needs twice as much memory as block style. */
const FLOW_MARKS = ",[{!&*";

/** Parses a single YAML 1.2 document and resolves its aliases. The failure reads `must …`. */
async function parseYaml(text: string): Promise<Result<Json, string>> {
  if (text.length > YAML_CHARACTERS_MAX) {
    return fail(
      `must have at most ${YAML_CHARACTERS_MAX} characters as YAML, got ${text.length}; send it as JSON instead`,
    );
  }
  if (isMoreThan(text, YAML_MARKS, MARKS_MAX) || isMoreThan(text, FLOW_MARKS, MARKS_MAX / 2)) {
    return fail("must have fewer lines, lists and fields as YAML; send it as JSON instead");
  }
  const { parseYamlDocuments } = await import("../../../platform/yaml.ts");
  const parsed = parseYamlDocuments(text, "JSON or YAML");
  return parsed.ok ? ok(parsed.value.values[0] ?? null) : parsed;
}

/** Whether a text contains more than `countMax` of the given characters. */
function isMoreThan(text: string, characters: string, countMax: number): boolean {
  let count = 0;
  for (const character of characters) {
    let at = text.indexOf(character);
    while (at !== -1 && count <= countMax) {
      count += 1;
      at = text.indexOf(character, at + 1);
    }
  }
  return count > countMax;
}

const DOCUMENT_PATH = "document";

/** Parses JSON or YAML text that contains an object. */
export async function parseOpenApiText(text: string): Promise<Result<JsonObject, Problem>> {
  const content = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (/^\s*</.test(content)) {
    const beginning = preview(content.trimStart().slice(0, 100));
    return fail({ path: DOCUMENT_PATH, message: `must be JSON or YAML, got ${beginning}` });
  }
  const parsed = /^\s*[[{]/.test(content) ? parseJson(content) : await parseYaml(content);
  if (!parsed.ok) return fail({ path: DOCUMENT_PATH, message: parsed.failure });
  if (isJsonObject(parsed.value)) return ok(parsed.value);
  const message = "must be an OpenAPI document: an object in JSON or YAML";
  return fail({ path: DOCUMENT_PATH, message });
}
