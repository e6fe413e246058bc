import { Value, type Template } from "liquidjs/dist/liquid.browser.mjs";

type Argument =
  ReturnType<NonNullable<Template["arguments"]>> extends Iterable<infer Item> ? Item : never;
type FilterArgument = Value["filters"][number]["args"][number];

/** A character of an expression stands for at most some fifty nanoseconds of evaluating it. */
export const EXPRESSION_UNITS_PER_CHARACTER = 5;
/** What a filter costs besides the characters of its parameters, as characters. */
const FILTER_CHARACTERS = 10;

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
  if (!(argument instanceof Value)) return argument.end - argument.begin;
  const { initial, filters } = argument;
  return (
    initial.postfix.reduce((sum, token) => sum + token.end - token.begin, 0) +
    filters.reduce((sum, { args }) => sum + FILTER_CHARACTERS + filterSize(args), 0)
  );
}

function filterSize(args: readonly FilterArgument[]): number {
  return args.reduce((sum, arg) => {
    const token = Array.isArray(arg) ? arg[1] : arg;
    return sum + 1 + (token === undefined ? 0 : token.end - token.begin);
  }, 0);
}
