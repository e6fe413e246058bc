import {
  FunctionExpressionType,
  JSONPathEnvironment,
  JSONPathError,
  type FilterFunction,
} from "json-p3";
import type { Json } from "../../../domain/json.ts";
import { ANSWER_DEPTH_MAX, SELECTED_VALUES_MAX } from "../../../domain/limits.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { linearPattern } from "../../schema/linear-pattern.ts";
import { metered, type Spend } from "../../schema/work.ts";

// About a second of work: an answer of 1 MiB holds half a million values at most.
const UNITS_MAX = 1_000_000;

/**
 * What a JSONPath (RFC 9535) selects from an answer. A path that can name one place only (`$.data.id`)
 * gives that value, or null when there is none; any other path a list. The failure completes "it …".
 */
export function select(path: string, document: Json): Result<Json, string> {
  const outcome = metered(UNITS_MAX, (spend) => evaluate(path, document, spend));
  return outcome.ok ? outcome.value : fail("sent more than its result path can be applied to.");
}

function evaluate(path: string, document: Json, spend: Spend): Result<Json, string> {
  const environment = new JSONPathEnvironment({ maxRecursionDepth: ANSWER_DEPTH_MAX + 1 });
  environment.functionRegister.set(
    "match",
    patternFunction((source) => `^(?:${source})$`, spend),
  );
  environment.functionRegister.set(
    "search",
    patternFunction((source) => source, spend),
  );
  const values: Json[] = [];
  try {
    const query = environment.compile(path);
    for (const node of query.lazyQuery(charged(document, spend))) {
      if (values.length === SELECTED_VALUES_MAX) {
        return fail(`has a result path that selects more than ${SELECTED_VALUES_MAX} values.`);
      }
      values.push(valueAt(document, node.location));
    }
    return ok(query.singularQuery() ? (values[0] ?? null) : values);
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    return fail(`has a result path that is no JSONPath: ${error.message}.`);
  }
}

// The library reads the answer through this, so that a costly path ends instead of the isolate.
function charged(value: Json, spend: Spend): Json {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      spend(1);
      const child: unknown = Reflect.get(target, key);
      return isJson(child) ? charged(child, spend) : child;
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      spend(keys.length);
      return keys;
    },
  });
}

// Own properties of an answer are JSON; only the methods of its prototypes are not.
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

/** match() and search() over RE2: the library's own can be made to backtrack for ever. */
function patternFunction(anchored: (source: string) => string, spend: Spend): FilterFunction {
  const { ValueType, LogicalType } = FunctionExpressionType;
  return {
    argTypes: [ValueType, ValueType],
    returnType: LogicalType,
    call(text: unknown, source: unknown): boolean {
      if (typeof text !== "string" || typeof source !== "string") return false;
      const pattern = linearPattern(anchored(source), spend);
      return pattern.ok && pattern.value.test(text);
    },
  };
}
