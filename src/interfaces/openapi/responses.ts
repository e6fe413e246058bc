import * as z from "zod";
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from "zod-openapi";
import type { ApiResponse } from "../../http/operation.ts";
import { toPascalCase } from "../../http/schemas.ts";
import type { WireError } from "../../http/wire-error.ts";
import {
  acceptsIdempotencyKey,
  acceptsIfMatch,
  type ApiOperation,
  type ApiRoute,
  listErrorCodes,
  listOwnErrorCodes,
} from "./api-route.ts";
import {
  buildErrorEnvelope,
  buildSuccessEnvelope,
  ERROR_SCHEMAS,
  errorEnvelopeSchema,
  type ErrorSchemaName,
  EXAMPLE_METADATA,
} from "./envelope-schemas.ts";
import { ERROR_SAMPLES } from "./error-samples.ts";

function defineHeader(
  description: string,
  example: string | number,
  presence: { readonly required?: true } = {},
) {
  const type = typeof example === "number" ? ("integer" as const) : ("string" as const);
  return { description, ...presence, schema: { type }, example };
}

/** Headers used by several operations. */
export const RESPONSE_HEADERS = {
  "X-Request-Id": defineHeader(
    "The id of this request. If you send an `X-Request-Id` of 1 to 128 characters from `A-Z a-z 0-9 . _ -`, it is used; otherwise, a new id is generated. It identifies the request in the service's log.",
    "b7f1c9d0-6a43-4f7e-9a51-0d2c8e5f4a13",
    { required: true },
  ),
  "WWW-Authenticate": defineHeader("How to authenticate.", "Bearer"),
  ETag: defineHeader("The version of the resource in the response, for `If-Match`.", '"12"'),
  Allow: defineHeader("The methods that this path supports.", "GET, HEAD, OPTIONS"),
  "Retry-After": defineHeader("The number of seconds to wait before retrying.", 30),
  RateLimit: defineHeader(
    'What remains of a window: `r` calls or requests, and `t` seconds until the next window (draft-ietf-httpapi-ratelimit-headers). "tool" is the window of the tool\'s rate limit. "key" is the window of the key\'s requests per minute, and is sent in every response to a key that has limits.',
    '"tool";r=4999;t=3600',
  ),
  "RateLimit-Policy": defineHeader(
    "The limits: `q` tool calls, or requests by the key, per window of `w` seconds.",
    '"tool";q=5000;w=3600',
  ),
  "Idempotency-Replayed": defineHeader(
    "`true` if this is the response to an earlier request with the same Idempotency-Key; absent otherwise.",
    "true",
  ),
};

/** The shared header with this name, or a plain string header. */
function findResponseHeader(name: string) {
  const known: Readonly<Record<string, ReturnType<typeof defineHeader>>> = RESPONSE_HEADERS;
  return known[name] ?? { description: name, schema: { type: "string" as const } };
}

const COMMON_HEADERS = {
  "X-Request-Id": { $ref: "#/components/headers/XRequestId" },
} as const;

const REPLAY_HEADERS = {
  "Idempotency-Replayed": RESPONSE_HEADERS["Idempotency-Replayed"],
} as const;

/** Headers that replayed responses omit. */
const TRANSIENT_HEADERS = new Set(["RateLimit", "RateLimit-Policy"]);

export function buildSuccessResponses(route: ApiRoute): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    route.operation.responses.map((answer) => [
      String(answer.status),
      buildSuccessResponse(route, answer),
    ]),
  );
}

