import type {
  HttpConnector,
  HttpRequestTemplate,
  RemoteCall,
  ParameterMapping,
  RequestAuthorization,
} from "../../model/connector.ts";
import { HTTP_TRIES_MAX, TOOL_RESPONSE_BYTES_MAX, TOOL_TIMEOUT_MAX_MS } from "../../limits.ts";
import { fail, ok, type Result, preview, type Problem } from "../../../kernel/result.ts";
import type { Egress, EgressResponse } from "../../../platform/egress/contract.ts";
import type { ConnectorFailure, CallOutcome } from "../contract.ts";
import { toHttpCallOutcome } from "./response.ts";
import { buildToolRequestBody } from "./request-body.ts";
import {
  toConnectorFailure,
  redactConnectorFailure,
  createUnsendableRequestFailure,
} from "../connector-failure.ts";
import { isHeaderName, isReservedHeader, isRuntimeHeader } from "../../../kernel/header-name.ts";
import { createRedactor } from "../../model/redaction.ts";
import {
  isRetryableStatus,
  isSafeMethod,
  parseRetryAfter,
  computeRetryDelayMs,
} from "../../../platform/egress/retry.ts";
import {
  hasLoneSurrogate,
  encodePair,
  encodeStyled,
  findLongestParameter,
  readParameter,
  formatListValues,
  formatPropertyValues,
  formatParameterValue,
} from "./parameter-styles.ts";
import type { JsonObject, Json } from "../../../kernel/json.ts";
import { URL_BYTES_MAX } from "../../../kernel/limits.ts";
import { expandTemplate, listTemplateParameters } from "./uri-template.ts";

