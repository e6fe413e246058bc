import {
  Liquid,
  LiquidError,
  Tag,
  type TagToken,
  type Template,
  type TopLevelToken,
} from "liquidjs/dist/liquid.browser.mjs";
import type { Problem } from "../../kernel/result.ts";
import { LIQUID_NODE_UNITS, LIQUID_WORK_UNITS_MAX, measureExpressionWork } from "./work-units.ts";
import { MeteredContext, MeteredEmitter } from "./metered-context.ts";
import {
  createMeteredEscape,
  createMeteredFilters,
  type LiquidFilterHandler,
  METERED_OPERATORS,
} from "./filters-and-operators.ts";

/** The slowest template of this size takes about a second. */
export const LIQUID_TEMPLATE_CHARACTERS_MAX = 100_000;

/** Tags that load other files. */
const FILE_TAGS = ["include", "render", "layout", "block"];

/** `missing` lists up to 200 names without a value, in the order of their first use. */
export interface RenderedTemplate {
  readonly text: string;
  readonly missing: readonly string[];
}

/**
 * Renders a Liquid template without file access, in UTC and US English, and meters every step. Throws LiquidError for a
 * template that cannot be parsed or rendered, or that takes too much work.
 */
export function renderLiquid(
  template: string,
  values: object,
  format: "text" | "html",
): RenderedTemplate {
  const engine = createLiquidEngine(
    format === "html" ? { outputEscape: createMeteredEscape() } : {},
  );
  return renderParsedLiquid(engine, engine.parse(template), values);
}

/** Like `renderLiquid`, but for a template that `engine` has already parsed. */
export function renderParsedLiquid(
  engine: Liquid,
  templates: readonly Template[],
  values: object,
): RenderedTemplate {
  const context = createMeteredContext(engine, values);
  const text: unknown = engine.renderSync([...templates], context);
  return { text: String(text), missing: [...context.missing] };
}

export interface LiquidEngineOptions {
  /** Escapes each rendered value unless its last filter is `raw`. */
  readonly outputEscape?: LiquidFilterHandler;
  /** Maximum work, in the units defined in work-units.ts. */
  readonly workUnitsMax?: number;
}

/** Creates an engine without file access that uses UTC and US English and meters every step. */
export function createLiquidEngine({
  outputEscape,
  workUnitsMax = LIQUID_WORK_UNITS_MAX,
}: LiquidEngineOptions): Liquid {
  const engine = new Liquid({
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    locale: "en-US",
    timezoneOffset: 0,
    parseLimit: LIQUID_TEMPLATE_CHARACTERS_MAX,
    memoryLimit: workUnitsMax,
    operators: METERED_OPERATORS,
    ...(outputEscape !== undefined && { outputEscape }),
  });
  for (const tag of FILE_TAGS) engine.registerTag(tag, RejectedFileTag);
  for (const name of Object.keys(engine.filters)) engine.unregisterFilter(name);
  for (const [name, filter] of createMeteredFilters()) engine.registerFilter(name, filter);
  const { renderer } = engine;
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (block, context, emitter = new MeteredEmitter(context)) => {
    context.memoryLimit.use(measureExpressionWork(block));
    return renderTemplates(block, context, emitter);
  };
  return engine;
}

/** Creates a context with a copy of `values`, because `increment` writes to it. Each rendered node counts as work. */
function createMeteredContext(engine: Liquid, values: object): MeteredContext {
  const scope: object = Object.assign(Object.create(null), values);
  const context = new MeteredContext(scope, engine.options, { sync: true }, { liquid: engine });
  // liquidjs checks the time before each node, but a Worker's clock does not advance while code runs.
  context.renderLimit.check = () => context.memoryLimit.use(LIQUID_NODE_UNITS);
  return context;
}

class RejectedFileTag extends Tag {
  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid);
    throw new Error(
      `tag "${token.name}" cannot be used, because there are no other templates to include`,
    );
  }

  override render(): never {
    throw new Error("a rejected tag is never rendered");
  }
}

/** The position that liquidjs appends to every message. */
const POSITION = /, line:\d+, col:\d+$/;
const STACK_OVERFLOW = /call stack/i;
const WORK_LIMIT_EXCEEDED = /limit exceeded/;

/** A template error with its line and column; null if the template did not cause it. */
export function toLiquidProblem(error: unknown): Problem | null {
  if (!(error instanceof LiquidError)) return null;
  const [line, column] = error.token.getPosition();
  const where = `line ${line}, column ${column}`;
  return { path: "template", message: `${formatReason(error)} (${where})` };
}

function formatReason({ message }: LiquidError): string {
  if (STACK_OVERFLOW.test(message)) return "is nested too deeply; use fewer nested tags";
  if (WORK_LIMIT_EXCEEDED.test(message)) {
    return "takes too much work to render; use fewer loops or shorter values";
  }
  return `cannot be rendered: ${message.replace(POSITION, "")}`;
}
