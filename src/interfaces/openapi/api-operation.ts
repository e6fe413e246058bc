import type * as z from "zod";
import type { Scope } from "../../keys/model/key.ts";
import recordedExamples from "./examples.json" with { type: "json" };

export const API_TAGS = [
  "Tasks",
  "Work",
  "Events",
  "Webhooks",
  "Tools",
  "Access",
  "Credentials",
  "Agents",
  "Teams",
  "Keys",
  "Service",
] as const;
export type ApiTag = (typeof API_TAGS)[number];

/** One good answer. `data` is the schema of the envelope's `data`; anything else is a `content`. Both may be given. */
export interface ApiResponse {
  readonly status: 200 | 201 | 202 | 204 | 302 | 304;
  readonly description: string;
  /**
   * Objects refuse unknown fields (z.object does). A schema with `.meta({ id: "Task" })` becomes the
   * component of that name: give one to what clients would want a type for.
   */
  readonly data?: z.ZodType;
  /** A whole value of `data`, as the service really answered it. */
  readonly example?: unknown;
  /** Answers that are no envelope: by media type, with the schema of the whole (omitted for bytes). */
  readonly content?: Readonly<
    Record<string, { readonly schema?: z.ZodType; readonly example?: unknown }>
  >;
  /** Headers that this answer always has, beside X-Request-Id, which every answer has. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What the document says of one route beside what the route itself says: its scope, query and body are
 * taken from the endpoint's own schemas. Texts are Markdown.
 */
export interface ApiOperation {
  /** Unique, in camel case: the name of the method in generated clients. */
  readonly operationId: string;
  readonly tag: ApiTag;
  /** At most 60 characters, without a full stop. */
  readonly summary: string;
  readonly description: string;
  /**
   * Who may come, where the route names no scope: anybody (`public`), whoever follows a signed link
   * (`link`: its query parameters are added by themselves) or holds a key, or any key at all (`key`).
   */
  readonly access?: "public" | "link" | "key";
  /** A scope that the handler asks for itself. The description tells it by itself, as that of the route. */
  readonly scope?: Scope;
  /** What each parameter of path and query means, by name; every one of them, and no other. */
  readonly parameters?: Readonly<
    Record<string, { readonly description: string; readonly example?: unknown }>
  >;
  /** A query that the handler reads itself, where the endpoint names none. */
  readonly query?: z.ZodObject;
  /**
   * Request headers of this operation's own, by name. Not Authorization, and neither Idempotency-Key
   * of a POST nor If-Match of PATCH of tasks and tools, which are added by themselves.
   */
  readonly headers?: Readonly<
    Record<
      string,
      { readonly description: string; readonly example?: string; readonly required?: boolean }
    >
  >;
  /**
   * What fields of the body mean, by path: `budget.maxCost`, `items[].name`, `query.*.style` where any
   * name may stand for `*`. Every field has one; a union's variants share those of one path.
   */
  readonly fields?: Readonly<Record<string, string>>;
  /** A body that the service takes. */
  readonly bodyExample?: unknown;
  /** What a body is that is no JSON, which the handler reads itself; any media type. */
  readonly rawBody?: string;
  readonly responses: readonly ApiResponse[];
  /**
   * Codes of failures beside those that follow from the route: 401 and INSUFFICIENT_SCOPE with a scope,
   * VALIDATION_ERROR with any input, INVALID_JSON, 413 and 415 with a body, 405, 414, 500, 503; those of
   * Idempotency-Key with a POST, PRECONDITION_FAILED with If-Match.
   */
  readonly errorCodes: readonly string[];
  /** Whether a browser that accepts HTML gets refusals as pages, with the same statuses. */
  readonly hasHtmlErrors?: boolean;
  /** What refusals are, at every status, where another protocol has its own form of them: there are no codes then. */
  readonly protocolErrors?: { readonly description: string; readonly schema: z.ZodType };
}

/**
 * The operations of a slice, by method and path as its routes name them: "GET /agents/tasks/:id". Each
 * slice has its line in operations.ts; `npm run assets` tells what they lack and have too much of.
 */
export type ApiOperations = Readonly<Record<string, ApiOperation>>;

/** What the service was asked and what it answered: `examples.json` holds one for each operation. */
interface RecordedExample {
  /** Parameters of path and query, by name. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The `data` of each success response, by status. */
  readonly responses?: Readonly<Record<string, unknown>>;
  /** The lines of the response as Server-Sent Events. */
  readonly stream?: readonly string[];
}

/** The recorded examples, by operation id. */
export const RECORDED_EXAMPLES: Readonly<Record<string, RecordedExample>> = recordedExamples;

/** An operation without its tag and examples. */
interface OperationDefinition extends Omit<
  ApiOperation,
  "tag" | "parameters" | "bodyExample" | "errorCodes"
> {
  /** The meaning of each parameter of path and query, by name. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly errorCodes?: readonly string[];
}

/** Gives the operations of one tag their tag and their recorded examples. */
export function defineOperations(
  tag: ApiTag,
  definitions: Readonly<Record<string, OperationDefinition>>,
): ApiOperations {
  return Object.fromEntries(
    Object.entries(definitions).map(([route, definition]) => [
      route,
      toOperation(tag, definition, RECORDED_EXAMPLES[definition.operationId] ?? {}),
    ]),
  );
}

function toOperation(
  tag: ApiTag,
  { parameters, responses, ...definition }: OperationDefinition,
  recorded: RecordedExample,
): ApiOperation {
  return {
    errorCodes: [],
    ...definition,
    tag,
    parameters: Object.fromEntries(
      Object.entries(parameters ?? {}).map(([name, description]) => [
        name,
        { description, ...pickExample(recorded.parameters?.[name]) },
      ]),
    ),
    ...("body" in recorded ? { bodyExample: recorded.body } : {}),
    responses: responses.map((one) => ({
      ...one,
      ...pickExample(recorded.responses?.[one.status]),
      ...(one.content === undefined ? {} : { content: addStream(one.content, recorded) }),
    })),
  };
}

function pickExample(example: unknown): { readonly example?: unknown } {
  return example === undefined ? {} : { example };
}

function addStream(
  content: NonNullable<ApiResponse["content"]>,
  { stream }: RecordedExample,
): NonNullable<ApiResponse["content"]> {
  const events = content["text/event-stream"];
  if (events === undefined || stream === undefined) return content;
  return { ...content, "text/event-stream": { ...events, example: stream.join("\n") } };
}

/** A success response in the envelope. */
export function respond(
  status: ApiResponse["status"],
  description: string,
  data: z.ZodType,
  more: Pick<ApiResponse, "content" | "headers"> = {},
): ApiResponse {
  return { status, description, data, ...more };
}
