import type { Authorisation, HttpRequest, Mapped } from "../../../domain/connector.ts";
import type { Json, JsonObject } from "../../../domain/json.ts";
import { shown, type Problem } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import type { CallFault } from "../contract.ts";
import { parametersFault, unsendable } from "./fault.ts";
import { listTexts, propertyTexts, textOf } from "./text.ts";

const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const VALUE = /^[\t\u0020-\u007E\u0080-\u00FF]*$/;

// They belong to the connection or the message's frame, which the runtime looks after.
const FRAMING = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
// They say who asks, which no caller of a tool decides.
const IDENTITY = new Set(["authorization", "cookie"]);

/** Whether no parameter may set this header. */
export function isReservedHeader(name: string): boolean {
  return FRAMING.has(name.toLowerCase()) || IDENTITY.has(name.toLowerCase());
}

/**
 * The headers of one request but for its body's: constants of the tool, then the mapped ones, then
 * the credential, each over the one before. `Accept` and `User-Agent` have defaults.
 */
export function headersOf(
  constants: Readonly<Record<string, string>>,
  request: HttpRequest,
  parameters: JsonObject,
  authorisation: Authorisation | null,
): Result<Headers, CallFault> {
  const headers = new Headers({ Accept: "application/json", "User-Agent": "bosun" });
  const problems: Problem[] = [];
  const fixed = Object.entries(constants).map(([name, value]): [string, Mapped] => [
    name,
    { value },
  ]);
  for (const [name, mapped] of [...fixed, ...Object.entries(request.headers ?? {})]) {
    const value = "value" in mapped ? mapped.value : headerText(mapped, parameters);
    if (value === null) continue;
    if (!NAME.test(name) || ("value" in mapped && !VALUE.test(value)))
      return fail(unsendableHeader(name));
    const problem = "parameter" in mapped ? parameterProblem(name, mapped.parameter, value) : null;
    if (problem !== null) problems.push(problem);
    else if (!FRAMING.has(name.toLowerCase())) headers.set(name, value);
  }
  if (problems.length > 0) return fail(parametersFault(problems));
  if (authorisation?.in === "header") {
    const { name, value } = authorisation;
    if (!NAME.test(name) || !VALUE.test(value)) return fail(unsendableHeader(name));
    headers.set(name, value);
  }
  return ok(headers);
}

function unsendableHeader(name: string): CallFault {
  return unsendable(
    `its header ${shown(name)} cannot be sent: the name or the value breaks HTTP's rules.`,
  );
}

function parameterProblem(header: string, parameter: string, value: string): Problem | null {
  if (isReservedHeader(header)) {
    const message = `must be left out: the header ${header} is not for callers to set`;
    return { path: parameter, message };
  }
  if (VALUE.test(value)) return null;
  const message = `must fit into the header ${header}: Latin-1 text without control characters`;
  return { path: parameter, message };
}

/** `simple` style: lists with commas, objects as `a,1,b,2`, or `a=1,b=2` when exploded. */
function headerText(
  mapped: Extract<Mapped, { parameter: string }>,
  parameters: JsonObject,
): string | null {
  const { parameter, style, explode = false } = mapped;
  const value: Json = Object.hasOwn(parameters, parameter) ? (parameters[parameter] ?? null) : null;
  if (value === null) return null;
  if (style === "json") return asciiJson(value);
  if (typeof value !== "object") return textOf(value);
  if (Array.isArray(value)) return listTexts(value).join(",");
  const properties = propertyTexts(value);
  return (explode ? properties.map((pair) => pair.join("=")) : properties.flat()).join(",");
}

/** JSON can say every character in ASCII, which headers can carry. */
function asciiJson(value: Json): string {
  return JSON.stringify(value).replace(
    /[\u007F-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
