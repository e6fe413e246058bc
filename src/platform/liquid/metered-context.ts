import { Context, type Emitter, toValue } from "liquidjs/dist/liquid.browser.mjs";
import { measureScanWork, measureTextSize } from "./work-units.ts";

type LookupPath = Parameters<Context["_get"]>[0];
type PropertyLookup = Parameters<Context["readProperty"]>;

const MISSING_MAX = 200;
const PATH_CHARACTERS_MAX = 200;
const LOOKUP_UNITS = 50;
const PROPERTY_UNITS = 10;

/** A context in which reading a value costs the work of an operation on it. `missing`: the names without a value. */
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

  /** Filters such as `where` read each item with this; a property that an item lacks is not missing. */
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

  /** `user.name` of a null `user` is null although there is no name. */
  *#parentIsNull(paths: LookupPath): IterableIterator<unknown> {
    return paths.length > 1 && (yield super._get(paths.slice(0, -1))) === null;
  }
}

/** A path as a template writes it: `order.items[0].price`. */
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

/** Collects the output, up to a million characters and the work that the meter allows. */
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
      throw new Error("the text grows past 1,000,000 characters");
    }
  }
}

/** The output of a value: nothing for nil, arrays without separators. */
function toLiquidText(written: unknown): string {
  const value: unknown = toValue(written);
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(toLiquidText).join("");
  // liquidjs writes objects like this, too.
  return String(value);
}
