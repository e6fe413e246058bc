import { Tag, type Liquid, type Template } from "liquidjs/dist/liquid.browser.mjs";
import { WEBHOOK_BODY_CHARACTERS_MAX, WEBHOOK_RENDER_UNITS_MAX } from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { ClientFormat } from "../model/webhook.ts";
import {
  createLiquidEngine,
  renderParsedLiquid,
  toLiquidProblem as problemOf,
} from "../../platform/liquid/engine.ts";
import {
  createMeteredFilters,
  type LiquidFilterHandler,
  type LiquidFilterThis,
} from "../../platform/liquid/filters-and-operators.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { CHAT_SERVICES } from "./chat-formats.ts";
import type { MessageContent } from "./message-content.ts";

/** Filters that output JSON, which must not be escaped again. */
const JSON_FILTERS = new Set(["json", "jsonify"]);

/** A template's parse error, with its position; null if there is none. */
export function findBodyTemplateProblem(format: ClientFormat, template: string): string | null {
  const parsed = parse(format, template);
  return parsed.ok ? null : parsed.failure;
}

/** Renders a template. The failure completes "The template …". */
export function renderBodyTemplate(
  format: ClientFormat,
  template: string,
  content: MessageContent,
): Result<string, string> {
  const parsed = parse(format, template);
  if (!parsed.ok) return parsed;
  const { engine, templates } = parsed.value;
  const rendered = catchTemplateError(() => renderParsedLiquid(engine, templates, content).text);
  if (!rendered.ok || rendered.value.length <= WEBHOOK_BODY_CHARACTERS_MAX) return rendered;
  return fail(`renders more than ${WEBHOOK_BODY_CHARACTERS_MAX} characters`);
}

interface Parsed {
  readonly engine: Liquid;
  readonly templates: readonly Template[];
}

const PARSED_TEMPLATES_MAX = 20;
/** Parsed templates by format and text, cached because parsing is slower than rendering. */
const parsedTemplates = new TtlCache<Parsed>(Infinity, PARSED_TEMPLATES_MAX);

function parse(format: ClientFormat, template: string): Result<Parsed, string> {
  const key = `${format} ${template}`;
  const before = parsedTemplates.get(key, Date.now());
  if (before !== undefined) return ok(before);
  const engine = createEngine(format);
  const templates = catchTemplateError(() => engine.parse(template));
  if (!templates.ok) return templates;
  const parsed = { engine, templates: templates.value };
  parsedTemplates.set(key, parsed, Date.now());
  return ok(parsed);
}

/**
 * Every value is escaped for its context: a JSON string or a chat service's markup. The filter `raw` and the tag
 * `cycle` are therefore not available, because they output values without escaping.
 */
function createEngine(format: ClientFormat): Liquid {
  const isJson = format === "standard";
  const escape = isJson
    ? (value: string) => JSON.stringify(value).slice(1, -1)
    : CHAT_SERVICES[format].escape;
  const engine = createLiquidEngine({
    outputEscape: createEscapeFilter(escape),
    workUnitsMax: WEBHOOK_RENDER_UNITS_MAX,
  });
  engine.unregisterFilter("raw");
  engine.registerTag("cycle", UnescapedTag);
  if (!isJson) return engine;
  for (const [name, handler] of createMeteredFilters()) {
    if (!JSON_FILTERS.has(name) || typeof handler !== "function") continue;
    engine.registerFilter(name, { raw: true, handler });
  }
  for (const [name, service] of Object.entries(CHAT_SERVICES)) {
    engine.registerFilter(`escape_${name}`, createEscapeFilter(service.escape));
  }
  return engine;
}

function createEscapeFilter(escape: (value: string) => string): LiquidFilterHandler {
  return function escapeValue(this: LiquidFilterThis, value: unknown): unknown {
    if (typeof value === "number" || typeof value === "boolean") return value;
    const text = toText(value);
    this.context.memoryLimit.use(text.length);
    return escape(text);
  };
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function catchTemplateError<Value>(work: () => Value): Result<Value, string> {
  try {
    return ok(work());
  } catch (error) {
    const problem = problemOf(error);
    if (problem === null) throw error;
    return fail(problem.message);
  }
}

class UnescapedTag extends Tag {
  constructor(...given: ConstructorParameters<typeof Tag>) {
    super(...given);
    throw new Error('tag "cycle" cannot be used, because it outputs values without escaping them');
  }

  override render(): never {
    throw new Error("A rejected tag is never rendered");
  }
}
