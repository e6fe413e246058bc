import { shown } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";

/** How a path parameter is written: OpenAPI's `style` and `explode`. */
export interface PathParameter {
  readonly style: string;
  readonly explode: boolean;
}

export interface PathTemplate {
  /** A URI template (RFC 6570). */
  readonly template: string;
  /** The parameters that it takes, in their order; some may be unknown to the document. */
  readonly names: readonly string[];
  /** A fixed query, which some documents write into their paths. */
  readonly query: Readonly<Record<string, string>>;
}

const VARNAME = /^[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*$/;

/**
 * A parameter's name as RFC 6570 lets variables be called: what is no letter, digit or underscore is
 * percent-encoded. `decodeURIComponent` leads back; url-template takes the encoded name.
 */
export function variableName(parameter: string): string {
  if (VARNAME.test(parameter)) return parameter;
  return encodeURIComponent(parameter).replace(
    /[^A-Za-z0-9_%]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** OpenAPI's path as a URI template; the failure says why it cannot be one: `its path …`. */
export function pathTemplate(
  path: string,
  parameters: ReadonlyMap<string, PathParameter>,
): Result<PathTemplate, string> {
  // A fragment never reaches the server; documents use it to tell operations of one URL apart.
  const [withQuery = ""] = path.split("#", 1);
  const [plain = "", ...queries] = withQuery.split("?");
  const query = queries.join("?");
  if (/[{}]/.test(query)) return fail("has variables in a query");
  const names = new Set<string>();
  let fault: string | null = null;
  const template = plain.replace(/\{([^{}]*)\}|[{}]/g, (match, name: string | undefined) => {
    if (name === undefined || name === "" || !name.isWellFormed()) {
      fault = "has a brace without a variable";
      return match;
    }
    names.add(name);
    const expression = expressionOf(name, parameters.get(name));
    if (expression === null)
      fault = `writes the variable ${shown(name)} in a style that does not work`;
    return expression ?? match;
  });
  if (fault !== null) return fail(fault);
  return ok({ template, names: [...names], query: Object.fromEntries(new URLSearchParams(query)) });
}

function expressionOf(name: string, parameter: PathParameter | undefined): string | null {
  const variable = variableName(name);
  const star = parameter?.explode === true ? "*" : "";
  switch (parameter?.style ?? "simple") {
    case "simple":
      return `{${variable}${star}}`;
    case "label":
      return `{.${variable}${star}}`;
    case "matrix":
      if (variable === name) return `{;${variable}${star}}`;
      // The operator would write the encoded name and encode it again.
      return star === "" ? `;${encodeURIComponent(name)}={${variable}}` : null;
    default:
      return null;
  }
}