/** Calls an HTTP API. GET and HEAD are retried after transient failures; `connector.timeoutMs` covers all attempts. */
export async function callHttp(
  egress: Egress,
  connector: HttpConnector,
  request: HttpRequestTemplate,
  call: RemoteCall,
): Promise<CallOutcome> {
  const prepared = await prepareRequest(connector, request, call);
  if (!prepared.ok) return prepared;
  const timeoutMs = Math.min(connector.timeoutMs, TOOL_TIMEOUT_MAX_MS);
  const endsAt = Date.now() + timeoutMs;
  const redaction = createRedactor(call.authorization);
  const triesMax = isSafeMethod(request.method) ? HTTP_TRIES_MAX : 1;
  for (let attempt = 1; ; attempt += 1) {
    const bounds = {
      timeoutMs: Math.max(1, endsAt - Date.now()),
      bytesMax: TOOL_RESPONSE_BYTES_MAX,
      sendsSecret: call.authorization !== null,
    };
    const sent = prepared.value();
    const answer = await egress.send(sent, bounds);
    const waitSeconds = answer.ok ? readRetryAfterSeconds(answer.value) : null;
    const delayMs = computeRetryDelayMs(attempt, Math.random(), waitSeconds);
    const isTransient = answer.ok
      ? isRetryableStatus(answer.value.status)
      : answer.failure.kind === "unreachable";
    if (!isTransient || attempt >= triesMax || Date.now() + delayMs >= endsAt) {
      if (!answer.ok) {
        const { failure } = answer;
        // Report the timeout of the whole call, not the time left for the last attempt.
        const known = failure.kind === "timeout" ? { ...failure, timeoutMs } : failure;
        return fail(redactConnectorFailure(toConnectorFailure(known), redaction));
      }
      const outcome = await toHttpCallOutcome(answer.value, request, redaction, waitSeconds);
      return answer.value.url === sent.url ? outcome : adjustForRedirect(outcome);
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}

/** Returns a function that builds a new request for each attempt, because a body can be read only once. */
async function prepareRequest(
  connector: HttpConnector,
  request: HttpRequestTemplate,
  { parameters, authorization }: RemoteCall,
): Promise<Result<() => Request, ConnectorFailure>> {
  const malformed = Object.entries(parameters).flatMap(([path, value]) =>
    hasLoneSurrogate(value)
      ? [{ path, message: "must be well-formed Unicode, without lone surrogates" }]
      : [],
  );
  if (malformed.length > 0) return fail({ kind: "parameters", problems: malformed });
  const base = URL.parse(request.baseUrl ?? connector.baseUrl);
  if (base === null)
    return fail(createUnsendableRequestFailure("its base URL is not a valid URL."));
  const url = await buildToolRequestUrl(base, request, parameters, authorization);
  const headers = buildToolRequestHeaders(connector.headers, request, parameters, authorization);
  const body = await buildToolRequestBody(request, parameters);
  if (!url.ok) return url;
  if (!headers.ok) return headers;
  if (!body.ok) return fail({ kind: "parameters", problems: body.failure });
  const { method } = request;
  if (body.value === null) {
    headers.value.delete("Content-Type");
    return ok(() => new Request(url.value, { method, headers: headers.value }));
  }
  const { content, contentType, renamable } = body.value;
  if (!renamable || !headers.value.has("Content-Type")) {
    if (contentType === null) headers.value.delete("Content-Type");
    else headers.value.set("Content-Type", contentType);
  }
  return ok(() => new Request(url.value, { method, headers: headers.value, body: content }));
}

/**
 * After a redirect, the call may have had an effect even if the last address deferred the request, because the first
 * address may have processed it before redirecting.
 */
function adjustForRedirect(outcome: CallOutcome): CallOutcome {
  if (outcome.ok) return outcome;
  const { failure } = outcome;
  if (failure.kind === "upstream") return fail({ ...failure, hadNoEffect: false });
  // Repeating the request could process it twice, and a target at another origin did not receive the credential.
  return failure.kind === "unauthorized" ? fail({ ...failure, isFinal: true }) : outcome;
}

function readRetryAfterSeconds({ status, headers }: EgressResponse): number | null {
  const isAsked = status === 429 || status >= 500;
  return isAsked ? parseRetryAfter(headers.get("Retry-After"), Date.now()) : null;
}

/** The encoded `name=value` pairs of the query. Absent parameters, null and empty lists are omitted. */
async function buildQueryParts(
  query: Readonly<Record<string, ParameterMapping>>,
  parameters: JsonObject,
): Promise<Result<string[], Problem[]>> {
  const pieces: string[] = [];
  const problems: Problem[] = [];
  for (const [name, mapped] of Object.entries(query)) {
    if ("value" in mapped) {
      pieces.push(encodePair(name, mapped.value));
      continue;
    }
    const value = readParameter(parameters, mapped.parameter);
    const written = await encodeStyled(name, value, mapped);
    if (written.ok) pieces.push(written.value);
    else problems.push({ path: mapped.parameter, message: written.failure });
  }
  if (problems.length > 0) return fail(problems);
  return ok(pieces.flatMap((one) => one.split("&")).filter((one) => one !== ""));
}

/**
 * The URL of a request, including the credential if it is sent in the query. The URL always stays within the origin and
 * path of the base.
 */
export async function buildToolRequestUrl(
  base: URL,
  request: HttpRequestTemplate,
  parameters: JsonObject,
  authorization: RequestAuthorization | null,
): Promise<Result<URL, ConnectorFailure>> {
  const expanded = expandTemplate(request.path, parameters);
  const pieces = await buildQueryParts(request.query ?? {}, parameters);
  if (!expanded.ok || !pieces.ok) {
    const problems = [expanded, pieces].flatMap((part) => (part.ok ? [] : part.failure));
    return fail({ kind: "parameters", problems });
  }
  const reject = (message: string) => fail(createLengthProblem(request, parameters, message));
  const basePath = base.pathname.replace(/\/$/, "");
  const path = expanded.value.path.replace(/^\//, "");
  const root = `${base.origin}${basePath}`;
  // `/v1` and `/v1/` are different resources. Only the template `/` adds a slash; any other template whose path expands
  // to `/` leaves the base URL unchanged.
  const target =
    path === "" && request.path !== "/" ? `${base.origin}${base.pathname}` : `${root}/${path}`;
  const url = URL.parse(target);
  const isBelow =
    url !== null && (url.pathname === base.pathname || url.pathname.startsWith(`${basePath}/`));
  if (!isBelow || url.origin !== base.origin) {
    return reject(`must lead to a URL below ${root}/`);
  }
  const given = [base.search.slice(1), expanded.value.query].flatMap((text) => text.split("&"));
  const query = [...given, ...pieces.value].filter((one) => one !== "");
  url.search = addCredential(query, authorization).join("&");
  return url.href.length > URL_BYTES_MAX
    ? reject(`must be shorter, because a URL can have at most ${URL_BYTES_MAX} bytes`)
    : ok(url);
}

/** Adds the credential, replacing any query parameters that have the same name. */
function addCredential(pieces: string[], authorization: RequestAuthorization | null): string[] {
  if (authorization?.in !== "query") return pieces;
  const { name, value } = authorization;
  const others = pieces.filter((piece) => !new URLSearchParams(piece).has(name));
  return [...others, encodePair(name, value)];
}

function createLengthProblem(
  request: HttpRequestTemplate,
  parameters: JsonObject,
  message: string,
): ConnectorFailure {
  const mapped = Object.values(request.query ?? {});
  const names = [
    ...listTemplateParameters(request.path),
    ...mapped.flatMap((one) => ("parameter" in one ? [one.parameter] : [])),
  ].filter((name) => Object.hasOwn(parameters, name));
  const path = findLongestParameter(names, parameters);
  if (path !== undefined) return { kind: "parameters", problems: [{ path, message }] };
  return createUnsendableRequestFailure(`its path ${preview(request.path)} ${message}.`);
}

const HEADER_VALUE = /^[\t\u0020-\u007E\u0080-\u00FF]*$/;

/**
 * Builds all headers except those for the body. Mapped headers override constants, and the credential overrides both.
 */
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
    if (!isHeaderName(name) || ("value" in mapped && !HEADER_VALUE.test(value)))
      return fail(createHeaderFailure(name));
    const problem =
      "parameter" in mapped ? checkHeaderParameter(name, mapped.parameter, value) : null;
    if (problem !== null) problems.push(problem);
    else if (!isRuntimeHeader(name)) headers.set(name, value);
  }
  if (problems.length > 0) return fail({ kind: "parameters", problems });
  if (authorization?.in === "header") {
    const { name, value } = authorization;
    if (!isHeaderName(name) || !HEADER_VALUE.test(value)) return fail(createHeaderFailure(name));
    headers.set(name, value);
  }
  return ok(headers);
}

function createHeaderFailure(name: string): ConnectorFailure {
  return createUnsendableRequestFailure(
    `its header ${preview(name)} cannot be sent, because its name or value is not valid in HTTP.`,
  );
}

function checkHeaderParameter(header: string, parameter: string, value: string): Problem | null {
  if (isReservedHeader(header)) {
    const message = `must be omitted, because callers cannot set the header ${header}`;
    return { path: parameter, message };
  }
  if (HEADER_VALUE.test(value)) return null;
  const message = `must be Latin-1 text without control characters, because it is sent in the header ${header}`;
  return { path: parameter, message };
}

/**
 * Formats a header value, by default in the `simple` style. List items are separated by commas; objects become
 * `a,1,b,2`, or `a=1,b=2` if exploded.
 */
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

/** JSON in which all non-ASCII characters are escaped, so the text is valid in a header. */
function toAsciiJson(value: Json): string {
  return JSON.stringify(value).replace(
    /[\u007F-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
