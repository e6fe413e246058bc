import {
  type Context,
  defaultOperators,
  type FilterImplOptions,
  filters,
} from "liquidjs/dist/liquid.browser.mjs";
import {
  EXPRESSION_UNITS_PER_CHARACTER,
  measureSearchWork,
  measureTextSize,
} from "./work-units.ts";

/** A filter without options. */
export type LiquidFilterHandler = Extract<FilterImplOptions, (...values: never[]) => unknown>;
export type LiquidFilterThis = ThisParameterType<LiquidFilterHandler>;

/** Filters that return promises, which synchronous rendering does not support. */
const ASYNCHRONOUS_FILTERS = new Set(["sha256", "hmac_sha256"]);
/** Filters that read only one item or the length. */
const CONSTANT_TIME_FILTERS = new Set(["default", "first", "last", "raw", "size"]);
const SEARCHING_FILTERS = /^(?:split|remove|replace)/;

/** A filter takes about a microsecond per array item. */
const FILTERED_ITEM_UNITS = 100;
const JSON_UNITS_PER_CHARACTER = 10;
const DATE_UNITS = 300;
/** Names of days, months and time zones come from Intl, which takes about thirty microseconds for each. */
const INTL_UNITS = 5_000;
const INTL_PARTS = /%[-_0^#:\d]*[aAbBchxXZ]/g;
const DATE_FORMAT_CHARACTERS_MAX = 100;

/** Liquid's synchronous filters by name. Each, unless it runs in constant time, first charges the context's meter. */
export function createMeteredFilters(): [string, FilterImplOptions][] {
  return Object.entries(filters)
    .filter(([name]) => !ASYNCHRONOUS_FILTERS.has(name))
    .map(([name, filter]) => [
      name,
      CONSTANT_TIME_FILTERS.has(name) ? filter : meterFilter(name, filter),
    ]);
}

/** The filter that escapes every value in an HTML template. */
export function createMeteredEscape(): LiquidFilterHandler {
  const { escape } = filters;
  if (escape === undefined) throw new Error("liquidjs has no `escape` filter");
  return meterFilter("escape", escape);
}

function meterFilter(name: string, filter: FilterImplOptions): LiquidFilterHandler {
  const handler = typeof filter === "function" ? filter : filter.handler;
  return function meteredFilter(
    this: LiquidFilterThis,
    value: unknown,
    ...parameters: unknown[]
  ): unknown {
    this.context.memoryLimit.use(measureFilterWork(name, value, parameters));
    return handler.call(this, value, ...parameters);
  };
}

function measureFilterWork(name: string, value: unknown, parameters: unknown[]): number {
  const items = Array.isArray(value) ? value.length * measureItemWork(parameters) : 0;
  const size = measureTextSize(value) + measureTextSize(parameters);
  if (name.startsWith("date")) return size + measureDateWork(name, parameters);
  if (SEARCHING_FILTERS.test(name)) return items + size + measurePatternWork(value, parameters[0]);
  if (name === "json" || name === "jsonify" || name === "inspect") {
    return size * JSON_UNITS_PER_CHARACTER;
  }
  return items + size;
}

/** Paths and expressions among the parameters are evaluated for each item. */
function measureItemWork(parameters: readonly unknown[]): number {
  const texts = parameters.filter((parameter) => typeof parameter === "string");
  return FILTERED_ITEM_UNITS + EXPRESSION_UNITS_PER_CHARACTER * measureTextSize(texts);
}

/** Values other than strings are searched as text, so their size as text counts. */
function measurePatternWork(value: unknown, pattern: unknown): number {
  return measureSearchWork(measureTextSize(value), measureTextSize(pattern));
}

/** Long formats are rejected, because parsing some of them takes quadratic time. */
function measureDateWork(name: string, parameters: unknown[]): number {
  if (measureTextSize(parameters) > DATE_FORMAT_CHARACTERS_MAX) {
    throw new Error(`a date format must be at most ${DATE_FORMAT_CHARACTERS_MAX} characters long`);
  }
  const [format, zone] = parameters;
  if (name !== "date" || typeof format !== "string") return 3 * INTL_UNITS;
  const parts = format.match(INTL_PARTS)?.length ?? 0;
  return DATE_UNITS + INTL_UNITS * (parts + (zone === undefined ? 0 : 2));
}

type Operators = typeof defaultOperators;

/** Comparing array items takes about 150 nanoseconds per item. */
const COMPARED_ITEM_UNITS = 10;

/** Liquid's operators. Those that read entire values charge the context's meter. */
export const METERED_OPERATORS: Operators = {
  ...defaultOperators,
  "==": meterOperator("==", measureCompareWork),
  "!=": meterOperator("!=", measureCompareWork),
  contains: meterOperator("contains", measureContainsWork),
};

function meterOperator(
  name: string,
  work: (left: unknown, right: unknown) => number,
): Operators[string] {
  const operator = defaultOperators[name];
  if (operator === undefined) throw new Error(`liquidjs has no ${name} operator`);
  return (left: unknown, right: unknown, context: Context) => {
    context.memoryLimit.use(work(left, right));
    return operator(left, right, context);
  };
}

function measureCompareWork(left: unknown, right: unknown): number {
  const size = Math.min(measureTextSize(left), measureTextSize(right));
  return Array.isArray(left) ? COMPARED_ITEM_UNITS * size : size;
}

function measureContainsWork(left: unknown, right: unknown): number {
  if (Array.isArray(left)) return COMPARED_ITEM_UNITS * measureTextSize(left);
  return measureSearchWork(measureTextSize(left), measureTextSize(right));
}
