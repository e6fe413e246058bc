import type { Hono } from "hono";
import * as z from "zod";
import type { Failure } from "../kernel/failure.ts";
import type { Json } from "../kernel/json.ts";
import type { Scope } from "../keys/model/key.ts";
import { ID_CHARACTERS_MAX } from "../kernel/limits.ts";
import { type Problem, fail, ok, type Result } from "../kernel/result.ts";
import {
  type AppContext,
  type AppEnv,
  sendResult,
  sendFailure,
  type SuccessReply,
} from "./envelope.ts";
import { recheckKey } from "./middleware.ts";
import { readJsonBody } from "./json-body.ts";
import { resolveIdempotency, WITHOUT_IDEMPOTENCY } from "./idempotency.ts";
import { readQuery, validateSchema } from "./validation.ts";
import { streamProgress, acceptsEventStream, type ProgressCallback } from "./streaming.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type Method = (typeof METHODS)[number];

/** A handler that checks scope and input, and the schemas that it checks against, from which the API's document is generated. */
export interface Endpoint {
  (c: AppContext): Promise<Response>;
  readonly inputs: EndpointInputs<z.ZodObject, z.ZodType>;
}

export interface EndpointInputs<Query extends z.ZodObject, Body extends z.ZodType> {
  /** The scope that the key must have; absent if no key is required. */
  readonly scope?: Scope;
  readonly query?: Query;
  /** Query parameters that the handler reads itself; null: all, because other systems add their own parameters. */
  readonly ignoredQuery?: readonly string[] | null;
  readonly body?: Body;
  /** The value of a missing body; without it, a missing body is a problem. */
  readonly defaultBody?: Json;
  /** Whether the client may receive progress as Server-Sent Events. */
  readonly streamsProgress?: true;
  /** Set for a POST that handles its `Idempotency-Key` itself. */
  readonly handlesIdempotency?: true;
}

interface ParsedInput<Query extends z.ZodObject, Body extends z.ZodType> {
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
}

const EMPTY_QUERY = z.object({});
const EMPTY_BODY = z.undefined();

/**
 * One endpoint: checks the key's scope, then path, query and body, reports all problems at once, and passes
 * typed input to `handle`, whose result becomes the envelope. A Response is sent as it is. A POST with an
 * `Idempotency-Key` is handled once, and repeats get the same response.
 */
export function defineEndpoint<
  Query extends z.ZodObject = typeof EMPTY_QUERY,
  Body extends z.ZodType = z.ZodUndefined,
>(
  inputs: EndpointInputs<Query, Body>,
  handle: (
    c: AppContext,
    input: ParsedInput<Query, Body>,
    onProgress: ProgressCallback,
  ) => Promise<Result<SuccessReply, Failure> | Response>,
): Endpoint {
  const { scope, streamsProgress = false, handlesIdempotency = false } = inputs;
  const handleRequest = async (c: AppContext): Promise<Response> => {
    if (scope !== undefined && !c.get("key").scopes.includes(scope)) {
      return sendFailure(c, { kind: "insufficient_scope", scopes: [scope] });
    }
    const input = await readInput(c, inputs);
    if (!input.ok) return sendFailure(c, input.failure);
    const keyFailure = await recheckKey(c);
    if (keyFailure !== null) return sendFailure(c, keyFailure);
    const isOnce = c.req.method === "POST" && scope !== undefined && !handlesIdempotency;
    const resolution = isOnce ? await resolveIdempotency(c, input.value) : ok(WITHOUT_IDEMPOTENCY);
    if (!resolution.ok) return sendFailure(c, resolution.failure);
    const { isReplay, run } = resolution.value;
    if (isReplay) c.header("Idempotency-Replayed", "true");
    const runHandler = async (onProgress: ProgressCallback): Promise<Response> => {
      const outcome = await run(() => handle(c, input.value, onProgress));
      return outcome instanceof Response ? outcome : sendResult(c, outcome);
    };
    return streamsProgress && acceptsEventStream(c)
      ? streamProgress(c, runHandler)
      : runHandler(async () => {});
  };
  return Object.assign(handleRequest, { inputs });
}

