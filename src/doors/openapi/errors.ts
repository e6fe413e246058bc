import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from "zod-openapi";
import type { WireFailure } from "../../http/refusal.ts";
import { ERRORS, failure, type ErrorForm } from "./envelope.ts";
import { CODES } from "./failures.ts";
import { headerNamed, ON_EVERY_ANSWER, REPLAYED } from "./headers.ts";

const TITLES: Readonly<Record<WireFailure["status"], string>> = {
  400: "The request has mistakes in it",
  401: "No valid key came with the request",
  402: "The budget does not allow it",
  403: "The key may not do this",
  404: "There is no such thing, or the key may not see it",
  405: "The path does not take the method; `Allow` says which it takes",
  409: "The present state does not allow it",
  410: "The requested data is no longer available",
  412: "It has changed since it was read",
  413: "The body is too large",
  414: "The URL is too long",
  415: "The body is of the wrong kind",
  422: "The request contradicts an earlier one",
  424: "The tool lacks credentials",
  429: "Too many requests",
  500: "Something went wrong on the side of the service",
  502: "The system behind it failed",
  503: "It cannot be done at the moment",
  504: "The system behind it did not answer in time",
};

const METADATA = {
  requestId: "b7f1c9d0-6a43-4f7e-9a51-0d2c8e5f4a13",
  timestamp: "2030-01-31T12:00:00.000Z",
};

/** In what an operation's refusals differ from those of others. */
export interface Manner {
  /** The codes that may be an earlier answer given again. */
  readonly replayed: ReadonlySet<string>;
  /** Whether browsers get them as pages, which have no headers of the code's. */
  readonly showsPages: boolean;
}

const PLAIN: Manner = { replayed: new Set(), showsPages: false };

/** The answers for codes of failures, by status. */
export function errorResponses(
  codes: readonly string[],
  manner: Manner,
): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    [...Map.groupBy(codes, statusOf)]
      .toSorted(([one], [other]) => one - other)
      .map(([status, some]) => [String(status), referenceOrWhole(some, manner)]),
  );
}

/** The codes that are the only one of their status among these, and answered as everywhere. */
export function aloneAmong(codes: readonly string[], manner: Manner): string[] {
  return [...Map.groupBy(codes, statusOf).values()].flatMap((some) =>
    isAlone(some, manner) ? some : [],
  );
}

function isAlone(codes: readonly string[], { replayed, showsPages }: Manner): boolean {
  return codes.length === 1 && !showsPages && !codes.some((code) => replayed.has(code));
}

/**
 * What the answers refer to, as components: the forms of errors and the examples of the codes that are
 * `used`, and whole answers of those that are `alone` at their status somewhere.
 */
export function errorComponents(used: ReadonlySet<string>, alone: ReadonlySet<string>) {
  const codes = [...CODES.keys()].filter((code) => used.has(code));
  const forms = new Set<string>(codes.map(formOf));
  return {
    schemas: Object.fromEntries(Object.entries(ERRORS).filter(([form]) => forms.has(form))),
    responses: Object.fromEntries(
      codes
        .filter((code) => alone.has(code))
        .map((code) => [pascal(code), response([code], PLAIN)]),
    ),
    examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
  };
}

/** IN_CAPITALS as InCapitals. */
function pascal(code: string): string {
  return code
    .toLowerCase()
    .split("_")
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join("");
}

function referenceOrWhole(codes: readonly string[], manner: Manner) {
  const [code] = codes;
  return isAlone(codes, manner) && code !== undefined
    ? { $ref: `#/components/responses/${pascal(code)}` as const }
    : response(codes, manner);
}

function response(codes: readonly string[], manner: Manner): ZodOpenApiResponseObject {
  const { replayed, showsPages } = manner;
  const samples = codes.flatMap((code) => CODES.get(code) ?? []);
  const [first] = samples;
  if (first === undefined) throw new Error(`No failure has the code ${codes.join(", ")}`);
  const listed = codes.map((code) => `\`${code}\``).join(", ");
  return {
    description: `${TITLES[first.status]}: ${listed}.`,
    headers: {
      ...ON_EVERY_ANSWER,
      ...(codes.some((code) => replayed.has(code)) ? REPLAYED : {}),
      ...headersOf(samples, showsPages),
    },
    content: {
      "application/json": {
        schema: schemaOf(codes),
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
      ...(showsPages ? { "text/html": { schema: { type: "string" } } } : {}),
    },
  };
}

/** A header that only some failures bring is optional. */
function headersOf(samples: readonly WireFailure[], isOptional: boolean) {
  const names = new Set(samples.flatMap(({ headers = {} }) => Object.keys(headers)));
  return Object.fromEntries(
    [...names].map((name) => {
      const required = !isOptional && samples.every(({ headers = {} }) => name in headers);
      return [name, { ...headerNamed(name), required }];
    }),
  );
}

/** The forms of some codes, narrowed to them. */
function schemaOf(codes: readonly string[]) {
  const forms = [...Map.groupBy(codes, formOf)].map(([form, some]) => ({
    allOf: [
      { $ref: `#/components/schemas/${form}` },
      { properties: { code: { type: "string" as const, enum: [...some] } } },
    ],
  }));
  const [only] = forms;
  return failure(forms.length === 1 && only !== undefined ? only : { oneOf: forms });
}

function formOf(code: string): ErrorForm {
  const samples = CODES.get(code) ?? [];
  if (samples.some(({ details }) => details !== undefined)) return "ValidationError";
  const contexts = samples.flatMap(({ context }) => (context === undefined ? [] : [context]));
  if (contexts.length === 0) return "Error";
  if (contexts.every((context) => "allowed" in context)) return "StateError";
  if (contexts.every((context) => "limit" in context)) return "LimitError";
  if (contexts.every((context) => "cursor" in context)) return "CursorError";
  return contexts.every((context) => "etag" in context) ? "VersionError" : "UpstreamError";
}

function statusOf(code: string): WireFailure["status"] {
  const [sample] = CODES.get(code) ?? [];
  if (sample === undefined) throw new Error(`No failure has the code ${code}`);
  return sample.status;
}

function exampleOf(code: string): { summary: string; value: object } {
  const [sample] = CODES.get(code) ?? [];
  if (sample === undefined) throw new Error(`No failure has the code ${code}`);
  const { status, headers, ...error } = sample;
  return { summary: code, value: { success: false, error, metadata: METADATA } };
}