function buildSuccessResponse(route: ApiRoute, answer: ApiResponse): ZodOpenApiResponseObject {
  const { status, description, data, content = {}, headers = {} } = answer;
  const { responses = {}, stream } = route.example;
  const example = { success: true, data: responses[status], metadata: EXAMPLE_METADATA };
  const own = Object.entries(headers).map(([name, text]) => {
    const required = !(acceptsIdempotencyKey(route) && TRANSIENT_HEADERS.has(name));
    return [name, { ...findResponseHeader(name), description: text, required }];
  });
  const enveloped =
    data === undefined
      ? {}
      : {
          "application/json": {
            schema: buildSuccessEnvelope(data),
            ...(responses[status] === undefined ? {} : { example }),
          },
        };
  const events = content["text/event-stream"];
  const streamed =
    events === undefined || stream === undefined
      ? {}
      : { "text/event-stream": { ...events, example: stream.join("\n") } };
  const whole = { ...enveloped, ...content, ...streamed };
  return {
    description,
    headers: {
      ...COMMON_HEADERS,
      ...(acceptsIdempotencyKey(route) ? REPLAY_HEADERS : {}),
      ...(acceptsIfMatch(route) ? { ETag: { ...RESPONSE_HEADERS.ETag, required: true } } : {}),
      ...Object.fromEntries(own),
    },
    ...(Object.keys(whole).length === 0 ? {} : { content: whole }),
  };
}

/** An operation's errors in the format of another protocol. */
export function buildProtocolErrorResponses({
  protocolErrors,
}: ApiOperation): ZodOpenApiResponsesObject {
  if (protocolErrors === undefined) return {};
  const { description, schema, statuses } = protocolErrors;
  const rejected = {
    description,
    headers: { ...COMMON_HEADERS },
    content: { "application/json": { schema } },
  };
  // The app checks Host and Origin before it handles the protocol, so `HOST_NOT_ALLOWED` has the same format on all
  // routes.
  const forbidden = {
    ...rejected,
    description: `${description} \`HOST_NOT_ALLOWED\` has the error format of the REST API.`,
    content: { "application/json": { schema: z.union([schema, errorEnvelopeSchema]) } },
  };
  return Object.fromEntries([
    ["403", forbidden],
    ...statuses.map((status) => [String(status), rejected] as const),
  ]);
}

const STATUS_DESCRIPTIONS: Readonly<Record<WireError["status"], string>> = {
  400: "The request is invalid",
  401: "The request has no valid key",
  402: "The budget does not allow the call",
  403: "The key may not do this",
  404: "The resource does not exist, or the key may not see it",
  405: "The path does not support the method; `Allow` lists the supported methods",
  409: "The current state does not allow the request",
  410: "The requested data is no longer available",
  412: "The resource has changed since it was read",
  413: "The body is too large",
  414: "The URL is too long",
  415: "The media type is not supported",
  422: "The Idempotency-Key was used for a different request",
  424: "The tool needs credentials",
  429: "Too many requests",
  500: "The service failed",
  502: "The system behind the tool failed",
  503: "The service is temporarily unavailable",
  504: "The system behind the tool did not respond in time",
};

export function buildErrorResponses(route: ApiRoute): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    groupByStatus(route).map(([status, codes]) => {
      const [code = ""] = codes;
      const shared = { $ref: `#/components/responses/${toPascalCase(code)}` as const };
      return [String(status), isSoleCode(route, codes) ? shared : buildErrorResponse(codes, route)];
    }),
  );
}

/** The error codes of a route that are the only code for their status and have the default response. */
export function listSoleCodes(route: ApiRoute): string[] {
  return groupByStatus(route).flatMap(([, codes]) => (isSoleCode(route, codes) ? codes : []));
}

function groupByStatus(route: ApiRoute) {
  const byStatus = Map.groupBy(listErrorCodes(route), statusOf);
  return [...byStatus].toSorted(([one], [other]) => one - other);
}

function isSoleCode(route: ApiRoute, codes: readonly string[]): boolean {
  return codes.length === 1 && route.operation.hasHtmlErrors !== true && !isReplayed(route, codes);
}

/**
 * Whether a replayed response can have one of the codes. A replay repeats the operation's errors, not those of earlier
 * layers.
 */
function isReplayed(route: ApiRoute, codes: readonly string[]): boolean {
  const own = acceptsIdempotencyKey(route) ? listOwnErrorCodes(route) : [];
  return codes.some((code) => own.includes(code));
}

/**
 * Error components: schemas and examples of the codes in `used`, and responses for the codes in `alone`, each of which
 * is the only code for its status on some route.
 */
