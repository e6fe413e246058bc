import * as z from "zod";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, PAGE_OFFSET_MAX } from "../kernel/limits.ts";
import type { Problem } from "../kernel/problem.ts";
import { checkText } from "./json-body.ts";

/** A whole number in a query: plain decimal digits without leading zeros, within bounds. */
export function queryInteger(from: number, to: number) {
  const rule = `must be a whole number from ${from} to ${to}`;
  return z
    .string()
    .regex(/^(?:0|[1-9]\d{0,15})$/, { error: rule })
    .transform(Number)
    .refine((value) => value >= from && value <= to, { error: rule })
    .meta({ type: "integer", minimum: from, maximum: to });
}

/** The paging parameters that every list takes. */
export const pageQuery = {
  limit: queryInteger(1, PAGE_LIMIT_MAX).default(PAGE_LIMIT_DEFAULT),
  offset: queryInteger(0, PAGE_OFFSET_MAX).default(0),
};

/**
 * The known parameters of a query string, and the problems in it. Unknown parameters are a problem, except
 * those in `ignored`; null ignores all.
 */
export function readQuery(
  search: URLSearchParams,
  known: readonly string[],
  ignored: readonly string[] | null = [],
): { values: Record<string, string>; problems: Problem[] } {
  const values: Record<string, string> = {};
  const problems = ignored === null ? [] : findUnknownParameters(search, known, ignored);
  for (const name of known) {
    const given = search.getAll(name);
    const [value] = given;
    if (value === undefined) continue;
    const text = checkText(value);
    if (given.length > 1) {
      problems.push({ path: name, message: `must be given once, got it ${given.length} times` });
    } else if (value === "") {
      problems.push({ path: name, message: "must not be empty; leave it out instead" });
    } else if (text !== null) {
      problems.push({ path: name, message: `holds text that ${text}` });
    } else {
      values[name] = value;
    }
  }
  return { values, problems };
}

function findUnknownParameters(
  search: URLSearchParams,
  known: readonly string[],
  ignored: readonly string[],
): Problem[] {
  const all = [...known, ...ignored];
  const takes = all.length === 0 ? "this route has none" : `known: ${all.join(", ")}`;
  return [...new Set(search.keys())]
    .filter((name) => !all.includes(name))
    .map((name) => ({
      path: name === "" ? "query" : name,
      message: `is not a known query parameter; ${takes}`,
    }));
}
