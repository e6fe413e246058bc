import type { Schemas } from "../api/client.ts";

type When = NonNullable<Schemas["Policy"]["when"]>;
type Scalar = string | number | boolean | null;

export const OPERATOR_LABELS = {
  eq: "is",
  ne: "is not",
  in: "is one of",
  notIn: "is none of",
  gt: "is greater than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  startsWith: "starts with",
  matches: "matches (RE2)",
  exists: "exists",
} as const;
export type Operator = keyof typeof OPERATOR_LABELS;

export const OPERATORS = [
  "eq",
  "ne",
  "in",
  "notIn",
  "gt",
  "gte",
  "lt",
  "lte",
  "startsWith",
  "matches",
  "exists",
] as const satisfies readonly Operator[];

const NUMBER_OPERATORS: ReadonlySet<Operator> = new Set(["gt", "gte", "lt", "lte"]);
const TEXT_OPERATORS: ReadonlySet<Operator> = new Set(["startsWith", "matches"]);
const LIST_OPERATORS: ReadonlySet<Operator> = new Set(["in", "notIn"]);

/** One comparison as it is typed. `isNegated`: it must not be true. */
export interface ComparisonDraft {
  readonly field: string;
  readonly operator: Operator;
  readonly value: string;
  readonly isNegated: boolean;
}

export const EMPTY_COMPARISON: ComparisonDraft = {
  field: "parameters.",
  operator: "eq",
  value: "",
  isNegated: false,
};

/** A condition as it is typed: none, a list of comparisons, or JSON, which can express every condition. */
export interface ConditionDraft {
  readonly mode: "none" | "all" | "any" | "json";
  readonly comparisons: readonly ComparisonDraft[];
  readonly json: string;
}

export const NO_CONDITION: ConditionDraft = {
  mode: "none",
  comparisons: [EMPTY_COMPARISON],
  json: "",
};

type Read =
  | { readonly ok: true; readonly when: When | null }
  | {
      readonly ok: false;
      /** The index of the comparison with the problem; null for the JSON. */
      readonly index: number | null;
      readonly problem: string;
    };

/** The condition that the API receives, or the first problem with what is typed. */
export function readCondition({ mode, comparisons, json }: ConditionDraft): Read {
  if (mode === "none") return { ok: true, when: null };
  if (mode === "json") return readJson(json);
  const parts: When[] = [];
  for (const [index, comparison] of comparisons.entries()) {
    const part = readComparison(comparison);
    if (typeof part === "string") return { ok: false, index, problem: part };
    parts.push(part);
  }
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return { ok: true, when: only };
  return { ok: true, when: { [mode === "all" ? "and" : "or"]: parts } };
}

function readJson(json: string): Read {
  const value = parseJson(json);
  return isObject(value)
    ? { ok: true, when: value }
    : {
        ok: false,
        index: null,
        problem: 'Enter a JSON object: {"parameters.amount": {"gt": 50000}}.',
      };
}

/** One comparison in the format of the API, or what is wrong with it. */
function readComparison(comparison: ComparisonDraft): When | string {
  const field = comparison.field.trim();
  if (field === "" || field.endsWith(".")) return "Enter a field, such as parameters.amount.";
  const value = readValue(comparison.operator, comparison.value);
  if (value === undefined)
    return NUMBER_OPERATORS.has(comparison.operator) ? "Enter a number." : "Enter a value.";
  const part = { [field]: { [comparison.operator]: value } };
  return comparison.isNegated ? { not: part } : part;
}

function readValue(operator: Operator, text: string): Scalar | readonly Scalar[] | undefined {
  const typed = text.trim();
  if (operator === "exists") return typed !== "false";
  if (typed === "") return undefined;
  if (NUMBER_OPERATORS.has(operator))
    return Number.isFinite(Number(typed)) ? Number(typed) : undefined;
  if (TEXT_OPERATORS.has(operator)) return text;
  if (!LIST_OPERATORS.has(operator)) return readScalar(typed);
  const list = parseJson(typed);
  if (Array.isArray(list)) return list.every(isScalar) && list.length > 0 ? list : undefined;
  return typed
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map(readScalar);
}

