import { filters, type FilterImplOptions } from "liquidjs/dist/liquid.browser.mjs";
import { EXPRESSION_UNITS_PER_CHARACTER } from "./expression-work.ts";
import { searchWork, textSize } from "./work.ts";

/** A filter without options. */
export type Handler = Extract<FilterImplOptions, (...values: never[]) => unknown>;
export type HandlerThis = ThisParameterType<Handler>;

/** Answer with a promise, which rendering in one go cannot wait for. */
const ASYNCHRONOUS = new Set(["sha256", "hmac_sha256"]);
/** Look at one item, or at the length only. */
const CONSTANT_TIME = new Set(["default", "first", "last", "raw", "size"]);
const SEARCHING = /^(?:split|remove|replace)/;

/** An item of an array costs a filter about a microsecond: it is looked up, compared, copied. */
const ITEM_UNITS = 100;
const JSON_UNITS_PER_CHARACTER = 10;
const DATE_UNITS = 300;
/** Names of days, months and zones come from Intl, which takes some thirty microseconds each. */
const INTL_UNITS = 5_000;
const INTL_PARTS = /%[-_0^#:\d]*[aAbBchxXZ]/g;
const DATE_FORMAT_CHARACTERS_MAX = 100;

/** Liquid's filters by name, each charging the context's meter before it works. */
export function meteredFilters(): [string, FilterImplOptions][] {
  return Object.entries(filters)
    .filter(([name]) => !ASYNCHRONOUS.has(name))
    .map(([name, filter]) => [name, CONSTANT_TIME.has(name) ? filter : metered(name, filter)]);
}

/** The filter that escapes every value of an HTML template. */
export function meteredEscape(): Handler {
  const { escape } = filters;
  if (escape === undefined) throw new Error("liquidjs has no filter escape");
  return metered("escape", escape);
}

function metered(name: string, filter: FilterImplOptions): Handler {
  const handler = typeof filter === "function" ? filter : filter.handler;
  return function meteredFilter(
    this: HandlerThis,
    value: unknown,
    ...parameters: unknown[]
  ): unknown {
    this.context.memoryLimit.use(filterWork(name, value, parameters));
    return handler.call(this, value, ...parameters);
  };
}

function filterWork(name: string, value: unknown, parameters: unknown[]): number {
  const items = Array.isArray(value) ? value.length * itemWork(parameters) : 0;
  const size = textSize(value) + textSize(parameters);
  if (name.startsWith("date")) return size + dateWork(name, parameters);
  if (SEARCHING.test(name)) return items + size + patternWork(value, parameters[0]);
  if (name === "json" || name === "jsonify" || name === "inspect") {
    return size * JSON_UNITS_PER_CHARACTER;
  }
  return items + size;
}

/** Paths and expressions among the parameters are evaluated for each item. */
function itemWork(parameters: readonly unknown[]): number {
  const texts = parameters.filter((parameter) => typeof parameter === "string");
  return ITEM_UNITS + EXPRESSION_UNITS_PER_CHARACTER * textSize(texts);
}

/** What is not text is searched as text, so its size stands in for its length. */
function patternWork(value: unknown, pattern: unknown): number {
  return searchWork(textSize(value), textSize(pattern));
}

/** Long formats are refused: the expression that reads them takes quadratic time on some. */
function dateWork(name: string, parameters: unknown[]): number {
  if (textSize(parameters) > DATE_FORMAT_CHARACTERS_MAX) {
    throw new Error(`a date format can have at most ${DATE_FORMAT_CHARACTERS_MAX} characters`);
  }
  const [format, zone] = parameters;
  if (name !== "date" || typeof format !== "string") return 3 * INTL_UNITS;
  const parts = format.match(INTL_PARTS)?.length ?? 0;
  return DATE_UNITS + INTL_UNITS * (parts + (zone === undefined ? 0 : 2));
}
