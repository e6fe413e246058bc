import { PARAMETER_STYLES, type ParameterMapping } from "../../model/connector.ts";
import { PARAMETERS_MAX } from "../../limits.ts";
import { preview, fail, ok, type Result } from "../../../kernel/result.ts";
import { isHeaderName, isReservedHeader } from "../../../kernel/header-name.ts";
import type { OperationParameter } from "./operation-parts.ts";
import type { ParameterSet } from "./parameter-set.ts";

interface UriTemplate {
  /** A URI template (RFC 6570). */
  readonly template: string;
  /** The template's parameters, in order. The document might not declare all of them. */
  readonly names: readonly string[];
  /** A fixed query, which some documents include in a path. */
  readonly query: Readonly<Record<string, string>>;
}

const VARNAME = /^[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*$/;

/** A parameter name as an RFC 6570 variable. `decodeURIComponent` reverses the encoding. */
export function toVariableName(parameter: string): string {
  if (VARNAME.test(parameter)) return parameter;
  return encodeURIComponent(parameter).replace(
    /[^A-Za-z0-9_%]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Converts a path to a URI template. The failure completes "Omitted because it …". */
function toUriTemplate(
  path: string,
  parameters: ReadonlyMap<string, OperationParameter>,
): Result<UriTemplate, string> {
  // Fragments are never sent. Some documents use them to distinguish operations that share a URL.
  const [withQuery = ""] = path.split("#", 1);
  const [plain = "", ...queries] = withQuery.split("?");
  const query = queries.join("?");
  if (/[{}]/.test(query)) return fail("has variables in the query part of its path");
  const names = new Set<string>();
  let problem: string | null = null;
  const template = plain.replace(/\{([^{}]*)\}|[{}]/g, (match, name: string | undefined) => {
    if (name === undefined || name === "" || !name.isWellFormed()) {
      problem = "has an unmatched brace or an invalid variable";
      return match;
    }
    names.add(name);
    const expression = buildExpression(name, parameters.get(name));
    if (expression === null)
      problem = `has the path variable ${preview(name)} in an unsupported style`;
    return expression ?? match;
  });
  if (problem !== null) return fail(problem);
  return ok({ template, names: [...names], query: Object.fromEntries(new URLSearchParams(query)) });
}

function buildExpression(name: string, parameter: OperationParameter | undefined): string | null {
  const variable = toVariableName(name);
  const star = parameter?.explode === true ? "*" : "";
  switch (parameter?.style || "simple") {
    case "simple":
      return `{${variable}${star}}`;
    case "label":
      return `{.${variable}${star}}`;
    case "matrix":
      if (variable === name) return `{;${variable}${star}}`;
      // The operator would encode the name a second time.
      return star === "" ? `;${encodeURIComponent(name)}={${variable}}` : null;
    default:
      return null;
  }
}

interface OperationParameters {
  readonly path: string;
  readonly query: Readonly<Record<string, ParameterMapping>>;
  readonly headers: Readonly<Record<string, ParameterMapping>>;
}

export const TOO_MANY_PARAMETERS = "has too many parameters, or parameters that are too large";

/** OpenAPI ignores header parameters with these names. */
const IGNORED_HEADERS = new Set(["accept", "content-type"]);

/** Adds an operation's parameters to `set`. The failure completes "Omitted because it …". */
export function readOperationParameters(
  path: string,
  parameters: readonly OperationParameter[],
  set: ParameterSet,
  dropped: (what: string) => void,
): Result<OperationParameters, string> {
  if (parameters.length > PARAMETERS_MAX) return fail(TOO_MANY_PARAMETERS);
  const inPath = new Map(
    parameters.filter(({ place }) => place === "path").map((one) => [one.name, one]),
  );
  const template = toUriTemplate(path, inPath);
  if (!template.ok) return template;
  const query: [string, ParameterMapping][] = Object.entries(template.value.query).map(
    ([name, value]) => [name, { value }],
  );
  const headers: [string, ParameterMapping][] = [];
  for (const name of template.value.names) {
    const described = inPath.get(name) ?? describeVariable(name);
    if (described.mediaType !== null) return fail("has a path parameter with a media type");
    if (addParameter({ ...described, required: true }, set) === null)
      return fail(TOO_MANY_PARAMETERS);
  }
  for (const one of parameters) {
    const { name, place } = one;
    if (place === "path") {
      if (!template.value.names.includes(name))
        dropped("a path parameter that does not appear in its path");
      continue;
    }
    if (place === "header" && isManagedHeader(name)) continue;
    const unfit = findUnsupported(place, name);
    if (unfit !== null) {
      if (one.required) return fail(`requires ${unfit}`);
      dropped(unfit);
      continue;
    }
    const parameter = addParameter(one, set);
    if (parameter === null) return fail(TOO_MANY_PARAMETERS);
    if (place === "query") query.push([name, toQueryMapping(one, parameter)]);
    else headers.push([name, toHeaderMapping(one, parameter)]);
  }
  return ok({
    path: template.value.template,
    query: Object.fromEntries(query),
    headers: Object.fromEntries(headers),
  });
}

/** A variable in the path is a parameter even if the document does not declare it. */
function describeVariable(name: string): OperationParameter {
  return {
    name,
    place: "path",
    required: true,
    description: "",
    deprecated: false,
    style: "",
    explode: null,
    schema: { type: "string" },
    mediaType: null,
  };
}

/** Whether the service or the runtime sets a header, such as Content-Length or Authorization. */
function isManagedHeader(name: string): boolean {
  const lowered = name.toLowerCase();
  return IGNORED_HEADERS.has(lowered) || (lowered !== "cookie" && isReservedHeader(lowered));
}

function findUnsupported(place: string, name: string): string | null {
  if (name === "") return "a parameter without a name";
  switch (place) {
    case "query":
      return null;
    case "header":
      if (name.toLowerCase() === "cookie") return "a cookie";
      return isHeaderName(name) ? null : "a header whose name is invalid in HTTP";
    case "cookie":
      return "a cookie";
    default:
      return `a parameter in ${preview(place)}`;
  }
}

function addParameter(parameter: OperationParameter, set: ParameterSet): string | null {
  return set.add({
    ...parameter,
    otherwise: `${parameter.place}-${parameter.name}`,
    usualType: parameter.mediaType === null ? "string" : "object",
  });
}

function toQueryMapping(
  { mediaType, style: given, explode }: OperationParameter,
  parameter: string,
): ParameterMapping {
  if (mediaType !== null) return toContentMapping(mediaType, parameter);
  const style = PARAMETER_STYLES.find((one) => one === given) ?? "form";
  return {
    parameter,
    ...(style === "form" ? {} : { style }),
    ...toExplode(explode, style === "form"),
  };
}

function toHeaderMapping(
  { mediaType, explode }: OperationParameter,
  parameter: string,
): ParameterMapping {
  if (mediaType !== null) return toContentMapping(mediaType, parameter);
  return { parameter, ...toExplode(explode, false) };
}

/** A parameter with a media type is sent as JSON, or as unchanged text. */
function toContentMapping(mediaType: string, parameter: string): ParameterMapping {
  const isJson = /^(?:application\/(?:.*\+)?json|\*\/\*)\s*(?:;|$)/i.test(mediaType);
  return isJson ? { parameter, style: "json" } : { parameter };
}

function toExplode(explode: boolean | null, usual: boolean): { explode?: boolean } {
  return explode === null || explode === usual ? {} : { explode };
}
