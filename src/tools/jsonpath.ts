import {
  FunctionExpressionType,
  JSONPathEnvironment,
  JSONPathError,
  jsonpath,
  type FilterFunction,
} from "json-p3";
import type { Json } from "../domain/json.ts";
import { fail, type Result } from "../domain/result.ts";
import { linearPattern, type LinearPattern } from "./schema/linear-pattern.ts";
import { metered, type Spend } from "./schema/work.ts";

/** One value that a path selects; both are worked out only when they are asked for. */
export interface Match {
  /** The normalized path (RFC 9535): `$['tides'][0]`. */
  readonly path: () => string;
  readonly value: () => Json;
}

export interface PathBounds {
  /** About microseconds. */
  readonly unitsMax: number;
  /** Levels that `..` descends. */
  readonly depthMax: number;
  /** With `i-regexp` (RFC 9485), match() and search() find nothing with any other pattern. */
  readonly patterns: "i-regexp" | "ecmascript";
}

/** `invalid` holds the parser's reason, without a full stop. */
export type PathFault =
  | { readonly kind: "invalid"; readonly reason: string }
  | { readonly kind: "work_exceeded" };

/**
 * Calls `visit` with each value that a JSONPath (RFC 9535) selects, until it returns false. `isSingular`
 * is whether the path can name one place only (`$.data.id`).
 */
export function eachMatch(
  path: string,
  document: Json,
  { unitsMax, depthMax, patterns }: PathBounds,
  visit: (match: Match) => boolean,
): Result<{ isSingular: boolean }, PathFault> {
  return bounded(unitsMax, (spend) => {
    const isStrict = patterns === "i-regexp";
    const environment = new JSONPathEnvironment({ maxRecursionDepth: depthMax });
    environment.functionRegister.set("match", patternFunction(anchored, isStrict, spend));
    environment.functionRegister.set("search", patternFunction(unanchored, isStrict, spend));
    const query = environment.compile(path);
    for (const node of query.lazyQuery(charged(document, spend))) {
      const isWanted = visit({
        path: () => node.getPath({ form: "canonical" }),
        value: () => valueAt(document, node.location),
      });
      if (!isWanted) break;
    }
    return { isSingular: query.singularQuery() };
  });
}

/** Why a text is no JSONPath, without a full stop; null when it is one. */
export function jsonPathProblem(path: string): string | null {
  const compiled = bounded(Number.POSITIVE_INFINITY, () => new JSONPathEnvironment().compile(path));
  if (compiled.ok) return null;
  return compiled.failure.kind === "invalid" ? compiled.failure.reason : "it nests too deep";
}

function bounded<Value>(unitsMax: number, work: (spend: Spend) => Value): Result<Value, PathFault> {
  try {
    const outcome = metered(unitsMax, work);
    return outcome.ok ? outcome : fail({ kind: "work_exceeded" });
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    return fail({ kind: "invalid", reason: error.message });
  }
}

// json-p3 reads the document through this, so that a costly path ends instead of the isolate.
function charged(value: Json, spend: Spend): Json {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "string") spend(value.length / 1_000);
    return value;
  }
  return new Proxy(value, {
    get(target, key) {
      spend(1);
      const child: unknown = Reflect.get(target, key);
      return isJson(child) ? charged(child, spend) : child;
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

function valueAt(document: Json, location: readonly (string | number)[]): Json {
  return location.reduce<Json>((value, key) => {
    const child: unknown =
      typeof value === "object" && value !== null ? Reflect.get(value, key) : null;
    return isJson(child) ? child : null;
  }, document);
}

function anchored(source: string): string {
  return `^(?:${source})$`;
}

function unanchored(source: string): string {
  return source;
}

/** match() or search() over RE2: the library's own can be made to backtrack for ever. */
function patternFunction(
  framed: (source: string) => string,
  isStrict: boolean,
  spend: Spend,
): FilterFunction {
  const patterns = new Map<string, LinearPattern | null>();
  const checker = new jsonpath.functions.Match({ throwErrors: true });

  function compile(source: string): LinearPattern | null {
    const compiled = linearPattern(framed(source), spend);
    if (!compiled.ok) return null;
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
      return pattern?.test(text) ?? false;
    },
  };
}
