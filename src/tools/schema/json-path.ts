import type { Json } from "../../kernel/json.ts";
import { UPSTREAM_JSON_DEPTH_MAX } from "../../platform/limits.ts";
import { SELECTED_VALUES_MAX } from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import {
  FunctionExpressionType,
  JSONPathEnvironment,
  JSONPathError,
  jsonpath,
  type FilterFunction,
} from "json-p3";
import type { RE2JS } from "re2js";
import { compileLinearPattern } from "./linear-pattern.ts";
import {
  computeCompileUnits,
  computeTestUnits,
  runMetered,
  type SpendUnits,
} from "./work-limit.ts";

/** A JSONPath match. Its path and value are computed on demand. */
interface JsonPathMatch {
  /** The normalized path (RFC 9535): `$['tides'][0]`. */
  readonly path: () => string;
  readonly value: () => Json;
}

interface JsonPathLimits {
  /** In units of about a microsecond. */
  readonly unitsMax: number;
  /** The maximum number of levels that `..` descends. */
  readonly depthMax: number;
  /** With `i-regexp`, match() and search() return false for a pattern that is not an I-Regexp (RFC 9485). */
  readonly patterns: "i-regexp" | "ecmascript";
}

/** `reason` is the parser's message, without a full stop. */
export type JsonPathFailure =
  | { readonly kind: "invalid"; readonly reason: string }
  | { readonly kind: "work_exceeded" };

/**
 * Calls `visit` with each selected value until `visit` returns false. `isSingular` means that the path can select at
 * most one value.
 */
export function visitMatches(
  path: string,
  document: Json,
  { unitsMax, depthMax, patterns }: JsonPathLimits,
  visit: (match: JsonPathMatch) => boolean,
): Result<{ isSingular: boolean }, JsonPathFailure> {
  return runBounded(unitsMax, (spend) => {
    const isStrict = patterns === "i-regexp";
    const environment = new JSONPathEnvironment({ maxRecursionDepth: depthMax });
    const { functionRegister: functions } = environment;
    functions.set(
      "match",
      createPatternFunction((source) => `^(?:${source})$`, isStrict, spend),
    );
    functions.set(
      "search",
      createPatternFunction((source) => source, isStrict, spend),
    );
    const query = environment.compile(path);
    for (const node of query.lazyQuery(chargeReads(document, spend))) {
      const isWanted = visit({
        path: () => node.getPath({ form: "canonical" }),
        value: () => readLocation(document, node.location),
      });
      if (!isWanted) break;
    }
    return { isSingular: query.singularQuery() };
  });
}

/** Why a path is not valid JSONPath, without a full stop; null if it is valid. */
export function checkJsonPath(path: string): string | null {
  const compiled = runBounded(Number.POSITIVE_INFINITY, () =>
    new JSONPathEnvironment().compile(path),
  );
  if (compiled.ok) return null;
  return compiled.failure.kind === "invalid" ? compiled.failure.reason : "it is nested too deeply";
}

function runBounded<Value>(
  unitsMax: number,
  work: (spend: SpendUnits) => Value,
): Result<Value, JsonPathFailure> {
  try {
    const outcome = runMetered(unitsMax, work);
    return outcome.ok ? outcome : fail({ kind: "work_exceeded" });
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    return fail({ kind: "invalid", reason: error.message });
  }
}

// json-p3 reads the document through this proxy, which stops an expensive path.
function chargeReads(value: Json, spend: SpendUnits): Json {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "string") spend(value.length / 1_000);
    return value;
  }
  return new Proxy(value, {
    get(target, key) {
      spend(1);
      const child: unknown = Reflect.get(target, key);
      return isJson(child) ? chargeReads(child, spend) : child;
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

// A parsed document's own properties are JSON; only its prototypes' methods are not.
function isJson(value: unknown): value is Json {
  return typeof value !== "function" && value !== undefined;
}

function readLocation(document: Json, location: readonly (string | number)[]): Json {
  return location.reduce<Json>((value, key) => {
    const child: unknown =
      typeof value === "object" && value !== null ? Reflect.get(value, key) : null;
    return isJson(child) ? child : null;
  }, document);
}

/** Implements match() or search() with RE2, because the library's own implementation can backtrack exponentially. */
function createPatternFunction(
  framed: (source: string) => string,
  isStrict: boolean,
  spend: SpendUnits,
): FilterFunction {
  const patterns = new Map<string, RE2JS | null>();
  const checker = new jsonpath.functions.Match({ throwErrors: true });

  function compile(source: string): RE2JS | null {
    const compiled = compileLinearPattern(framed(source));
    if (!compiled.ok) return null;
    spend(computeCompileUnits(compiled.value));
    try {
      if (isStrict) checker.call("", source);
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
      if (pattern === null) return false;
      spend(computeTestUnits(pattern, text));
      return pattern.test(text);
    },
  };
}

// About a second of work. A response of 1 MiB has at most half a million values.
const SELECTION_LIMITS: JsonPathLimits = {
  unitsMax: 1_000_000,
  depthMax: UPSTREAM_JSON_DEPTH_MAX + 1,
  patterns: "ecmascript",
};

/**
 * Returns the selected values as a list. If the path can select only one value, returns that value, or null if there is
 * none. The failure completes a sentence that begins with "it".
 */
export function selectByJsonPath(path: string, document: Json): Result<Json, string> {
  const values: Json[] = [];
  let isCut = false;
  const walked = visitMatches(path, document, SELECTION_LIMITS, (match) => {
    isCut = values.length === SELECTED_VALUES_MAX;
    if (!isCut) values.push(match.value());
    return !isCut;
  });
  if (!walked.ok) {
    return walked.failure.kind === "work_exceeded"
      ? fail("has a result path that takes too long to evaluate on its response.")
      : fail(`has a result path that is not valid JSONPath: ${walked.failure.reason}.`);
  }
  if (isCut) return fail(`has a result path that selects more than ${SELECTED_VALUES_MAX} values.`);
  return ok(walked.value.isSingular ? (values[0] ?? null) : values);
}
