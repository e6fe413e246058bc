import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from "zod-openapi";
import type { WireError } from "../../http/wire-error.ts";
import {
  ERROR_SCHEMAS,
  EXAMPLE_METADATA,
  buildErrorEnvelope,
  type ErrorSchemaName,
} from "./envelope-schemas.ts";
import { ERROR_SAMPLES } from "./error-samples.ts";
import { toPascalCase } from "../../http/schemas.ts";
import {
  acceptsIdempotencyKey,
  type ApiRoute,
  listErrorCodes,
  listOwnErrorCodes,
} from "./api-route.ts";
import { findResponseHeader, COMMON_HEADERS, REPLAY_HEADERS } from "./response-headers.ts";

const STATUS_DESCRIPTIONS: Readonly<Record<WireError["status"], string>> = {
  400: "The request is invalid",
  401: "No valid key came with the request",
  402: "The budget does not allow it",
  403: "The key may not do this",
  404: "The resource does not exist, or the key may not see it",
  405: "The path does not support the method; `Allow` lists those that it supports",
  409: "The present state does not allow it",
  410: "The requested data is no longer available",
  412: "The resource has changed since it was read",
  413: "The body is too large",
  414: "The URL is too long",
  415: "The media type is not supported",
  422: "The Idempotency-Key was used for a different request",
  424: "The tool lacks credentials",
  429: "Too many requests",
  500: "The service has failed",
  502: "The system behind it failed",
  503: "The service is temporarily unavailable",
  504: "The system behind it did not answer in time",
};

/** How the errors of an operation differ from those of others. */
interface ErrorResponseOptions {
  /** The codes that a replayed response can have. */
  readonly replayedCodes: readonly string[];
  /** Whether browsers get errors as HTML pages, which do not have the headers of the code. */
  readonly hasHtmlErrors: boolean;
}

/** A replay repeats the errors of the operation itself, not those of the layers before it. */
function errorOptionsOf(route: ApiRoute): ErrorResponseOptions {
  const { hasHtmlErrors = false } = route.operation;
  return {
    replayedCodes: acceptsIdempotencyKey(route) ? listOwnErrorCodes(route) : [],
    hasHtmlErrors,
  };
}

/** The error responses of a route, by status. */
export function buildErrorResponses(route: ApiRoute): ZodOpenApiResponsesObject {
  const options = errorOptionsOf(route);
  return Object.fromEntries(
    [...Map.groupBy(listErrorCodes(route), statusOf)]
      .toSorted(([one], [other]) => one - other)
      .map(([status, codes]) => {
        const [code = ""] = codes;
        const shared = { $ref: `#/components/responses/${toPascalCase(code)}` as const };
        const isShared = isSoleCode(codes, options);
        return [String(status), isShared ? shared : buildErrorResponse(codes, options)];
      }),
  );
}

/** The codes of a route that are the only one of their status and have the default response. */
export function listSoleCodes(route: ApiRoute): string[] {
  const options = errorOptionsOf(route);
  return [...Map.groupBy(listErrorCodes(route), statusOf).values()].flatMap((codes) =>
    isSoleCode(codes, options) ? codes : [],
  );
}

function isSoleCode(
  codes: readonly string[],
  { replayedCodes, hasHtmlErrors }: ErrorResponseOptions,
): boolean {
  return (
    codes.length === 1 && !hasHtmlErrors && !codes.some((code) => replayedCodes.includes(code))
  );
}

/** Error components: forms and examples of the `used` codes, and responses for codes `alone` at a status somewhere. */
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

function buildErrorResponse(
  codes: readonly string[],
  { replayedCodes, hasHtmlErrors }: ErrorResponseOptions = {
    replayedCodes: [],
    hasHtmlErrors: false,
  },
): ZodOpenApiResponseObject {
  const samples = codes.flatMap((code) => ERROR_SAMPLES.get(code) ?? []);
  const [first = ""] = codes;
  const listed = codes.map((code) => `\`${code}\``).join(", ");
  return {
    description: `${STATUS_DESCRIPTIONS[statusOf(first)]}: ${listed}.`,
    headers: {
      ...COMMON_HEADERS,
      ...(codes.some((code) => replayedCodes.includes(code)) ? REPLAY_HEADERS : {}),
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

/** A header that only some failures bring is optional. */
function buildErrorHeaders(samples: readonly WireError[], isOptional: boolean) {
  const names = new Set(samples.flatMap(({ headers = {} }) => Object.keys(headers)));
  return Object.fromEntries(
    [...names].map((name) => {
      const required = !isOptional && samples.every(({ headers = {} }) => name in headers);
      return [name, { ...findResponseHeader(name), required }];
    }),
  );
}

/** The forms of some codes, narrowed to them. */
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
