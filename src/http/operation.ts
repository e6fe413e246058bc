import * as z from "zod";
import type { Scope } from "../keys/model/key.ts";

/** The sections of the API's document, in order. */
export const TAG_DESCRIPTIONS = {
  Tasks:
    "Work for agents: create, follow, answer, review and rate tasks, and download their files.",
  Work: "For the agents' own processes: claim tasks, report on them, upload files.",
  Events: "The events of tasks, as pages and as streams.",
  Webhooks: "The events of tasks, sent to your URL.",
  Tools: "The catalogue: tools, their capabilities, and the calls of tools with their costs.",
  Access: "Which agent may use which tool.",
  Credentials: "The credentials of tools for the systems behind them. Secrets are never shown.",
  Agents: "Agents and their executors.",
  Teams: "Groups of agents.",
  Keys: "The keys of this API.",
  Service: "The service itself, and its other interfaces.",
};

type ApiTag = keyof typeof TAG_DESCRIPTIONS;

/** A success response: an envelope with `data`, or another `content`, or both. */
export interface ApiResponse<Data extends z.ZodType = z.ZodType> {
  readonly status: 200 | 201 | 202 | 204 | 302 | 304;
  readonly description: string;
  /**
   * The schema of `data`. Objects allow no unknown fields. A schema with `.meta({ id: "Task" })` becomes the
   * component of that name: clients get a type for it.
   */
  readonly data?: Data;
  /** Bodies without envelope, by media type, with their schema (omitted for bytes). */
  readonly content?: Readonly<Record<string, { readonly schema?: z.ZodType }>>;
  /** Headers that this response always has, in addition to X-Request-Id. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The definition of one route: its input, its responses and its documentation. Texts are Markdown. The meaning of
 * a field, or of a query parameter, is the description of its schema.
 */
export interface Operation<
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
> {
  /** Unique, in camel case: the name of the method in generated clients. */
  readonly operationId: string;
  readonly tag: ApiTag;
  /** At most 60 characters, without a full stop. */
  readonly summary: string;
  readonly description: string;
  /** The scope that the key must have. */
  readonly scope?: Scope;
  /**
   * Who has access if the key needs no scope, or if a link replaces the key: everybody (`public`), a signed link or a
   * key with the scope, which the handler checks (`link`), or any key (`key`).
   */
  readonly access?: "public" | "link" | "key";
  readonly query?: Query;
  /** Whether unknown query parameters are ignored, because other systems add their own. */
  readonly ignoresUnknownQuery?: boolean;
  readonly body?: Body;
  /** Whether the body may be omitted, which means `{}`. */
  readonly bodyIsOptional?: boolean;
  /** The meaning of a body of any media type, which the handler reads itself. */
  readonly rawBody?: string;
  /** Request headers by name, except Authorization, Idempotency-Key and If-Match, which are added automatically. */
  readonly headers?: Readonly<
    Record<
      string,
      { readonly description: string; readonly example?: string; readonly required?: boolean }
    >
  >;
  readonly responses: readonly ApiResponse<Data>[];
  /** Error codes in addition to those that follow from the path and the inputs. */
  readonly errorCodes?: readonly string[];
  /** Whether the client may receive progress as Server-Sent Events. */
  readonly streamsProgress?: boolean;
  /** Set for a POST that handles its `Idempotency-Key` itself. */
  readonly handlesIdempotency?: boolean;
  /** The meaning of path parameters, by name, if it differs from the usual meaning. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The query of a handler that reads it itself, after the headers. */
  readonly handlerQuery?: z.ZodObject;
  /** Whether a browser that accepts HTML gets errors as pages, with the same statuses. */
  readonly hasHtmlErrors?: boolean;
}

/** The query of an operation that takes no query parameters. */
export const NO_QUERY = z.object({});

/** Keeps the types of the schemas. */
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

/** The header of a conditional GET. */
export const IF_NONE_MATCH_HEADER = {
  "If-None-Match": {
    description: "The ETag of your stored copy: the body is sent only if the resource has changed.",
    example: '"5d41402abc4b2a76b9719d911017c592"',
  },
} satisfies Operation["headers"];

/** The response to a conditional GET if nothing changed. */
export const NOT_MODIFIED_RESPONSE: ApiResponse = {
  status: 304,
  description: "Your stored copy is current.",
  headers: { ETag: "The ETag that you sent." },
};
