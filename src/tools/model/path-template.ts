import { fail, ok, type Result } from "../../kernel/result.ts";

/** An expression of RFC 6570 with the operators that keep a value within its segment. */
const EXPRESSION = /\{([./;?&]?)([^{}]*)\}/g;
const VARIABLE =
  /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})*(?:\*|:[1-9]\d{0,3})?$/;

/**
 * The parameters of a path template (RFC 6570), or why it is invalid. `{+x}` and `{#x}` are not allowed, because a
 * value could change other parts of the path.
 *
 * @example
 *   parsePathTemplate("/harbours/{harbour}/tides{?my%2Ddays}"); // ok(["harbour", "my-days"])
 */
export function parsePathTemplate(template: string): Result<string[], string> {
  if (!template.startsWith("/")) return fail('must begin with "/": it is appended to the base URL');
  const rest = template.replaceAll(EXPRESSION, "");
  if (/[{}]/.test(rest)) return fail("has a brace without its partner");
  if (/[\s#\\]/.test(rest)) return fail('must have no spaces, "#" or "\\"');
  const parameters: string[] = [];
  for (const [expression, , list = ""] of template.matchAll(EXPRESSION)) {
    for (const variable of list.split(",")) {
      const name = VARIABLE.test(variable) ? decodeName(variable.replace(/\*$|:\d+$/, "")) : null;
      if (name === null) {
        return fail(`has ${expression}, which RFC 6570 does not know or Bosun does not allow`);
      }
      parameters.push(name);
    }
  }
  return ok(parameters);
}

function decodeName(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
