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

/** A success response: an envelope with `data`, or another `content`, or both. */
export interface ApiResponse {
  readonly status: 200 | 201 | 202 | 204 | 302 | 304;
  readonly description: string;
  /**
   * The schema of `data`. Objects allow no unknown fields. A schema with `.meta({ id: "Task" })` becomes the
   * component of that name: clients get a type for it.
   */
  readonly data?: z.ZodType;
  /** A recorded value of `data`. */
  readonly example?: unknown;
  /** Bodies without envelope, by media type, with their schema (omitted for bytes). */
  readonly content?: Readonly<
    Record<string, { readonly schema?: z.ZodType; readonly example?: unknown }>
  >;
  /** Headers that this response always has, besides X-Request-Id. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The description of one route. Scope, query and body come from the schemas of its endpoint. Texts are
 * Markdown.
 */
export interface ApiOperation {
  /** Unique, in camel case: the name of the method in generated clients. */
  readonly operationId: string;
  readonly tag: ApiTag;
  /** At most 60 characters, without a full stop. */
  readonly summary: string;
  readonly description: string;
  /**
   * Who has access if the route has no scope: everybody (`public`), a signed link or a key (`link`; the
   * query parameters of the link are added automatically), or any key (`key`).
   */
  readonly access?: "public" | "link" | "key";
  /** A scope that the handler checks itself. It is added to the description, as the scope of a route is. */
  readonly scope?: Scope;
  /** All parameters of path and query, by name. */
  readonly parameters?: Readonly<
    Record<string, { readonly description: string; readonly example?: unknown }>
  >;
  /** A query that the handler reads itself, where the endpoint names none. */
  readonly query?: z.ZodObject;
  /**
   * Request headers of this operation, by name. Authorization, Idempotency-Key and If-Match are added
   * automatically.
   */
  readonly headers?: Readonly<
    Record<
      string,
      { readonly description: string; readonly example?: string; readonly required?: boolean }
    >
  >;
  /**
   * The meaning of every field of the body, by path: `budget.maxCost`, `items[].name`, `query.*.style`
   * (`*` is any name). The variants of a union share the meaning of a path.
   */
  readonly fields?: Readonly<Record<string, string>>;
  /** A valid body. */
  readonly bodyExample?: unknown;
  /** The meaning of a body of any media type, which the handler reads itself. */
  readonly rawBody?: string;
  readonly responses: readonly ApiResponse[];
  /**
   * Error codes besides those that follow from the route (see listErrorCodes).
   */
  readonly errorCodes: readonly string[];
  /** Whether a browser that accepts HTML gets errors as pages, with the same statuses. */
  readonly hasHtmlErrors?: boolean;
  /** The errors of another protocol, at every status. Such an operation has no codes. */
  readonly protocolErrors?: { readonly description: string; readonly schema: z.ZodType };
}

/**
 * Operations by method and path of their routes: "GET /agents/tasks/:id". operations.ts lists all of
 * them; `npm run assets` reports mismatches with the routes.
 */
export type ApiOperations = Readonly<Record<string, ApiOperation>>;

/** A recorded request and its responses; `examples.json` has one for each operation. */
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
