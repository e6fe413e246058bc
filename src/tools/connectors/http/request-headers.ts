import type {
  RequestAuthorization,
  HttpRequestTemplate,
  ParameterMapping,
} from "../../model/connector.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { preview, type Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import type { ConnectorFailure } from "../contract.ts";
import { rejectParameters, createUnsendableRequestFailure } from "../connector-failure.ts";
import {
  formatListValues,
  formatPropertyValues,
  formatParameterValue,
  readParameter,
} from "./parameter-styles.ts";

/** A header name (RFC 9110). */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const HEADER_VALUE = /^[\t\u0020-\u007E\u0080-\u00FF]*$/;

// Headers of the connection or of framing, which the runtime sets.
const FRAMING_HEADERS = new Set(
  "connection content-length expect host keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);
// Headers of identity, which callers may not set.
const IDENTITY_HEADERS = new Set(["authorization", "cookie"]);

/** Whether no parameter may set this header. */
export function isReservedHeader(name: string): boolean {
  return FRAMING_HEADERS.has(name.toLowerCase()) || IDENTITY_HEADERS.has(name.toLowerCase());
}

/** The headers except those of the body: constants, then mapped headers, then the credential; later ones win. */
export function buildToolRequestHeaders(
  constants: Readonly<Record<string, string>>,
  request: HttpRequestTemplate,
  parameters: JsonObject,
  authorization: RequestAuthorization | null,
): Result<Headers, ConnectorFailure> {
  const headers = new Headers({ Accept: "application/json", "User-Agent": "bosun" });
  const problems: Problem[] = [];
  const fixed = Object.entries(constants).map(([name, value]): [string, ParameterMapping] => [
    name,
    { value },
  ]);
  for (const [name, mapped] of [...fixed, ...Object.entries(request.headers ?? {})]) {
    const value = "value" in mapped ? mapped.value : formatHeaderValue(mapped, parameters);
    if (value === null) continue;
    if (!HEADER_NAME.test(name) || ("value" in mapped && !HEADER_VALUE.test(value)))
      return fail(createHeaderFailure(name));
    const problem =
      "parameter" in mapped ? checkHeaderParameter(name, mapped.parameter, value) : null;
    if (problem !== null) problems.push(problem);
    else if (!FRAMING_HEADERS.has(name.toLowerCase())) headers.set(name, value);
  }
  if (problems.length > 0) return fail(rejectParameters(problems));
  if (authorization?.in === "header") {
    const { name, value } = authorization;
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value))
      return fail(createHeaderFailure(name));
    headers.set(name, value);
  }
  return ok(headers);
}

function createHeaderFailure(name: string): ConnectorFailure {
  return createUnsendableRequestFailure(
    `its header ${preview(name)} cannot be sent: the name or the value breaks HTTP's rules.`,
  );
}

function checkHeaderParameter(header: string, parameter: string, value: string): Problem | null {
  if (isReservedHeader(header)) {
    const message = `must be left out: the header ${header} is not for callers to set`;
    return { path: parameter, message };
  }
  if (HEADER_VALUE.test(value)) return null;
  const message = `must fit into the header ${header}: Latin-1 text without control characters`;
  return { path: parameter, message };
}

/** The `simple` style: lists with commas; objects as `a,1,b,2`, or `a=1,b=2` if exploded. */
function formatHeaderValue(
  mapped: Extract<ParameterMapping, { parameter: string }>,
  parameters: JsonObject,
): string | null {
  const { parameter, style, explode = false } = mapped;
  const value = readParameter(parameters, parameter);
  if (value === null) return null;
  if (style === "json") return toAsciiJson(value);
  if (typeof value !== "object") return formatParameterValue(value);
  if (Array.isArray(value)) return formatListValues(value).join(",");
  const properties = formatPropertyValues(value);
  return (explode ? properties.map((pair) => pair.join("=")) : properties.flat()).join(",");
}

/** Headers allow ASCII only, and JSON can escape all other characters. */
function toAsciiJson(value: Json): string {
  return JSON.stringify(value).replace(
    /[\u007F-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