export function buildErrorComponents(used: ReadonlySet<string>, alone: ReadonlySet<string>) {
  const codes = [...ERROR_SAMPLES.keys()].filter((code) => used.has(code));
  const forms = new Set<string>(codes.map(errorSchemaNameOf));
  return {
    schemas: Object.fromEntries(Object.entries(ERROR_SCHEMAS).filter(([form]) => forms.has(form))),
    responses: Object.fromEntries(
      codes
        .filter((code) => alone.has(code))
        .map((code) => [toPascalCase(code), buildErrorResponse([code])]),
    ),
    examples: Object.fromEntries(codes.map((code) => [code, buildErrorExample(code)])),
  };
}

/** The response for some of a route's codes; without a route, a response that several routes can share. */
function buildErrorResponse(codes: readonly string[], route?: ApiRoute): ZodOpenApiResponseObject {
  // Browsers may receive HTML error pages, which lack the headers of the JSON errors.
  const hasHtmlErrors = route?.operation.hasHtmlErrors === true;
  const samples = codes.flatMap((code) => ERROR_SAMPLES.get(code) ?? []);
  const [first = ""] = codes;
  const listed = codes.map((code) => `\`${code}\``).join(", ");
  return {
    description: `${STATUS_DESCRIPTIONS[statusOf(first)]}: ${listed}.`,
    headers: {
      ...COMMON_HEADERS,
      ...(route !== undefined && isReplayed(route, codes) ? REPLAY_HEADERS : {}),
      ...buildErrorHeaders(samples, hasHtmlErrors),
    },
    content: {
      "application/json": {
        schema: buildErrorSchema(codes),
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
      ...(hasHtmlErrors ? { "text/html": { schema: { type: "string" } } } : {}),
    },
  };
}

/** A header is required only if all of the failures have it and `isOptional` is false. */
function buildErrorHeaders(samples: readonly WireError[], isOptional: boolean) {
  const names = new Set(samples.flatMap(({ headers = {} }) => Object.keys(headers)));
  return Object.fromEntries(
    [...names].map((name) => {
      const required = !isOptional && samples.every(({ headers = {} }) => name in headers);
      return [name, { ...findResponseHeader(name), required }];
    }),
  );
}

/** The schema of the errors with these codes. */
function buildErrorSchema(codes: readonly string[]) {
  const forms = [...Map.groupBy(codes, errorSchemaNameOf)].map(([form, some]) => ({
    allOf: [
      { $ref: `#/components/schemas/${form}` },
      { properties: { code: { type: "string" as const, enum: [...some] } } },
    ],
  }));
  const [only] = forms;
  return buildErrorEnvelope(forms.length === 1 && only !== undefined ? only : { oneOf: forms });
}

function errorSchemaNameOf(code: string): ErrorSchemaName {
  const samples = ERROR_SAMPLES.get(code) ?? [];
  if (samples.some(({ details }) => details !== undefined)) return "ValidationError";
  const contexts = samples.flatMap(({ context }) => (context === undefined ? [] : [context]));
  if (contexts.length === 0) return "Error";
  if (contexts.every((context) => "allowed" in context)) return "StateError";
  if (contexts.every((context) => "limitId" in context)) return "SpendingLimitError";
  if (contexts.every((context) => "limit" in context)) return "LimitError";
  if (contexts.every((context) => "cursor" in context)) return "CursorError";
  return contexts.every((context) => "etag" in context) ? "VersionError" : "UpstreamError";
}

function statusOf(code: string): WireError["status"] {
  return firstSampleOf(code).status;
}

function buildErrorExample(code: string): { summary: string; value: object } {
  const { status, headers, ...error } = firstSampleOf(code);
  return { summary: code, value: { success: false, error, metadata: EXAMPLE_METADATA } };
}

function firstSampleOf(code: string): WireError {
  const [sample] = ERROR_SAMPLES.get(code) ?? [];
  if (sample === undefined) throw new Error(`No failure has the code ${code}`);
  return sample;
}