/** Reads `5`, `true` and `null` as in JSON, and anything else as text. Quotes make text of the first three. */
function readScalar(typed: string): Scalar {
  const value = parseJson(typed);
  return isScalar(value) ? value : typed;
}

function formatScalar(value: Scalar): string {
  if (typeof value !== "string") return String(value);
  return value.trim() === value && value !== "" && readScalar(value) === value
    ? value
    : JSON.stringify(value);
}

/** A stored condition in the form, or as JSON if the form cannot express it. */
export function draftOfCondition(when: When | null): ConditionDraft {
  if (when === null) return NO_CONDITION;
  const json = JSON.stringify(when, null, 2);
  const form = formOf(when);
  return form === null ? { ...NO_CONDITION, mode: "json", json } : { ...form, json };
}

/** The comparisons of JSON that is typed; null if the form cannot express it. */
export function comparisonsOf(json: string): Pick<ConditionDraft, "mode" | "comparisons"> | null {
  const value = parseJson(json);
  return isObject(value) ? formOf(value) : null;
}

function formOf(when: When): Pick<ConditionDraft, "mode" | "comparisons"> | null {
  const entries = Object.entries(when);
  const [first] = entries;
  if (first === undefined) return null;
  const [key, parts] = first;
  if (entries.length === 1 && (key === "and" || key === "or")) {
    if (!Array.isArray(parts) || parts.length === 0) return null;
    const lists = parts.map((part) => (isObject(part) ? listComparisons(part) : null));
    // In a part with several comparisons, all must be true.
    if (key === "or" && lists.some((list) => list !== null && list.length > 1)) return null;
    const comparisons = lists.flatMap((list) => list ?? []);
    const isComplete = lists.every((list) => list !== null);
    return isComplete ? { mode: key === "and" ? "all" : "any", comparisons } : null;
  }
  const comparisons = listComparisons(when);
  return comparisons === null ? null : { mode: "all", comparisons };
}

/** The comparisons of an object, all of which must be true; null if it contains something else. */
function listComparisons(part: When): readonly ComparisonDraft[] | null {
  const found: ComparisonDraft[] = [];
  for (const [key, value] of Object.entries(part)) {
    if (key === "and" || key === "or" || !isObject(value)) return null;
    const negated = key === "not" ? listComparisons(value) : null;
    if (key === "not") {
      const [only] = negated ?? [];
      if (only === undefined || negated?.length !== 1 || only.isNegated) return null;
      found.push({ ...only, isNegated: true });
      continue;
    }
    for (const [name, operand] of Object.entries(value)) {
      const operator = OPERATORS.find((one) => one === name);
      const text = operator === undefined ? null : formatOperand(operator, operand);
      if (operator === undefined || text === null) return null;
      found.push({ field: key, operator, value: text, isNegated: false });
    }
  }
  return found.length === 0 ? null : found;
}

/** The text that is read as the operand; null if there is none. */
function formatOperand(operator: Operator, operand: unknown): string | null {
  const text = textOf(operator, operand);
  const isSame =
    text !== null && JSON.stringify(readValue(operator, text)) === JSON.stringify(operand);
  return isSame ? text : null;
}

function textOf(operator: Operator, operand: unknown): string | null {
  if (TEXT_OPERATORS.has(operator)) return typeof operand === "string" ? operand : null;
  if (!LIST_OPERATORS.has(operator)) return isScalar(operand) ? formatScalar(operand) : null;
  if (!Array.isArray(operand) || !operand.every(isScalar)) return null;
  const needsJson = operand.some((one) => typeof one === "string" && /[,[\]]/.test(one));
  return needsJson ? JSON.stringify(operand) : operand.map(formatScalar).join(", ");
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
