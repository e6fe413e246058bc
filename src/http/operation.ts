import * as z from "zod";
import type { Scope } from "../keys/model/key.ts";

/** The sections of the OpenAPI document, in order. */
export const TAG_DESCRIPTIONS = {
  Tasks:
    "Work for agents: create, follow, answer, review and rate tasks, and download their files.",
  Work: "For worker processes: claim tasks, report on them and upload files.",
  Events: "Task events, as pages and as streams.",
  Webhooks: "Task events, sent to your URL.",
  Tools: "The catalogue of tools and capabilities, and tool calls with their costs.",
  Access: "Which agents may use which tools.",
  Credentials:
    "The credentials that tools use for the systems behind them. Secrets are never shown.",
  Agents: "Agents and their executors.",
  Teams: "Groups of agents.",
  Policies: "Rules about tool calls.",
  Approvals: "Tool calls that wait until people approve them.",
  Audit: "Who changed what, when and from where.",
  Limits: "Spending limits.",
  Keys: "API keys and their limits.",
  Sessions: "Browsers that are signed in to the console.",
  Service: "The service itself and its other interfaces.",
};

type ApiTag = keyof typeof TAG_DESCRIPTIONS;

/** A success response: `data` in the envelope, other `content`, or both. */
export interface ApiResponse<Data extends z.ZodType = z.ZodType> {
  readonly status: 200 | 201 | 202 | 204 | 302 | 304;
  readonly description: string;
  /**
   * The schema of `data`. Objects allow no unknown fields. A schema with `.meta({ id: "Task" })` becomes a component
   * named `Task`, which is a type in generated clients.
   */
  readonly data?: Data;
  /** Bodies without the envelope, by media type. The schema is omitted for binary data. */
  readonly content?: Readonly<Record<string, { readonly schema?: z.ZodType }>>;
  /** Descriptions of the headers that this response always has, in addition to X-Request-Id. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The definition of one route: its input, its responses and its documentation in Markdown. Fields and query parameters
 * are described in their schemas.
 */
export interface Operation<
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
> {
  /** Unique and in camel case. Generated clients use it as the method name. */
  readonly operationId: string;
  readonly tag: ApiTag;
  /** At most 60 characters, without a full stop. */
  readonly summary: string;
  readonly description: string;
  /** The scope that the key needs. */
  readonly scope?: Scope;
  /**
   * Who has access if no scope is needed or a link can replace the key: everyone (`public`), anyone with a signed link
   * or a key with the scope, which the handler checks (`link`), or anyone with a key (`key`).
   */
  readonly access?: "public" | "link" | "key";
  readonly query?: Query;
  /** Whether to ignore unknown query parameters, because other systems add their own. */
  readonly ignoresUnknownQuery?: boolean;
  /** The names of the query parameters that can be repeated (see `queryList`). */
  readonly repeatedQuery?: readonly string[];
  readonly body?: Body;
  /** Whether the body may be omitted. An omitted body means `{}`. */
  readonly bodyIsOptional?: boolean;
  /** The description of a body that can have any media type and that the handler reads itself. */
  readonly rawBody?: string;
  /** Request headers by name, except Authorization, Idempotency-Key and If-Match, which are added automatically. */
  readonly headers?: Readonly<
    Record<
      string,
      { readonly description: string; readonly example?: string; readonly required?: boolean }
    >
  >;
  readonly responses: readonly ApiResponse<Data>[];
  /** Error codes other than those that the path and the inputs imply. */
  readonly errorCodes?: readonly string[];
  /** Whether clients can receive progress as Server-Sent Events. */
  readonly streamsProgress?: boolean;
  /** Whether the handler of a POST processes the `Idempotency-Key` itself. */
  readonly handlesIdempotency?: boolean;
  /** Descriptions of path parameters that differ from the usual ones, by name. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The schema of a query that the handler reads itself, after the headers. */
  readonly handlerQuery?: z.ZodObject;
  /** Whether a browser that accepts HTML gets errors as HTML pages, with the same statuses. */
  readonly hasHtmlErrors?: boolean;
}

/** The query schema of an operation without query parameters. */
export const NO_QUERY = z.object({});

/** Returns the operation with the types of its schemas preserved. */
export function defineOperation<
  Query extends z.ZodObject = typeof NO_QUERY,
  Body extends z.ZodType = z.ZodUndefined,
  Data extends z.ZodType = z.ZodNever,
>(operation: Operation<Query, Body, Data>): Operation<Query, Body, Data> {
  return operation;
}

/** A success response in the envelope. */
export function respond<Data extends z.ZodType>(
  status: ApiResponse["status"],
  description: string,
  data: Data,
  more: Pick<ApiResponse, "content" | "headers"> = {},
): ApiResponse<Data> {
  return { status, description, data, ...more };
}

/** The request header of a conditional GET. */
export const IF_NONE_MATCH_HEADER = {
  "If-None-Match": {
    description: "The ETag of your stored copy. The body is sent only if the resource has changed.",
    example: '"5d41402abc4b2a76b9719d911017c592"',
  },
} satisfies Operation["headers"];

/** The response to a conditional GET if the resource has not changed. */
export const NOT_MODIFIED_RESPONSE: ApiResponse = {
  status: 304,
  description: "Your stored copy is current.",
  headers: { ETag: "The ETag that you sent." },
};