/** Mounts the endpoints of one path, with OPTIONS and a 405 for every other method. */
export function mountResource(
  app: Hono<AppEnv>,
  path: string,
  endpoints: Partial<Record<Method, Endpoint>>,
): void {
  const methods = METHODS.filter((method) => endpoints[method] !== undefined);
  const allow = [...methods.flatMap((m) => (m === "GET" ? ["GET", "HEAD"] : [m])), "OPTIONS"].join(
    ", ",
  );
  for (const method of methods) {
    const handler = endpoints[method];
    if (handler !== undefined) app.on(method, path, handler);
  }
  app.options(path, (c) => c.body(null, 204, { Allow: allow }));
  app.all(path, (c) => sendFailure(c, { kind: "method_not_allowed", method: c.req.method, allow }));
}

async function readInput<Query extends z.ZodObject, Body extends z.ZodType>(
  c: AppContext,
  inputs: EndpointInputs<Query, Body>,
): Promise<Result<ParsedInput<Query, Body>, Failure>> {
  const body = await readBody(c, inputs);
  if (!body.ok && body.failure.kind !== "validation") return fail(body.failure);
  const querySchema = querySchemaOf(inputs.query);
  const known = Object.keys(querySchema.shape);
  const given = readQuery(new URL(c.req.url).searchParams, known, inputs.ignoredQuery);
  const query = validateSchema(querySchema, given.values);
  const problems = [
    ...checkPathParams(c.req.param()),
    ...given.problems,
    ...(query.ok ? [] : query.failure),
    ...(body.ok || body.failure.kind !== "validation" ? [] : body.failure.problems),
  ];
  if (!query.ok || !body.ok || problems.length > 0) return fail({ kind: "validation", problems });
  return ok({ query: query.value, body: body.value });
}

/** An endpoint that names no body does not read one. */
async function readBody<Body extends z.ZodType>(
  c: AppContext,
  { body, defaultBody }: EndpointInputs<z.ZodObject, Body>,
): Promise<Result<z.output<Body>, Failure>> {
  const schema = bodySchemaOf(body);
  if (body === undefined) return validateBody(schema, undefined, []);
  const read = await readJsonBody(c.req.raw, { required: defaultBody === undefined });
  if (!read.ok) return read;
  const { value, problems } = read.value;
  return validateBody(schema, value === undefined ? defaultBody : value, problems);
}

/** Checks a value that has the problems `found`. Each field is reported once. */
function validateBody<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  found: readonly Problem[],
): Result<z.output<Schema>, Failure> {
  const result = validateSchema(schema, value);
  if (result.ok && found.length === 0) return result;
  const paths = new Set(found.map(({ path }) => path));
  const others = result.ok ? [] : result.failure.filter(({ path }) => !paths.has(path));
  return fail({ kind: "validation", problems: [...found, ...others] });
}

/** Without a query schema, `Query` is the type of EMPTY_QUERY, the default of `defineEndpoint`. */
function querySchemaOf<Query extends z.ZodObject>(schema: Query | undefined): Query {
  return schema ?? (EMPTY_QUERY as unknown as Query);
}

/** Likewise for `Body` and EMPTY_BODY. */
function bodySchemaOf<Body extends z.ZodType>(schema: Body | undefined): Body {
  return schema ?? (EMPTY_BODY as unknown as Body);
}

function checkPathParams(params: Record<string, string>): Problem[] {
  return Object.entries(params).flatMap(([name, value]) =>
    value.length <= ID_CHARACTERS_MAX
      ? []
      : [
          {
            path: name,
            message: `must be at most ${ID_CHARACTERS_MAX} characters long, got ${value.length}`,
          },
        ],
  );
}
