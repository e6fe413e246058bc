import type { Column, Profile } from "../shapes.ts";
import { counted, label } from "../wording.ts";
import { insight, type Insight } from "./insight.ts";

const MISSING_MAX = 8;
const TOP_MAX = 5;
const WORDLESS = /^[^\p{L}\p{N}]+$/u;

/** What is missing, what is commonest, and what looks like a mark for a missing value. */
export function valueInsights(profile: Profile): Insight[] {
  const gaps = profile.columns
    .filter(isGappy)
    .toSorted((a, b) => b.missing - a.missing)
    .slice(0, MISSING_MAX)
    .map((column, place) => insight(gapText(column, profile), null, place === 0));
  const commonest = profile.columns.filter(hasCommonest).slice(0, TOP_MAX).map(commonestText);
  const placeholders = profile.columns.flatMap(placeholdersOf).map(placeholderText);
  return [...gaps, ...[...commonest, ...placeholders].map((text) => insight(text, null))];
}

export function isGappy({ missing, type }: Column): boolean {
  return missing > 0 && type !== "empty";
}

/** A value without a letter or digit, such as ".". */
export interface Placeholder {
  readonly column: string;
  readonly value: string;
  readonly count: number;
}

export function placeholdersOf({ name, top }: Column): Placeholder[] {
  return top.flatMap(({ value, count }) =>
    typeof value === "string" && WORDLESS.test(value) ? [{ column: name, value, count }] : [],
  );
}

function gapText({ name, missing }: Column, { rows }: Profile): string {
  return `${label(name)} is missing in ${missing} of ${counted(rows, "row")}`;
}

/** With every value different there is no commonest one. */
function hasCommonest({ top, distinct, count }: Column): boolean {
  return top.length > 0 && distinct < count;
}

function commonestText({ name, top, distinct, count }: Column): string {
  const [first] = top;
  if (first === undefined) return "";
  if (distinct === 1)
    return `${label(name)} is ${label(first.value)} in all ${counted(count, "row")}`;
  const most = `${label(first.value)}, in ${first.count} of ${counted(count, "row")}`;
  return `The commonest of ${distinct} values of ${label(name)} is ${most}`;
}

function placeholderText({ column, value, count }: Placeholder): string {
  const times = count === 1 ? "once" : `${count} times`;
  return `${label(column)} holds "${label(value)}" ${times}, which may stand for a missing value`;
}
