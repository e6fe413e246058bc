import { Value, type Template } from "liquidjs/dist/liquid.browser.mjs";

type Argument =
  ReturnType<NonNullable<Template["arguments"]>> extends Iterable<infer Item> ? Item : never;
type Term = Value["initial"]["postfix"][number];

/** A character of an expression stands for at most some fifty nanoseconds of evaluating it. */
export const EXPRESSION_UNITS_PER_CHARACTER = 5;
/** What a value, an operator or a filter costs besides its length, as characters. */
const TERM_CHARACTERS = 10;

const works = new WeakMap<readonly Template[], number>();

/**
 * What evaluating the expressions of a block once costs: all its outputs, conditions and
 * parameters, which can be as long as the template. Blocks inside it count for themselves.
 */
export function expressionWork(block: readonly Template[]): number {
  const known = works.get(block);
  if (known !== undefined) return known;
  let characters = 0;
  for (const template of block) {
    for (const argument of template.arguments?.() ?? []) characters += argumentSize(argument);
  }
  const work = characters * EXPRESSION_UNITS_PER_CHARACTER;
  works.set(block, work);
  return work;
}

function argumentSize(argument: Argument): number {
  if (!(argument instanceof Value)) return termSize(argument);
  const { initial, filters } = argument;
  const terms = filters.flatMap(({ args }) =>
    args.map((arg) => (Array.isArray(arg) ? arg[1] : arg)),
  );
  return [...initial.postfix, ...terms].reduce(
    (sum, term) => sum + termSize(term),
    filters.length * TERM_CHARACTERS,
  );
}

function termSize(term: Term | undefined): number {
  return TERM_CHARACTERS + (term === undefined ? 0 : term.end - term.begin);
}
