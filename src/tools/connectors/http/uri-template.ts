import { parseTemplate } from "url-template";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import {
  formatListValues,
  formatPropertyValues,
  formatParameterValue,
  readParameter,
} from "./parameter-styles.ts";

/** The parts of a template. After expansion, `query` does not include the `?`. */
interface ExpandedTemplate {
  readonly path: string;
  readonly query: string;
}

type Expandable = string | string[] | Record<string, string>;
type Expandables = Record<string, Expandable>;

const TOKEN = /\{([^{}]+)\}|[^{}]+/g;
const OPERATOR = /^[+#./;?&]/;
const SLASH_OUTSIDE_BRACES = /\/(?![^{}]*\})/;
const FRAGMENT = /(?:\{#|#(?![^{}]*\})).*$/s;
const QUERY = /(?:\{[?&]|\?(?![^{}]*\})).*$/s;
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;
const CUT_MESSAGE =
  "must not be cut in the middle of a character by the URI template's length limit";
const DOT_SEGMENT_MESSAGE = 'must not produce the path segment "." or ".."';
// These operators require a value, because the path would lack a segment without one. Other operators omit missing
// values.
const REQUIRING_OPERATORS = new Set(["", "+"]);

/** The parameters of a URI template, without duplicates. */
export function listTemplateParameters(template: string): string[] {
  return listVariables(template).map(decodeVariableName);
}

function listVariables(template: string): string[] {
  return [...new Set(parseExpressions(template).flatMap(({ variables }) => variables))];
}

/** The expressions of a template: `{?a,b*}` has the operator `?` and the variables `a` and `b`. */
function parseExpressions(template: string): { operator: string; variables: string[] }[] {
  return [...template.matchAll(TOKEN)].flatMap(([, inner]) => {
    if (inner === undefined) return [];
    const operator = OPERATOR.exec(inner)?.[0] ?? "";
    const list = inner.slice(operator.length).split(",");
    return [{ operator, variables: list.map((one) => one.replace(/(?::\d+|\*)$/, "")) }];
  });
}

/** RFC 6570 requires `enterprise-team` to be written as `enterprise%2Dteam`. */
function decodeVariableName(variable: string): string {
  return tryDecode(variable) ?? variable;
}

function tryDecode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Expands a URI template (RFC 6570). A value cannot leave its place in the path: "/", "?" and "#" are encoded (`{+x}`
 * keeps "/"), and empty values, "." and ".." are rejected.
 */
export function expandTemplate(
  template: string,
  parameters: JsonObject,
): Result<ExpandedTemplate, Problem[]> {
  const { path, query } = splitTemplate(template.toWellFormed());
  const problems = parseExpressions(path).flatMap(({ operator, variables }) =>
    checkRequired(REQUIRING_OPERATORS.has(operator), variables, parameters),
  );
  const values = toTemplateValues(listVariables(template), parameters, problems);
  if (problems.length > 0) return fail(problems);
  function reject(part: string, message: string): void {
    problems.push(...listTemplateParameters(part).map((name) => ({ path: name, message })));
  }

  const steps: string[] = [];
  for (const step of path.split(SLASH_OUTSIDE_BRACES)) {
    const expanded = expandPart(step, values);
    const hasDots = expanded?.split("/").some((one) => DOT_SEGMENT.test(one)) ?? true;
    // A dot segment in the template itself is intentional, and the URL stays below the base.
    if (expanded === null || (hasDots && listTemplateParameters(step).length > 0)) {
      reject(step, expanded === null ? CUT_MESSAGE : DOT_SEGMENT_MESSAGE);
      continue;
    }
    steps.push(expanded.replaceAll("?", "%3F").replaceAll("#", "%23"));
  }
  const search = expandPart(query, values)?.replace(/^[?&]/, "").replaceAll("#", "%23");
  if (search === undefined) reject(query, CUT_MESSAGE);
  return problems.length > 0 ? fail(problems) : ok({ path: steps.join("/"), query: search ?? "" });
}

/** Splits a template into path and query. The fragment is dropped, because fragments are never sent. */
function splitTemplate(template: string): ExpandedTemplate {
  const tokens = Array.from(template.matchAll(TOKEN), ([token]) => token);
  const whole = tokens.join("").replace(FRAGMENT, "");
  const path = whole.replace(QUERY, "");
  return { path, query: whole.slice(path.length) };
}

/** Finds path values that are required but missing, or that are empty. */
function checkRequired(
  isRequired: boolean,
  variables: readonly string[],
  parameters: JsonObject,
): Problem[] {
  return variables.map(decodeVariableName).flatMap((path) => {
    const value = readParameter(parameters, path);
    if (value === null) {
      return isRequired ? [{ path, message: "is required, because it is part of the path" }] : [];
    }
    if (!isEmptyValue(value)) return [];
    return [{ path, message: "must not be empty, because it is part of the path" }];
  });
}

function isEmptyValue(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0 || value.includes("");
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === "";
}

/**
 * Converts values to text that the library can encode. Values with nested lists or objects are reported as problems.
 */
function toTemplateValues(
  variables: readonly string[],
  parameters: JsonObject,
  problems: Problem[],
): Expandables {
  // No prototype, so that `{constructor}` is not found.
  const values: Expandables = Object.create(null);
  for (const variable of variables) {
    const name = decodeVariableName(variable);
    const value = readParameter(parameters, name);
    if (value === null) continue;
    if (typeof value !== "object") values[variable] = formatParameterValue(value);
    else if (Object.values(value).some((part) => typeof part === "object" && part !== null)) {
      const message = `must not contain nested lists or objects, because it is part of the URL; got ${preview(value)}`;
      problems.push({ path: name, message });
    } else
      values[variable] = Array.isArray(value)
        ? formatListValues(value)
        : Object.fromEntries(formatPropertyValues(value));
  }
  return values;
}

/** Returns null if a prefix (`{x:3}`) ends inside a surrogate pair. */
function expandPart(part: string, values: Expandables): string | null {
  try {
    return parseTemplate(part).expand(values);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** An RFC 6570 expression, with only the operators that keep a value in its place. */
const EXPRESSION = /\{([./;?&]?)([^{}]*)\}/g;
const VARIABLE =
  /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})*(?:\*|:[1-9]\d{0,3})?$/;

/**
 * Returns the parameters of a path template (RFC 6570), or why it is invalid. `{+x}` and `{#x}` are not allowed,
 * because their values could change other parts of the URL.
 */
export function parsePathTemplate(template: string): Result<string[], string> {
  if (!template.startsWith("/"))
    return fail('must begin with "/", because it is appended to the base URL');
  const rest = template.replaceAll(EXPRESSION, "");
  if (/[{}]/.test(rest)) return fail("has an unmatched brace");
  if (/[\s#\\]/.test(rest)) return fail('must not contain spaces, "#" or "\\"');
  const parameters: string[] = [];
  for (const [expression, , list = ""] of template.matchAll(EXPRESSION)) {
    for (const variable of list.split(",")) {
      const name = VARIABLE.test(variable) ? tryDecode(variable.replace(/\*$|:\d+$/, "")) : null;
      if (name === null) {
        return fail(`contains ${expression}, which is unsupported or invalid under RFC 6570`);
      }
      parameters.push(name);
    }
  }
  return ok(parameters);
}
