import { asJson, isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";

/** The problem of the version; null for OpenAPI 3.0, 3.1 and 3.2. */
export function checkOpenApiVersion(document: JsonObject): Problem | null {
  const { openapi, swagger } = document;
  if (typeof openapi === "string" && /^3\.[012](?:\.|-|$)/.test(openapi)) return null;
  if (openapi === undefined && swagger !== undefined) {
    const message = `is Swagger ${preview(swagger)}; convert the document to OpenAPI 3 first`;
    return { path: "document.swagger", message };
  }
  const message = `must be the version of an OpenAPI 3.0, 3.1 or 3.2 document, got ${preview(openapi)}`;
  return { path: "document.openapi", message };
}

/** Whether schemas use OpenAPI's dialect instead of JSON Schema 2020-12. */
export function isBefore31(document: JsonObject): boolean {
  return typeof document["openapi"] === "string" && document["openapi"].startsWith("3.0");
}

// GitHub's document has 21 levels, 90,000 objects and lists, and 260,000 values.
const DEPTH_MAX = 100;
const CONTAINERS_MAX = 200_000;
const VALUES_MAX = 800_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** The problem of a JSON text before parsing: a few megabytes can describe more objects than a Worker can hold. */
function checkDocumentSize(text: string): string | null {
  let depth = 0;
  let containers = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = findStringEnd(text, at);
        break;
      case COMMA:
        values += 1;
        break;
      case OPENING_BRACKET:
      case OPENING_BRACE:
        depth += 1;
        containers += 1;
        values += 1;
        if (depth > DEPTH_MAX) return `must be nested at most ${DEPTH_MAX} levels deep`;
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        depth -= 1;
        break;
    }
    if (containers > CONTAINERS_MAX || values > VALUES_MAX) {
      return `must hold at most ${CONTAINERS_MAX} objects and lists, and ${VALUES_MAX} values`;
    }
  }
  return null;
}

/** The position of the closing quote, or the end of the text. */
function findStringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

// The parser needs up to a kilobyte per mark, so this is the limit of a Worker. A document of 1.8 MB, half of
// Stripe's, has 110,000.
const YAML_CHARACTERS_MAX = 3_000_000;
const MARKS_MAX = 120_000;
/** Marks of values. Flow style is more expensive than block style. */
const CHEAP_MARKS = "-?:\n";
const DEAR_MARKS = ",[{!&*";

/** Parses one YAML 1.2 document with aliases resolved; the failure reads `must …`. */
async function parseYaml(text: string): Promise<Result<Json, string>> {
  const unfit = checkYamlSize(text);
  if (unfit !== null) return fail(unfit);
  const { parseYamlDocuments } = await import("../../../platform/yaml.ts");
  const parsed = parseYamlDocuments(text, "JSON or YAML");
  return parsed.ok ? ok(parsed.value.values[0] ?? null) : parsed;
}

function checkYamlSize(text: string): string | null {
  if (text.length > YAML_CHARACTERS_MAX) {
    return `must have at most ${YAML_CHARACTERS_MAX} characters as YAML, got ${text.length}; give it as JSON`;
  }
  let marks = 0;
  for (const character of text) {
    if (CHEAP_MARKS.includes(character)) marks += 1;
    else if (DEAR_MARKS.includes(character)) marks += 2;
  }
  if (marks <= MARKS_MAX) return null;
  return `must have fewer lines, lists and fields as YAML (${marks} marks, at most ${MARKS_MAX}); give it as JSON`;
}

const DOCUMENT_PATH = "document";

/** The object in a JSON or YAML text. */
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

function parseJson(text: string): Result<Json, string> {
  const unfit = checkDocumentSize(text);
  if (unfit !== null) return fail(unfit);
  try {
    return ok(asJson(JSON.parse(text)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it cannot be read";
    return fail(`must be JSON: ${reason}`);
  }
}
