import type * as z from "zod";
import type { Scope } from "../../keys/model/key.ts";

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
