import { FunctionExpressionType, JSONPathEnvironment, JSONPathError, jsonpath } from "json-p3";
import type { FilterFunction, JSONPathNode } from "json-p3";
import type { Json, JsonObject } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { linearPattern, type LinearPattern } from "../../../schema/linear-pattern.ts";
import { metered, type Spend } from "../../../schema/work.ts";
import { parseDocument } from "./document.ts";

const PATH_CHARACTERS_MAX = 1_000;
const MATCHES_MAX = 1_000;
const VALUES_CHARACTERS_MAX = 1_500_000;
// Each value read may be weighed by a filter as long as the path.
const UNITS_BY_CHARACTERS_MAX = 100_000_000;
const UNITS_MAX = 1_000_000;
const DEPTH_MAX = 200;

/**
 * `{matches: [{path, value}], count, notes}`: what an RFC 9535 query selects, with normalized paths.
 * `count` is all of them; at most 1,000 matches and 1.5 million characters are listed.
 */
export async function query(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const path = String(parameters["path"]);
  const document = parseDocument(String(parameters["document"]), "document");
  if (path.length > PATH_CHARACTERS_MAX) {
    const message = `must have at most ${PATH_CHARACTERS_MAX} characters, got ${path.length}`;
    return fail([{ path: "path", message }, ...(document.ok ? [] : [document.failure])]);
  }
  const unitsMax = Math.min(UNITS_MAX, UNITS_BY_CHARACTERS_MAX / Math.max(path.length, 1));
  const outcome = metered(unitsMax, (spend) =>
    evaluate(path, document.ok ? document.value : null, spend),
  );
  if (!outcome.ok) {
    return fail([{ path: "path", message: "selects too much work for this document; narrow it" }]);
  }
  if (!outcome.value.ok || !document.ok) {
    return fail([outcome.value, document].flatMap((part) => (part.ok ? [] : [part.failure])));
  }
  return ok(outcome.value.value);
}

function evaluate(path: string, document: Json, spend: Spend): Result<JsonObject, Problem> {
  const environment = new JSONPathEnvironment({ maxRecursionDepth: DEPTH_MAX });
  environment.functionRegister.set("match", patternFunction("match", spend));
  environment.functionRegister.set("search", patternFunction("search", spend));
  const matches: JsonObject[] = [];
  let count = 0;
  let characters = 0;
  try {
    for (const node of environment.lazyQuery(path, meteredReads(document, spend))) {
      count += 1;
      if (count > MATCHES_MAX || characters > VALUES_CHARACTERS_MAX) continue;
      const value = valueAt(document, node);
      characters += JSON.stringify(value).length;
      if (characters > VALUES_CHARACTERS_MAX) continue;
      matches.push({ path: node.getPath({ form: "canonical" }), value });
    }
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    return fail({ path: "path", message: `must be a JSONPath query (RFC 9535): ${error.message}` });
  }
  const isCut = matches.length < count;
  const notes = isCut ? [`Only the first ${matches.length} of ${count} matches are listed.`] : [];
  return ok({ matches, count, notes });
}

// json-p3 reads the document through this, which lets every step it takes be charged.
function meteredReads(value: Json, spend: Spend): Json {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "string") spend(value.length / 1_000);
    return value;
  }
  return new Proxy(value, {
    get(target, key) {
      spend(1);
      const child: unknown = Reflect.get(target, key);
      return isJson(child) ? meteredReads(child, spend) : child;
    },
    has(target, key) {
      spend(1);
      return Reflect.has(target, key);
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      spend(keys.length);
      return keys;
    },
    getOwnPropertyDescriptor(target, key) {
      spend(1);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  });
}

// Own properties of a parsed document are JSON; only methods of its prototypes are not.
function isJson(value: unknown): value is Json {
  return typeof value !== "function" && value !== undefined;
}

function valueAt(document: Json, { location }: JSONPathNode): Json {
  return location.reduce<Json>((value, key) => {
    const child: unknown =
      typeof value === "object" && value !== null ? Reflect.get(value, key) : null;
    return isJson(child) ? child : null;
  }, document);
}

/** match() and search() of RFC 9535 over RE2; a pattern that is no I-Regexp (RFC 9485) matches nothing. */
function patternFunction(name: "match" | "search", spend: Spend): FilterFunction {
  const patterns = new Map<string, LinearPattern | null>();
  const checker = new jsonpath.functions.Match({ throwErrors: true });

  function compile(source: string): LinearPattern | null {
    const compiled = linearPattern(name === "match" ? `^(?:${source})$` : source, spend);
    if (!compiled.ok) return null;
    try {
      checker.call("", source);
      return compiled.value;
    } catch {
      return null;
    }
  }

  return {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call(text: unknown, source: unknown): boolean {
      if (typeof text !== "string" || typeof source !== "string") return false;
      const pattern = patterns.get(source) ?? compile(source);
      patterns.set(source, pattern);
      return pattern?.test(text) ?? false;
    },
  };
}
