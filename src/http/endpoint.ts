import type { Hono } from "hono";
import * as z from "zod";
import type { Failure } from "../domain/failure.ts";
import type { Json } from "../domain/json.ts";
import type { Scope } from "../domain/key.ts";
import { ID_CHARACTERS_MAX } from "../domain/limits.ts";
import type { Problem } from "../domain/problem.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { AppContext, AppEnv } from "./context.ts";
import { endedKey } from "./auth.ts";
import { answer, failed, type Reply } from "./envelope.ts";
import { readJson } from "./json.ts";
import { courseOf, ONLY_COURSE } from "./once.ts";
import { readQuery } from "./query.ts";
import { streamProgress, wantsStream, type OnProgress } from "./stream.ts";
import { validate } from "./validate.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type Method = (typeof METHODS)[number];

/** A handler that judges scope and input itself, and what it judges by: the API's document is made of that. */
export interface Endpoint {
  (c: AppContext): Promise<Response>;
  readonly inputs: Inputs<z.ZodObject, z.ZodType>;
}

export interface Inputs<Query extends z.ZodObject, Body extends z.ZodType> {
  /** What the key must hold; absent where no key is asked for. */
  readonly scope?: Scope;
  readonly query?: Query;
  /** Query parameters that the handler reads itself; null: all, because other systems add their own parameters. */
  readonly ownQuery?: readonly string[] | null;
  readonly body?: Body;
  /** What a missing body stands for; without it a missing body is a problem. */
  readonly emptyBody?: Json;
  /** Whether the client may hear of progress while it waits, as Server-Sent Events. */
  readonly streams?: true;
  /** For a POST that knows its `Idempotency-Key` again by itself; every other is carried out once a key. */
  readonly ownIdempotency?: true;
}

interface Input<Query extends z.ZodObject, Body extends z.ZodType> {
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
}

const NOTHING = z.object({});
const NO_BODY = z.undefined();

/**
 * One endpoint: checks the key's scope, then path, query and body, all problems at once, and hands
 * typed input to `handle`, whose result becomes the envelope. A Response goes out as it is. A POST with
 * an `Idempotency-Key` is handled once, and its answer given again to every repeat.
 */
export function endpoint<
  Query extends z.ZodObject = typeof NOTHING,
  Body extends z.ZodType = z.ZodUndefined,
>(
  inputs: Inputs<Query, Body>,
  handle: (
    c: AppContext,
    input: Input<Query, Body>,
    onProgress: OnProgress,
  ) => Promise<Result<Reply, Failure> | Response>,
): Endpoint {
  const { scope, streams = false, ownIdempotency = false } = inputs;
  const judging = async (c: AppContext): Promise<Response> => {
    if (scope !== undefined && !c.get("key").scopes.includes(scope)) {
      return failed(c, { kind: "insufficient_scope", scopes: [scope] });
    }
    const input = await readInput(c, inputs);
    if (!input.ok) return failed(c, input.failure);
    const ended = await endedKey(c);
    if (ended !== null) return failed(c, ended);
    const isOnce = c.req.method === "POST" && scope !== undefined && !ownIdempotency;
    const course = isOnce ? await courseOf(c, input.value) : ok(ONLY_COURSE);
    if (!course.ok) return failed(c, course.failure);
    const { isReplay, run } = course.value;
    if (isReplay) c.header("Idempotency-Replayed", "true");
    const answering = async (onProgress: OnProgress): Promise<Response> => {
      const outcome = await run(() => handle(c, input.value, onProgress));
      return outcome instanceof Response ? outcome : answer(c, outcome);
    };
    return streams && wantsStream(c) ? streamProgress(c, answering) : answering(async () => {});
  };
  return Object.assign(judging, { inputs });
}

/** Puts the endpoints of one path into the app, with OPTIONS and a 405 for every other method. */
export function resource(
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
  app.all(path, (c) => failed(c, { kind: "method_not_allowed", method: c.req.method, allow }));
}

async function readInput<Query extends z.ZodObject, Body extends z.ZodType>(
  c: AppContext,
  inputs: Inputs<Query, Body>,
): Promise<Result<Input<Query, Body>, Failure>> {
  const body = await readBody(c, inputs);
  if (!body.ok && body.failure.kind !== "validation") return fail(body.failure);
  const querySchema = orNothing(inputs.query);
  const known = Object.keys(querySchema.shape);
  const given = readQuery(new URL(c.req.url).searchParams, known, inputs.ownQuery);
  const query = validate(querySchema, given.values);
  const problems = [
    ...pathProblems(c.req.param()),
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
  { body, emptyBody }: Inputs<z.ZodObject, Body>,
): Promise<Result<z.output<Body>, Failure>> {
  const schema = orUndefined(body);
  if (body === undefined) return validated(schema, undefined, []);
  const read = await readJson(c.req.raw, { required: emptyBody === undefined });
  if (!read.ok) return read;
  const { value, problems } = read.value;
  return validated(schema, value === undefined ? emptyBody : value, problems);
}

/** Checks a value of which `found` is known to be wrong; a field found wrong is told of once. */
function validated<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  found: readonly Problem[],
): Result<z.output<Schema>, Failure> {
  const result = validate(schema, value);
  if (result.ok && found.length === 0) return result;
  const paths = new Set(found.map(({ path }) => path));
  const others = result.ok ? [] : result.failure.filter(({ path }) => !paths.has(path));
  return fail({ kind: "validation", problems: [...found, ...others] });
}

/** Where no query schema is given, `Query` is the type of NOTHING: see the default of `endpoint`. */
function orNothing<Query extends z.ZodObject>(schema: Query | undefined): Query {
  return schema ?? (NOTHING as unknown as Query);
}

/** Likewise for `Body` and NO_BODY. */
function orUndefined<Body extends z.ZodType>(schema: Body | undefined): Body {
  return schema ?? (NO_BODY as unknown as Body);
}

function pathProblems(params: Record<string, string>): Problem[] {
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
