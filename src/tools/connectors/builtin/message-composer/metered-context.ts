import { Context } from "liquidjs/dist/liquid.browser.mjs";
import { scanWork } from "./work.ts";

type Paths = Parameters<Context["_get"]>[0];
type Property = Parameters<Context["readProperty"]>;

const MISSING_MAX = 200;
const PATH_CHARACTERS_MAX = 200;
const LOOKUP_UNITS = 50;
const PROPERTY_UNITS = 10;

/**
 * A Liquid context in which reading a value costs the work that an operation over it can take, and
 * in which `missing` collects the names that were looked up and not given.
 */
export class MeteredContext extends Context {
  readonly missing = new Set<string>();

  override *_get(paths: Paths): IterableIterator<unknown> {
    this.memoryLimit.use(LOOKUP_UNITS);
    const value: unknown = yield super._get(paths);
    const absent = value === undefined || (value === null && (yield this.#parentIsNull(paths)));
    if (absent && this.missing.size < MISSING_MAX) this.missing.add(pathText(paths));
    return value;
  }

  override readProperty(...[object, key]: Property): unknown {
    const value: unknown = super.readProperty(object, key);
    this.memoryLimit.use(PROPERTY_UNITS + scanWork(value));
    return value;
  }

  /** Filters such as `where` look into each item this way; a property an item lacks is not missing. */
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

  /** `user.name` of a null `user` reads as null, though no name was given. */
  *#parentIsNull(paths: Paths): IterableIterator<unknown> {
    return paths.length > 1 && (yield super._get(paths.slice(0, -1))) === null;
  }
}

/** A path as a template writes it: `order.items[0].price`. */
function pathText(paths: Paths): string {
  return paths
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      if (typeof key !== "string") return "[…]";
      return index === 0 ? key : `.${key}`;
    })
    .join("")
    .slice(0, PATH_CHARACTERS_MAX);
}
