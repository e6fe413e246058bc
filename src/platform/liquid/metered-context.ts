import { Context, type Emitter, toValue } from "liquidjs/dist/liquid.browser.mjs";
import { measureScanWork, measureTextSize } from "./work-units.ts";

type LookupPath = Parameters<Context["_get"]>[0];
type PropertyLookup = Parameters<Context["readProperty"]>;

const MISSING_MAX = 200;
const PATH_CHARACTERS_MAX = 200;
const LOOKUP_UNITS = 50;
const PROPERTY_UNITS = 10;

/**
 * A context that charges its meter for each value that is read, in proportion to the value's size. `missing` lists up
 * to 200 names without a value.
 */
export class MeteredContext extends Context {
  readonly missing = new Set<string>();

  override *_get(paths: LookupPath): IterableIterator<unknown> {
    this.memoryLimit.use(LOOKUP_UNITS);
    const value: unknown = yield super._get(paths);
    const absent = value === undefined || (value === null && (yield this.#parentIsNull(paths)));
    if (absent && this.missing.size < MISSING_MAX) this.missing.add(formatPath(paths));
    return value;
  }

  override readProperty(...[object, key]: PropertyLookup): unknown {
    const value: unknown = super.readProperty(object, key);
    this.memoryLimit.use(PROPERTY_UNITS + measureScanWork(value));
    return value;
  }

  /** Filters such as `where` use this to read each item. A property that an item lacks does not count as missing. */
  override spawn(scope: object = {}): Context {
    const { sync, globals, strictVariables, ownPropertyOnly } = this;
    const { renderLimit, memoryLimit, liquid } = this;
    return new MeteredContext(
      scope,
      this.opts,
      { sync, globals, strictVariables, ownPropertyOnly },
      { renderLimit, memoryLimit, liquid },
    );
  }

  /** If `user` is null, `user.name` is null too, even though there is no such property. */
  *#parentIsNull(paths: LookupPath): IterableIterator<unknown> {
    return paths.length > 1 && (yield super._get(paths.slice(0, -1))) === null;
  }
}

/** A path as written in a template: `order.items[0].price`. */
function formatPath(paths: LookupPath): string {
  return paths
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      if (typeof key !== "string") return "[…]";
      return index === 0 ? key : `.${key}`;
    })
    .join("")
    .slice(0, PATH_CHARACTERS_MAX);
}

const RENDERED_CHARACTERS_MAX = 1_000_000;

/** Collects up to a million characters of output and charges the meter for them. */
export class MeteredEmitter implements Emitter {
  buffer = "";
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  write(value: unknown): void {
    this.#context.memoryLimit.use(measureTextSize(value));
    this.buffer += toLiquidText(value);
    if (this.buffer.length > RENDERED_CHARACTERS_MAX) {
      throw new Error("the text exceeds 1,000,000 characters");
    }
  }
}

/** A value as output text: nothing for nil, and arrays without separators. */
function toLiquidText(written: unknown): string {
  const value: unknown = toValue(written);
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(toLiquidText).join("");
  // liquidjs also writes objects like this.
  return String(value);
}
