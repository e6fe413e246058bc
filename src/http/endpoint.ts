import type { Context, Handler, Hono, MiddlewareHandler, Next, Schema, TypedResponse } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type * as z from "zod";
import type { Failure } from "../kernel/failure.ts";
import { ok, type Result } from "../kernel/result.ts";
import {
  type AppContext,
  type AppEnv,
  type ErrorBody,
  sendResult,
  sendFailure,
  type SuccessBody,
  type SuccessReply,
} from "./envelope.ts";
import { resolveIdempotency, runEachTime } from "./idempotency.ts";
import { recheckKey } from "./middleware.ts";
import type { Operation } from "./operation.ts";
import type { ResponseOf } from "./schemas.ts";
import { validateInput } from "./request-input.ts";
import { streamProgress, acceptsEventStream, type ProgressCallback } from "./streaming.ts";

/** The query may be omitted if no parameter is required. */
type QueryInput<Given> = string extends keyof Given
  ? object
  : Partial<Given> extends Given
    ? { query?: Given }
    : { query: Given };

/** An endpoint's input, in the form that Hono's client `hc` expects. */
interface EndpointInput<Query extends z.ZodObject, Body extends z.ZodType> {
  in: QueryInput<z.input<Query>> & (Body extends z.ZodUndefined ? object : { json: z.input<Body> });
  out: { query: z.output<Query>; json: z.output<Body> };
}

type EndpointResponse<Data extends z.ZodType> = Response &
  TypedResponse<SuccessBody<z.output<Data>> | ErrorBody, ContentfulStatusCode, "json">;

type EndpointHandler<
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Data extends z.ZodType,
> = Handler<AppEnv, string, EndpointInput<Query, Body>, Promise<EndpointResponse<Data>>>;

/** The handlers of one route, for `app.get(path, ...endpoint)`. The last one carries the route's definition. */
export type Endpoint<
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
> = readonly [
  MiddlewareHandler<AppEnv>,
  EndpointHandler<Query, Body, Data> & { readonly operation: Operation },
];

/**
 * Defines one endpoint. It checks the key's scope, validates the path, query and body, and reports all problems at
 * once. `handle` receives the typed input, and its result is sent in the envelope; a Response is sent as is. A POST
 * with an `Idempotency-Key` is handled once, and repeats get the same response.
 */
export function defineEndpoint<
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Data extends z.ZodType,
>(
  operation: Operation<Query, Body, Data>,
  handle: (
    c: AppContext,
    input: { readonly query: z.output<Query>; readonly body: z.output<Body> },
    onProgress: ProgressCallback,
  ) => Promise<Result<SuccessReply<ResponseOf<Data>>, Failure> | Response>,
): Endpoint<Query, Body, Data> {
  const { access, streamsProgress = false, handlesIdempotency = false } = operation;
  // If a link can replace the key, the handler checks the scope itself.
  const scope = access === "link" ? undefined : operation.scope;
  const respondTo = async (
    c: Context<AppEnv, string, EndpointInput<Query, Body>>,
  ): Promise<Response> => {
    const input = { query: c.req.valid("query"), body: c.req.valid("json") };
    const keyFailure = await recheckKey(c);
    if (keyFailure !== null) return sendFailure(c, keyFailure);
    const isOnce = c.req.method === "POST" && scope !== undefined && !handlesIdempotency;
    const runner = isOnce ? await resolveIdempotency(c, input) : ok(runEachTime);
    if (!runner.ok) return sendFailure(c, runner.failure);
    const run = runner.value;
    const runHandler = async (onProgress: ProgressCallback): Promise<Response> => {
      const outcome = await run(() => handle(c, input, onProgress));
      return outcome instanceof Response ? outcome : sendResult(c, outcome);
    };
    return streamsProgress && acceptsEventStream(c)
      ? streamProgress(c, runHandler)
      : runHandler(async () => {});
  };
  // `TypedResponse` has fields that exist only in its type.
  const handler = respondTo as unknown as EndpointHandler<Query, Body, Data>;
  const checks = validateInput(operation);
  const pass = async (): Promise<void> => {};
  // Runs the checks in order and returns the first response. Hono's `every` would build a new chain for each request.
  const middleware: MiddlewareHandler<AppEnv> = async (c, next) => {
    if (scope !== undefined && !c.get("key").scopes.includes(scope))
      return sendFailure(c, { kind: "insufficient_scope", scopes: [scope] });
    for (const check of checks) {
      const response = await check(c, pass);
      if (response instanceof Response) return response;
    }
    return next();
  };
  return [middleware, Object.assign(handler, { operation })];
}

/**
 * Combines two endpoints into a route whose body schema depends on whether the request has an `Idempotency-Key`. Their
 * input is otherwise the same.
 */
export function selectByIdempotencyKey<
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Data extends z.ZodType,
>(
  [checkPlain, handlePlain]: Endpoint<Query, Body, Data>,
  [checkRepeatable, handleRepeatable]: Endpoint<Query, Body, Data>,
): Endpoint<Query, Body, Data> {
  const isRepeatable = (c: AppContext) => c.req.header("Idempotency-Key") !== undefined;
  return [
    (c, next) => (isRepeatable(c) ? checkRepeatable : checkPlain)(c, next),
    Object.assign(
      (c: Parameters<typeof handlePlain>[0], next: Next) =>
        (isRepeatable(c) ? handleRepeatable : handlePlain)(c, next),
      { operation: handlePlain.operation },
    ),
  ];
}

/** Adds an OPTIONS handler to each path, and a 405 response for all other methods. */
export function answerOtherMethods<Routes extends Hono<AppEnv, Schema, string>>(
  routes: Routes,
): Routes {
  for (const [path, some] of Map.groupBy(routes.routes, (route) => route.path)) {
    const methods = new Set(some.map(({ method }) => method));
    const listed = METHODS.filter((method) => methods.has(method));
    const allow = [...listed.flatMap((m) => (m === "GET" ? ["GET", "HEAD"] : [m])), "OPTIONS"].join(
      ", ",
    );
    routes.options(path, (c) => c.body(null, 204, { Allow: allow }));
    routes.all(path, (c) =>
      sendFailure(c, { kind: "method_not_allowed", method: c.req.method, allow }),
    );
  }
  return routes;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
