import { defaultOperators, type Context } from "liquidjs/dist/liquid.browser.mjs";
import { scanWork, searchWork, textSize } from "./work.ts";

type Operators = typeof defaultOperators;

/** Comparing the items of arrays takes some 150 nanoseconds each. */
const ITEM_UNITS = 10;

/** Liquid's operators; those that walk whole values charge the context's meter for it. */
export const meteredOperators: Operators = {
  ...defaultOperators,
  "==": metered("==", compareWork),
  "!=": metered("!=", compareWork),
  contains: metered("contains", containsWork),
};

function metered(name: string, work: (left: unknown, right: unknown) => number): Operators[string] {
  const operator = defaultOperators[name];
  if (operator === undefined) throw new Error(`liquidjs has no operator ${name}`);
  return function meteredOperator(left: unknown, right: unknown, context: Context) {
    context.memoryLimit.use(work(left, right));
    return operator(left, right, context);
  };
}

function compareWork(left: unknown, right: unknown): number {
  if (Array.isArray(left) && Array.isArray(right))
    return ITEM_UNITS * Math.min(textSize(left), textSize(right));
  return Math.min(scanWork(left), scanWork(right));
}

function containsWork(left: unknown, right: unknown): number {
  if (Array.isArray(left)) return ITEM_UNITS * textSize(left);
  return typeof left === "string" && typeof right === "string"
    ? searchWork(left.length, right.length)
    : 0;
}
