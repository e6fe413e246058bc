import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { shown, type Problem } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { surveyJson } from "./json-survey.ts";
import { parseYaml } from "./parse-yaml.ts";

const DOCUMENT = "document";

/** The object that a JSON or YAML text holds. */
export async function parseDocument(text: string): Promise<Result<JsonObject, Problem>> {
  const content = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (/^\s*</.test(content)) {
    const beginning = shown(content.trimStart().slice(0, 100));
    return fail({ path: DOCUMENT, message: `must be JSON or YAML, got ${beginning}` });
  }
  const parsed = /^\s*[[{]/.test(content) ? parseJson(content) : await parseYaml(content);
  if (!parsed.ok) return fail({ path: DOCUMENT, message: parsed.failure });
  if (isJsonObject(parsed.value)) return ok(parsed.value);
  const message = "must be an OpenAPI document: an object in JSON or YAML";
  return fail({ path: DOCUMENT, message });
}

function parseJson(text: string): Result<Json, string> {
  const unfit = surveyJson(text);
  if (unfit !== null) return fail(unfit);
  try {
    return ok(asJson(JSON.parse(text)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it cannot be read";
    return fail(`must be JSON: ${reason}`);
  }
}

/** JSON.parse answers with nothing but JSON values. */
function asJson(value: unknown): Json {
  return value as Json;
}
