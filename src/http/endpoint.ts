import * as z from "zod";
import type { Hono } from "hono";
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
  readIdempotencyKey,
  toWireResult,
  type WireResult,
} from "./envelope.ts";
import { recheckKey } from "./middleware.ts";
import { readJsonBody } from "./json-body.ts";
import { readQuery, validateSchema } from "./validation.ts";
import { streamProgress, acceptsEventStream, type ProgressCallback } from "./streaming.ts";
import { sha256Hex } from "../platform/crypto/hash.ts";
import { isReplayable } from "../platform/idempotency/idempotency-record.ts";
import { IdempotencyLock } from "../platform/idempotency/idempotency-lock.ts";
import { unseal, seal, parseSealKeys, type SealKeys } from "../platform/crypto/seal.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type Method = (typeof METHODS)[number];

/** A handler that checks scope and input, with the schemas from which the OpenAPI document is generated. */
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
  const given = readQuery(c.req.url, known, inputs.ignoredQuery);
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

/** An endpoint without a body schema reads no body. */
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

/** A route that accepts another body with an `Idempotency-Key`; both endpoints have the same inputs otherwise. */
export function selectByIdempotencyKey(plain: Endpoint, idempotent: Endpoint): Endpoint {
  return Object.assign(
    (c: AppContext) => (c.req.header("Idempotency-Key") === undefined ? plain(c) : idempotent(c)),
    { inputs: plain.inputs },
  );
}

/**
 * The work of a route. A Response and a retryable failure without `mayHaveExecuted` are not stored: they release the
 * key, so they must precede every effect.
 */
type IdempotentWork = () => Promise<Result<SuccessReply, Failure> | Response>;

/** The way to respond to a request: run its work, or replay the stored response. */
interface IdempotencyResolution {
  readonly isReplay: boolean;
  readonly run: (work: IdempotentWork) => Promise<WireResult | Response>;
}

/**
 * With an `Idempotency-Key`, the work of a request is done once in 24 hours, and repeats get the stored
 * response. `input` is the validated input. A request without the header has no extra cost.
 */
async function resolveIdempotency(
  c: AppContext,
  input: object,
): Promise<Result<IdempotencyResolution, Failure>> {
  const given = readIdempotencyKey(c.req.raw.headers);
  if (!given.ok) return given;
  if (given.value === null) return ok(WITHOUT_IDEMPOTENCY);
  // Checked before any work, because a response that cannot be sealed cannot be replayed.
  const keys = parseSealKeys(c.env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  const { id } = c.get("key");
  const { pathname } = new URL(c.req.url);
  const idempotencyKey = given.value;
  // Contains both keys, so that the body cannot be guessed from the stored hash.
  const identity = [id, idempotencyKey, c.req.method, pathname, input];
  const fingerprint = await sha256Hex(JSON.stringify(identity));
  const waitUntil = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
  const lock = new IdempotencyLock(c.env.ONCE, id, idempotencyKey, waitUntil);
  const state = await lock.acquire(fingerprint);
  const request: LockedRequest = { lock, fingerprint, keys: keys.value };
  switch (state.kind) {
    case "free":
      return ok({ isReplay: false, run: (work) => runLocked(request, work) });
    case "answered":
      return replayOutcome(request, state.answer);
    case "reused":
      return fail({ kind: "idempotency_key_reused" });
    case "in_progress":
      return fail({ kind: "idempotency_key_in_use", isLost: false });
    case "lost":
      return fail({ kind: "idempotency_key_in_use", isLost: true });
  }
}

/** A request without a key runs its work each time. */
const WITHOUT_IDEMPOTENCY: IdempotencyResolution = {
  isReplay: false,
  run: async (work) => {
    const result = await work();
    return result instanceof Response ? result : toWireResult(result);
  },
};

/** One attempt of a request, and the keys that seal its response. */
interface LockedRequest {
  readonly lock: IdempotencyLock;
  readonly fingerprint: string;
  readonly keys: SealKeys;
}

async function runLocked(
  { lock, fingerprint, keys }: LockedRequest,
  work: IdempotentWork,
): Promise<WireResult | Response> {
  const { outcome } = await lock.run({
    prepare: async () => work,
    execute: async () => {
      const result = await work();
      if (result instanceof Response) return { outcome: result, replayable: null };
      const wireResult = toWireResult(result);
      const isStored = isReplayable(toReplayableOutcome(result, wireResult));
      return { outcome: wireResult, replayable: isStored ? wireResult : null };
    },
    serialize: ({ replayable }) =>
      replayable === null
        ? null
        : () => seal(keys, sealPurposeOf(fingerprint), removeTransientHeaders(replayable)),
  });
  return outcome;
}

function toReplayableOutcome(
  result: Result<SuccessReply, Failure>,
  outcome: WireResult,
): Parameters<typeof isReplayable>[0] {
  if (result.ok || outcome.ok) return ok(null);
  const { failure } = result;
  const mayHaveExecuted = "mayHaveExecuted" in failure && failure.mayHaveExecuted;
  return fail({ retryable: outcome.failure.retryable, mayHaveExecuted });
}

async function replayOutcome(
  { keys, fingerprint }: LockedRequest,
  sealed: string,
): Promise<Result<IdempotencyResolution, Failure>> {
  const opened = await unseal(keys, sealPurposeOf(fingerprint), sealed);
  // Sealed with a key that CREDENTIALS_KEY no longer contains.
  if (opened === null) return fail({ kind: "idempotency_key_in_use", isLost: true });
  const outcome = toOutcome(opened.value);
  return ok({ isReplay: true, run: async () => outcome });
}

/** Uses the fingerprint instead of the keys and the path, because the purpose of a seal is readable. */
function sealPurposeOf(fingerprint: string): string {
  return `idempotency:${fingerprint}`;
}

/** An outcome without the headers that apply only to the moment of the first response. */
function removeTransientHeaders(outcome: WireResult): WireResult {
  if (outcome.ok)
    return ok({ ...outcome.value, headers: filterTransientHeaders(outcome.value.headers) });
  return fail({ ...outcome.failure, headers: filterTransientHeaders(outcome.failure.headers) });
}

function filterTransientHeaders(
  headers: SuccessReply["headers"],
): NonNullable<SuccessReply["headers"]> {
  const kept = Object.entries(headers ?? {}).filter(([name]) => !TRANSIENT_HEADERS.has(name));
  return Object.fromEntries(kept);
}

const TRANSIENT_HEADERS = new Set(["RateLimit", "RateLimit-Policy", "Retry-After"]);

/** Only `runLocked` seals for this purpose. */
function toOutcome(stored: Json): WireResult {
  return stored as unknown as WireResult;
}
