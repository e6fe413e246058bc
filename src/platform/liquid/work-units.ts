import { Value, type Template } from "liquidjs/dist/liquid.browser.mjs";

/**
 * The maximum work to render a template, in units of about ten nanoseconds. A Worker's clock does not advance while
 * code runs, so the time limit in liquidjs cannot stop a loop.
 */
export const LIQUID_WORK_UNITS_MAX = 50_000_000;

/** The work for one tag, output or piece of text (about two microseconds, measured). */
export const LIQUID_NODE_UNITS = 200;

const KEY_UNITS = 10;
const SCANNED_PER_UNIT = 16;

const keyCounts = new WeakMap<object, number>();
const textSizes = new WeakMap<object, number>();

/** The work of scanning or copying `value` once, based on its characters, items or keys. */
export function measureScanWork(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length / SCANNED_PER_UNIT;
  if (typeof value !== "object" || value === null) return 0;
  return countKeys(value) * KEY_UNITS;
}

/** The maximum work of searching a text, which is reached if the pattern nearly matches at every position. */
export function measureSearchWork(textCharacters: number, patternCharacters: number): number {
  return (textCharacters * patternCharacters) / SCANNED_PER_UNIT;
}

/**
 * The approximate length of `value` as text. Each array and object is measured only once, because values never change.
 */
export function measureTextSize(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  const known = textSizes.get(value);
  if (known !== undefined) return known;
  let size = 1;
  for (const [key, item] of Object.entries(value)) {
    size += (Array.isArray(value) ? 1 : key.length) + measureTextSize(item);
  }
  textSizes.set(value, size);
  return size;
}

function countKeys(value: object): number {
  const known = keyCounts.get(value);
  if (known !== undefined) return known;
  const count = Object.keys(value).length;
  keyCounts.set(value, count);
  return count;
}

type Argument =
  ReturnType<NonNullable<Template["arguments"]>> extends Iterable<infer Item> ? Item : never;
type Term = Value["initial"]["postfix"][number];

/** Evaluating an expression takes at most about fifty nanoseconds per character. */
export const EXPRESSION_UNITS_PER_CHARACTER = 5;
/** The fixed cost of each value, operator or filter, in characters. */
const TERM_CHARACTERS = 10;

const expressionWorkByBlock = new WeakMap<readonly Template[], number>();

/** The work of evaluating a block's outputs, conditions and parameters once, excluding its inner blocks. */
export function measureExpressionWork(block: readonly Template[]): number {
  const known = expressionWorkByBlock.get(block);
  if (known !== undefined) return known;
  let characters = 0;
  for (const template of block) {
    for (const argument of template.arguments?.() ?? []) characters += measureArgument(argument);
  }
  const work = characters * EXPRESSION_UNITS_PER_CHARACTER;
  expressionWorkByBlock.set(block, work);
  return work;
}

function measureArgument(argument: Argument): number {
  if (!(argument instanceof Value)) return measureTerm(argument);
  const { initial, filters } = argument;
  const terms = filters.flatMap(({ args }) =>
    args.map((arg) => (Array.isArray(arg) ? arg[1] : arg)),
  );
  return [...initial.postfix, ...terms].reduce(
    (sum, term) => sum + measureTerm(term),
    filters.length * TERM_CHARACTERS,
  );
}

function measureTerm(term: Term | undefined): number {
  return TERM_CHARACTERS + (term === undefined ? 0 : term.end - term.begin);
}
