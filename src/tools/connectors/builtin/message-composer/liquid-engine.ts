import { Liquid, Tag } from "liquidjs/dist/liquid.browser.mjs";
import type { TagToken, Template, TopLevelToken } from "liquidjs/dist/liquid.browser.mjs";
import { expressionWork } from "./expression-work.ts";
import { MeteredContext } from "./metered-context.ts";
import { MeteredEmitter } from "./metered-emitter.ts";
import { meteredEscape, meteredFilters, type Handler } from "./metered-filters.ts";
import { meteredOperators } from "./metered-operators.ts";
import { TEMPLATE_CHARACTERS_MAX } from "./size.ts";
import { NODE_UNITS, WORK_UNITS_MAX } from "./work.ts";

/** Counts only where the clock runs; what stops a loop everywhere is the work it is charged for. */
const RENDER_LIMIT_MS = 5_000;

/** Tags that would bring in other files. */
const FILE_TAGS = ["include", "render", "layout", "block"];

/** `missing` are the names that were looked up and not given, in the order of their first use. */
export interface Rendered {
  readonly text: string;
  readonly missing: readonly string[];
}

/**
 * Renders a Liquid template without files, in UTC and US English, every step of it metered.
 * Throws LiquidError for a template that cannot be parsed or rendered, or that takes too much work.
 */
export function renderLiquid(template: string, values: object, format: "text" | "html"): Rendered {
  const engine = liquidEngine(format === "html" ? { outputEscape: meteredEscape() } : {});
  return renderWith(engine, engine.parse(template), values);
}

/** The same for a parsed template, with the engine that parsed it. */
export function renderWith(
  engine: Liquid,
  templates: readonly Template[],
  values: object,
): Rendered {
  const context = meteredContext(engine, values);
  const text: unknown = engine.renderSync([...templates], context);
  return { text: String(text), missing: [...context.missing] };
}

export interface EngineOptions {
  /** Escapes each rendered value unless its last filter is `raw`. */
  readonly outputEscape?: Handler;
  /** Maximum work, in the units of work.ts. */
  readonly workUnitsMax?: number;
}

/** An engine without file access, in UTC and US English, that meters every step. */
export function liquidEngine({
  outputEscape,
  workUnitsMax = WORK_UNITS_MAX,
}: EngineOptions): Liquid {
  const engine = new Liquid({
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    locale: "en-US",
    timezoneOffset: 0,
    parseLimit: TEMPLATE_CHARACTERS_MAX,
    renderLimit: RENDER_LIMIT_MS,
    memoryLimit: workUnitsMax,
    operators: meteredOperators,
    ...(outputEscape !== undefined && { outputEscape }),
  });
  for (const tag of FILE_TAGS) engine.registerTag(tag, FileTag);
  for (const name of Object.keys(engine.filters)) engine.unregisterFilter(name);
  for (const [name, filter] of meteredFilters()) engine.registerFilter(name, filter);
  const { renderer } = engine;
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (block, context, emitter = new MeteredEmitter(context)) => {
    context.memoryLimit.use(expressionWork(block));
    return renderTemplates(block, context, emitter);
  };
  return engine;
}

/** A context over a copy of `values` (increment writes to it) that pays for each rendered node. */
function meteredContext(engine: Liquid, values: object): MeteredContext {
  const scope: object = Object.assign(Object.create(null), values);
  const context = new MeteredContext(scope, engine.options, { sync: true }, { liquid: engine });
  const { renderLimit, memoryLimit } = context;
  const checkTime = renderLimit.check.bind(renderLimit);
  renderLimit.check = (nowMs) => {
    checkTime(nowMs);
    memoryLimit.use(NODE_UNITS);
  };
  return context;
}

class FileTag extends Tag {
  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid);
    throw new Error(`tag "${token.name}" cannot be used: there are no other templates to bring in`);
  }

  override render(): never {
    throw new Error("a refused tag is never rendered");
  }
}
